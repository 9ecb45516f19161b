import { APOLOGY } from '../../chat/errors.ts'
import { createDeferred } from '../../lib/deferred.ts'
import type { Terminal } from '../../session/ports.ts'
import type { ChannelContext, OpenChannel } from './channel.ts'

/** What `ssh` itself ends with where the connection breaks: whatever connects again by itself does so. */
const CONNECTION_LOST = 255

/** Runs one session on a channel, until all of it is sent; says goodbye when the server stops. */
export async function serveShell(channel: OpenChannel, context: ChannelContext): Promise<void> {
  const { person, handler, log, account, refusal } = context
  const eol = channel.size() ? '\r\n' : '\n'
  const { terminal, sent } = createTerminal(channel, context.queue.bytes, eol)
  const stopWatching = endAfterStop(channel, terminal, eol)
  try {
    if (refusal === undefined) await handler.shell(person, terminal, account)
    else terminal.write(refusal + eol)
    terminal.end(refusal === undefined ? 0 : 1)
  } catch (error) {
    log.error({ person: person.name, error }, 'session failed')
    terminal.write(`${eol}${APOLOGY}${eol}`)
    terminal.end(1)
  } finally {
    stopWatching()
  }
  await sent
}

/**
 * A channel as a terminal: a bounded queue that drops what does not fit. `sent` resolves once all is sent or
 * the client is gone.
 */
function createTerminal(
  channel: OpenChannel,
  queueBytes: number,
  eol: string,
): { readonly terminal: Terminal; readonly sent: Promise<void> } {
  const { gone, size, onResize, term, env } = channel
  const drainListeners: (() => void)[] = []
  const sent = createDeferred<void>()
  let dropped = false
  let ended = false
  const outbox = channel.openOutbox(() => {
    if (!dropped || ended) return
    dropped = false
    for (const listener of drainListeners) listener()
  })
  const terminal: Terminal = {
    input: channel.input(),
    gone,
    size,
    onResize,
    term,
    env,
    onDrain: (listener) => void drainListeners.push(listener),
    whenRead: (listener) => outbox.whenAcknowledged(listener),
    write(text) {
      if (ended) return true
      // A single long text is let through: it is in memory already, and could never be sent otherwise.
      if (outbox.size() > 0 && outbox.size() + text.length > queueBytes) {
        dropped = true
        return false
      }
      outbox.push(text, 'out')
      return true
    },
    end(exitStatus) {
      if (ended) return
      ended = true
      const isCut = channel.isStopping()
      if (isCut) outbox.push(`The server is going down. Goodbye.${eol}`, 'out')
      void outbox.finish(isCut ? CONNECTION_LOST : exitStatus).then(sent.resolve)
    },
  }
  return { terminal, sent: sent.promise }
}

/** How long a session may take to end after its input did, when the server stops. */
const END_LIMIT_MS = 500

/** The end of its input ends a session that has nothing left to do. One that is busy is ended for it. */
function endAfterStop(channel: OpenChannel, terminal: Terminal, eol: string): () => void {
  let timer: NodeJS.Timeout | undefined
  const end = (): void => {
    terminal.write(eol)
    terminal.end(0)
  }
  const stop = (): void => {
    if (channel.isStopping()) timer = setTimeout(end, END_LIMIT_MS)
  }
  channel.gone.addEventListener('abort', stop, { once: true })
  return () => {
    clearTimeout(timer)
    channel.gone.removeEventListener('abort', stop)
  }
}
