import type { Terminal } from '../../session/ports.ts'
import type { Outbox } from './outbox.ts'
import type { SessionRequest } from './session-request.ts'

/** A terminal and what its carrier needs besides. */
export interface SshTerminal extends Terminal {
  /** To be called when the queue is empty. */
  drained(): void
}

/** A session channel as a terminal: a bounded queue that drops what does not fit. */
export function createTerminal(
  input: AsyncIterable<Uint8Array>,
  outbox: Outbox,
  request: SessionRequest,
  options: {
    readonly queueBytes: number
    readonly gone: AbortSignal
    readonly onEnd: (exitStatus: number) => void
  },
): SshTerminal {
  const listeners: (() => void)[] = []
  let dropped = false
  let ended = false
  return {
    input,
    gone: options.gone,
    term: request.term,
    env: request.env,
    size: () => request.size(),
    onResize: (listener) => request.onResize(listener),
    onDrain: (listener) => void listeners.push(listener),
    write(text) {
      if (ended) return true
      // A single long text is let through: it is in memory already, and could never be sent otherwise.
      if (outbox.size() > 0 && outbox.size() + text.length > options.queueBytes) {
        dropped = true
        return false
      }
      outbox.push(text, 'out')
      return true
    },
    end(exitStatus) {
      if (ended) return
      ended = true
      options.onEnd(exitStatus)
    },
    drained() {
      if (!dropped || ended) return
      dropped = false
      for (const listener of listeners) listener()
    },
  }
}
