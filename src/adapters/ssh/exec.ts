import { setMaxListeners } from 'node:events'
import { APOLOGY } from '../../chat/errors.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import type { ExecPipe } from '../../session/ports.ts'
import type { ChannelContext, OpenChannel } from './channel.ts'
import type { Outbox } from './outbox.ts'

/** Runs one command on a channel, until all of its output is sent. */
export async function serveExec(line: string, channel: OpenChannel, context: ChannelContext): Promise<void> {
  const outbox = channel.openOutbox()
  const release = context.takeExec()
  const refusal = context.refusal ?? (release ? undefined : TOO_MANY_COMMANDS)
  try {
    const status = refusal ? sayWhy(outbox, refusal) : await runCommand(line, channel, outbox, context)
    await outbox.finish(status)
  } finally {
    release?.()
  }
}

async function runCommand(
  line: string,
  channel: OpenChannel,
  outbox: Outbox,
  { person, handler, log, account, queue }: ChannelContext,
): Promise<number> {
  const ended = new AbortController()
  const { signal } = ended
  setMaxListeners(0, signal)
  channel.gone.addEventListener('abort', () => ended.abort(channel.gone.reason), { once: true })
  if (channel.gone.aborted) ended.abort(channel.gone.reason)
  const hasPty = channel.size() !== undefined
  if (hasPty) void watchForInterrupt(channel, () => ended.abort())
  const send = async (text: string, stream: 'out' | 'err'): Promise<void> => {
    const clean = cleanText(text)
    outbox.push(hasPty ? clean.replaceAll('\n', '\r\n') : clean, stream)
    await outbox.drainedTo(queue.bytes)
  }
  try {
    const pipe: ExecPipe = {
      stdin: hasPty ? noInput() : channel.input(),
      signal,
      draining: channel.draining,
      env: channel.env,
      out: (text) => send(text, 'out'),
      err: (text) => send(text, 'err'),
    }
    return await handler.exec(person, line, pipe, account)
  } catch (error) {
    log.error({ person: person.name, error }, 'command failed')
    return sayWhy(outbox, APOLOGY)
  }
}

const TOO_MANY_COMMANDS = 'Too many commands at once; wait until one of yours has ended.'

function sayWhy(outbox: Outbox, why: string): number {
  outbox.push(`${cleanText(why)}\n`, 'err')
  return 1
}

const INTERRUPT_KEY = 0x03

/** With a pty the client sends what is typed, and of that only ^C means something. */
async function watchForInterrupt(channel: OpenChannel, interrupt: () => void): Promise<void> {
  for await (const bytes of channel.input()) if (bytes.includes(INTERRUPT_KEY)) interrupt()
}

async function* noInput(): AsyncGenerator<Uint8Array, void, void> {}
