import { setMaxListeners } from 'node:events'
import { APOLOGY } from '../words/errors.ts'
import type { Person } from '../words/person.ts'
import type { Account } from '../base/jobs/scheduler.ts'
import { createDeferred } from '../base/jobs/waiting.ts'
import { cleanText } from '../base/text/clean-text.ts'
import type { ExecPipe, Terminal } from '../terminal/index.ts'
import type { Channel, Program } from './channel.ts'
import type { ConnectionContext } from './context.ts'
import type { Outbox } from './outbox.ts'
import { serveSftp } from './sftp.ts'

interface ProgramConnection {
  readonly account: Account
  readonly context: Pick<ConnectionContext, 'limits' | 'handler' | 'log' | 'quotas'>
  readonly refusal: string | undefined
}

/** The exit status of `ssh` itself if the connection breaks, on which autossh and others reconnect. */
const CONNECTION_LOST = 255

/** Runs a session in the requested room until all output is sent. Says goodbye when the server stops. */
export async function runShell(
  channel: Channel,
  person: Person,
  connection: ProgramConnection,
  room: string | undefined,
): Promise<void> {
  const { account, refusal } = connection
  const { handler, log, limits } = connection.context
  const eol = channel.size() ? '\r\n' : '\n'
  const { terminal, sent } = createTerminal(channel, limits.queue_bytes, eol)
  const stopWatching = endAfterStop(channel, terminal, eol)
  try {
    if (refusal === undefined) await handler.shell(person, terminal, account, room)
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

/** The queue is bounded and drops excess output. `sent` resolves when all is sent or the client is gone. */
function createTerminal(
  channel: Channel,
  queueBytes: number,
  eol: string,
): { readonly terminal: Terminal; readonly sent: Promise<void> } {
  const drainListeners: (() => void)[] = []
  const sent = createDeferred<void>()
  let hasDropped = false
  let hasEnded = false
  const outbox = channel.openOutbox(() => {
    if (!hasDropped || hasEnded) return
    hasDropped = false
    for (const listener of drainListeners) listener()
  })
  const terminal: Terminal = {
    input: channel.input(),
    gone: channel.gone,
    term: channel.term,
    env: channel.env,
    size: () => channel.size(),
    onResize: (listener) => channel.onResize(listener),
    onDrain: (listener) => void drainListeners.push(listener),
    whenRead: (listener) => outbox.whenAcknowledged(listener),
    write(text) {
      if (hasEnded) return true
      // A single long text may exceed the limit: it is in memory already, and could never be sent otherwise.
      if (outbox.size() > 0 && outbox.size() + text.length > queueBytes) {
        hasDropped = true
        return false
      }
      outbox.push(text, 'out')
      return true
    },
    end(exitStatus) {
      if (hasEnded) return
      hasEnded = true
      const isCut = channel.isStopping()
      if (isCut) outbox.push(`The server is going down. Goodbye. ${COME_BACK}${eol}`, 'out')
      void outbox.finish(isCut ? CONNECTION_LOST : exitStatus).then(sent.resolve)
    },
  }
  return { terminal, sent: sent.promise }
}

const COME_BACK = 'Once it is back, the same ssh command brings you in.'

const END_LIMIT_MS = 500

/** Ends a session that is still busy when the server stops. An idle one ends with its input. */
function endAfterStop(channel: Channel, terminal: Terminal, eol: string): () => void {
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

const TOO_MANY_COMMANDS = 'Too many commands at once; wait until one of yours has ended.'

/** Runs one command or SFTP on a channel, until all of its output is sent. */
export async function runCommand(
  program: Exclude<Program, { kind: 'shell' }>,
  channel: Channel,
  person: Person,
  connection: ProgramConnection,
): Promise<void> {
  const outbox = channel.openOutbox()
  const release = connection.context.quotas.takeCommand(person)
  const refusal = connection.refusal ?? (release ? undefined : TOO_MANY_COMMANDS)
  try {
    const status = refusal
      ? fail(outbox, refusal)
      : await execute(program, channel, outbox, person, connection)
    await outbox.finish(status)
  } finally {
    release?.()
  }
}

async function execute(
  program: Exclude<Program, { kind: 'shell' }>,
  channel: Channel,
  outbox: Outbox,
  person: Person,
  { account, context: { handler, log, limits } }: ProgramConnection,
): Promise<number> {
  const interrupt = new AbortController()
  const signal = AbortSignal.any([channel.gone, interrupt.signal])
  setMaxListeners(0, signal)
  const hasPty = channel.size() !== undefined
  if (hasPty) void watchForInterrupt(channel, () => interrupt.abort())
  const send = async (text: string, stream: 'out' | 'err'): Promise<void> => {
    const clean = cleanText(text)
    outbox.push(hasPty ? clean.replaceAll('\n', '\r\n') : clean, stream)
    await outbox.drainedTo(limits.queue_bytes)
  }
  try {
    const pipe: ExecPipe = {
      stdin: hasPty ? noInput() : channel.input(),
      signal,
      draining: channel.draining,
      env: channel.env,
      out: (text) => send(text, 'out'),
      err: (text) => send(text, 'err'),
      ...(!hasPty && {
        async bytes(data: Uint8Array) {
          outbox.push(Buffer.from(data), 'out')
          await outbox.drainedTo(limits.queue_bytes)
        },
      }),
    }
    if (program.kind === 'command') return await handler.exec(person, program.line, pipe, account)
    if (!handler.files) return fail(outbox, 'There are no files on this server.')
    return await handler.files(person, pipe, (files, own) =>
      serveSftp(files, {
        input: channel.input(),
        signal: own.signal,
        log,
        say: own.err,
        send: (bytes) => outbox.push(bytes, 'out'),
        drained: () => outbox.drainedTo(limits.queue_bytes),
      }),
    )
  } catch (error) {
    log.error({ person: person.name, error }, 'command failed')
    return fail(outbox, APOLOGY)
  }
}

function fail(outbox: Outbox, why: string): 1 {
  outbox.push(`${cleanText(why)}\n`, 'err')
  return 1
}

const INTERRUPT_KEY = 0x03

async function watchForInterrupt(channel: Channel, interrupt: () => void): Promise<void> {
  for await (const bytes of channel.input()) if (bytes.includes(INTERRUPT_KEY)) interrupt()
}

async function* noInput(): AsyncGenerator<Uint8Array, void, void> {}
