import { apology, openOutbox } from './channel-house.ts'
import type { OpenChannel } from './channel-house.ts'
import { readInput } from './channel-input.ts'
import type { Outbox } from './outbox.ts'
import { createTerminal } from './terminal.ts'

/** How long a session may take to end after its input did, when the server stops. */
const patienceMs = 500

/** Runs one session on a channel, until all of it is sent; says goodbye when the server stops. */
export async function serveShell(open: OpenChannel): Promise<void> {
  const { channel, request, gone, house } = open
  const eol = request.size() ? '\r\n' : '\n'
  const stall = { ms: house.stallMs, onStall: () => house.drop('reads too slowly') }
  const outbox: Outbox = openOutbox(open, { stall, onEmpty: () => terminal.drained() })
  const over = AbortSignal.any([gone, house.closing])
  const input = readInput(channel, over)
  const finished = new AbortController()
  const terminal = createTerminal(input, outbox, request, {
    queueBytes: house.queueBytes,
    gone: over,
    onEnd(status) {
      if (house.closing.aborted) outbox.push(`The server is going down. Goodbye.${eol}`, 'out')
      void outbox.finish(status).then(() => finished.abort())
    },
  })
  // The end of its input ends a session that has nothing left to do; one that has is ended for it.
  const stop = (): void => void (timer = setTimeout(endForIt, patienceMs))
  const endForIt = (): void => {
    terminal.write(eol)
    terminal.end(0)
  }
  let timer: NodeJS.Timeout | undefined
  house.closing.addEventListener('abort', stop, { once: true })
  try {
    if (house.refusal) terminal.write(house.refusal + eol)
    else await house.door.shell(house.person, terminal)
    terminal.end(house.refusal ? 1 : 0)
  } catch (error) {
    house.log.error({ person: house.person.name, err: error }, 'session failed')
    terminal.write(`${eol}${apology}${eol}`)
    terminal.end(1)
  } finally {
    clearTimeout(timer)
    house.closing.removeEventListener('abort', stop)
  }
  await aborted(finished.signal)
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
