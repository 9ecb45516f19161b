import type { Socket } from 'node:net'
import type { ServerChannel, Session } from 'ssh2'
import { cleanText } from '../../lib/clean-text.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Person } from '../../chat/person.ts'
import type { Log } from '../../chat/ports.ts'
import type { Door } from '../../session/ports.ts'
import { readInput } from './channel-input.ts'
import { createOutbox } from './outbox.ts'
import type { Outbox, OutboxOptions } from './outbox.ts'
import type { Release } from './quota.ts'
import { collectRequests } from './session-request.ts'
import type { SessionRequest } from './session-request.ts'
import { createTerminal } from './terminal.ts'

/** What a session channel may use of the connection that carries it. */
export interface ChannelHouse {
  readonly person: Person
  readonly door: Door
  readonly log: Log
  readonly socket: Socket
  readonly queueBytes: number
  readonly stallMs: number
  /** Aborted when the connection is closed. */
  readonly gone: AbortSignal
  /** Aborted when the server stops. */
  readonly closing: AbortSignal
  /** Why this connection may do nothing, in words for the person; undefined if it may. */
  readonly refusal?: string
  /** Takes one of the person's slots for commands. */
  takeExec(): Release | undefined
  /** Closes the connection. */
  drop(why: string): void
  /** Remembers what must end before the connection is closed in peace. */
  track(job: Promise<void>): void
}

/** Serves one session channel: one shell or one command, nothing else. */
export function serveSession(session: Session, house: ChannelHouse): void {
  const gone = endOf(session, house.gone)
  const request = collectRequests(session)
  session.on('shell', (accept) => house.track(serveShell(accept(), request, gone, house)))
  session.on('exec', (accept, _reject, { command }) =>
    house.track(serveExec(accept(), command, request, gone, house)),
  )
}

function endOf(session: Session, connectionGone: AbortSignal): AbortSignal {
  const closed = new AbortController()
  session.on('close', () => closed.abort())
  return AbortSignal.any([closed.signal, connectionGone])
}

async function serveShell(
  channel: ServerChannel,
  request: SessionRequest,
  gone: AbortSignal,
  house: ChannelHouse,
): Promise<void> {
  const eol = request.size() ? '\r\n' : '\n'
  const stall = { ms: house.stallMs, onStall: () => house.drop('reads too slowly') }
  const outbox: Outbox = openOutbox(channel, gone, house, { stall, onEmpty: () => terminal.drained() })
  const input = readInput(channel, AbortSignal.any([gone, house.closing]))
  const finished = new AbortController()
  const terminal = createTerminal(input, outbox, request, {
    queueBytes: house.queueBytes,
    onEnd: (status) => void outbox.finish(status).then(() => finished.abort()),
  })
  const sayGoodbye = (): void => {
    terminal.write(`${eol}The server is going down. Goodbye.${eol}`)
    terminal.end(0)
  }
  house.closing.addEventListener('abort', sayGoodbye, { once: true })
  try {
    if (house.refusal) terminal.write(house.refusal + eol)
    else await house.door.shell(house.person, terminal)
    terminal.end(house.refusal ? 1 : 0)
  } catch (error) {
    house.log.error({ person: house.person.name, err: error }, 'session failed')
    terminal.write(`${eol}${apology}${eol}`)
    terminal.end(1)
  } finally {
    house.closing.removeEventListener('abort', sayGoodbye)
  }
  await aborted(finished.signal)
}

async function serveExec(
  channel: ServerChannel,
  line: string,
  request: SessionRequest,
  gone: AbortSignal,
  house: ChannelHouse,
): Promise<void> {
  const outbox = openOutbox(channel, gone, house)
  const release = house.takeExec()
  const refusal = house.refusal ?? (release ? undefined : tooManyCommands)
  try {
    await outbox.finish(
      refusal ? sayWhy(outbox, refusal) : await runExec(channel, line, request, gone, outbox, house),
    )
  } finally {
    release?.()
  }
}

async function runExec(
  channel: ServerChannel,
  line: string,
  request: SessionRequest,
  gone: AbortSignal,
  outbox: Outbox,
  house: ChannelHouse,
): Promise<number> {
  const interrupted = new AbortController()
  const signal = AbortSignal.any([gone, house.closing, interrupted.signal])
  const hasPty = request.size() !== undefined
  if (hasPty) channel.on('data', (bytes: Buffer) => bytes.includes(interruptKey) && interrupted.abort())
  const stdin = hasPty ? noInput() : readInput(channel, signal)
  const send = async (text: string, stream: 'out' | 'err'): Promise<void> => {
    const clean = cleanText(text)
    outbox.push(hasPty ? clean.replaceAll('\n', '\r\n') : clean, stream)
    await outbox.below(house.queueBytes)
  }
  const pipe = {
    stdin,
    signal,
    env: request.env,
    out: (text: string) => send(text, 'out'),
    err: (text: string) => send(text, 'err'),
  }
  try {
    return await house.door.exec(house.person, line, pipe)
  } catch (error) {
    if (error instanceof Refusal) return sayWhy(outbox, error.message)
    house.log.error({ person: house.person.name, err: error }, 'command failed')
    return sayWhy(outbox, apology)
  }
}

const apology = 'Something went wrong here; the operator finds the details in the log.'
const tooManyCommands = 'Too many commands at once; wait until one of yours has ended.'
const interruptKey = 0x03

function sayWhy(outbox: Outbox, why: string): number {
  outbox.push(`${cleanText(why)}\n`, 'err')
  return 1
}

/** With a pty a command's input is the keyboard, of which only ^C is heeded. */
async function* noInput(): AsyncGenerator<Uint8Array, void, void> {}

function openOutbox(
  channel: ServerChannel,
  gone: AbortSignal,
  house: ChannelHouse,
  options: Pick<OutboxOptions, 'stall' | 'onEmpty'> = {},
): Outbox {
  channel.on('error', () => house.drop('channel error'))
  channel.stderr.on('error', () => house.drop('channel error'))
  return createOutbox({ channel, socket: house.socket, gone, ...options })
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
