import { setMaxListeners } from 'node:events'
import { Refusal } from '../../chat/errors.ts'
import { cleanText } from '../../lib/clean-text.ts'
import { apology, openOutbox } from './channel-house.ts'
import type { OpenChannel } from './channel-house.ts'
import { readInput } from './channel-input.ts'
import type { Outbox } from './outbox.ts'

/** Runs one command on a channel, until all of its output is sent. */
export async function serveExec(line: string, open: OpenChannel): Promise<void> {
  const { house } = open
  const outbox = openOutbox(open)
  const release = house.takeExec()
  const refusal = house.refusal ?? (release ? undefined : tooManyCommands)
  try {
    await outbox.finish(refusal ? sayWhy(outbox, refusal) : await runExec(line, open, outbox))
  } finally {
    release?.()
  }
}

async function runExec(line: string, open: OpenChannel, outbox: Outbox): Promise<number> {
  const { channel, request, gone, house } = open
  const interrupted = new AbortController()
  const signal = AbortSignal.any([gone, house.closing, interrupted.signal])
  setMaxListeners(0, signal)
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

const tooManyCommands = 'Too many commands at once; wait until one of yours has ended.'
const interruptKey = 0x03

function sayWhy(outbox: Outbox, why: string): number {
  outbox.push(`${cleanText(why)}\n`, 'err')
  return 1
}

/** With a pty a command's input is the keyboard, of which only ^C is heeded. */
async function* noInput(): AsyncGenerator<Uint8Array, void, void> {}
