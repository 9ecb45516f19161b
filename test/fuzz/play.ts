import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { ClientCallback, ClientChannel } from 'ssh2'
import { createDeferred } from '../../src/base/jobs/waiting.ts'
import { login, type ClientTarget, type LoadClient } from '../support/load/client.ts'
import { sendMessage } from '../support/ssh2-client.ts'
import type { ExecCase, FuzzCase, SessionCase } from './cases.ts'
import type { PacketsCase } from './packets.ts'
import { APOLOGIES, Trouble } from './trouble.ts'

/** Longer than the watcher waits, who is sure that nobody is answered. */
const ANSWER_MS = 20_000

/** A pipe says all its lines before it ends: thousands of them, on a busy machine. */
const PIPE_END_MS = 90_000

/** `settleMs` is the time for messages that have no answer to wait for. */
export function createPlayer(target: ClientTarget, settleMs: number) {
  let kept: Promise<LoadClient> | undefined
  const connection = (): Promise<LoadClient> => {
    kept ??= login(target).then((client) => {
      void client.closed.then(() => (kept = undefined))
      return client
    })
    return kept
  }
  return {
    /** Rejects with a `Trouble` when the server did what it may not do. */
    async play(fuzzCase: FuzzCase) {
      switch (fuzzCase.kind) {
        case 'packets':
          return playPackets(fuzzCase, target, settleMs)
        case 'exec':
          return playExec(fuzzCase, await connection())
        default:
          return playSession(fuzzCase, await connection())
      }
    },
    async [Symbol.asyncDispose]() {
      await (await kept)?.[Symbol.asyncDispose]()
    },
  }
}

/** Types what the case says, then leaves as people do; nothing else may have ended the session. */
async function playSession(
  { kind, columns, rows, env, steps }: SessionCase,
  client: LoadClient,
): Promise<void> {
  const pty =
    kind === 'pipe' ? false : { cols: columns, rows, term: kind === 'dumb' ? 'dumb' : 'xterm-256color' }
  const { channel, ...end } = await open(client, 'a session', (opened) =>
    client.ssh.shell(pty, { env }, opened),
  )
  for (const step of steps) {
    if (step.do === 'resize') channel.setWindow(step.rows, step.columns, 0, 0)
    else if (channel.writable) channel.write(Buffer.from(step.bytes, 'latin1'))
    await new Promise(setImmediate)
  }
  const asked = steps.some((step) => step.do === 'type' && /\/(q|quit|exit)\b/i.test(step.bytes))
  if (end.isOver() && !asked) throw new Trouble(`a session ended by itself (${kind})`, end.output())
  // After a paste, a sequence that was cut, and a draft.
  if (kind !== 'pipe' && channel.writable) channel.write('\u001b[201~\u001b[201~\u0003\u0004')
  if (kind === 'pipe') channel.end()
  const status = await end.within(kind === 'pipe' ? PIPE_END_MS : ANSWER_MS)
  if (APOLOGIES.test(end.output())) throw new Trouble(`a session failed (${kind})`, end.output())
  // A question that waits for a permission holds up the lines behind it.
  if (status === 'open' && !end.output().includes('/allow'))
    throw new Trouble(`a session cannot be left (${kind})`, end.output())
  if (status !== 'open' && status !== 0)
    throw new Trouble(`a session ended with status ${status} (${kind})`, end.output())
  channel.destroy()
}

async function playExec({ line, input }: ExecCase, client: LoadClient): Promise<void> {
  const { channel, ...end } = await open(client, 'a command', (opened) => client.ssh.exec(line, opened))
  channel.end(Buffer.from(input, 'latin1'))
  const status = await end.within(ANSWER_MS)
  if (APOLOGIES.test(end.output())) throw new Trouble('a command failed', end.output())
  if (status === 'open') channel.close()
  else if (status === undefined || status > 2)
    throw new Trouble(`a command ended with status ${status}`, end.output())
}

async function playPackets({ packets }: PacketsCase, target: ClientTarget, settleMs: number): Promise<void> {
  await using client = await login(target)
  for (const packet of packets) {
    sendMessage(client.ssh, Buffer.from(packet, 'base64'))
    await new Promise(setImmediate)
  }
  await pause(settleMs)
}

/** Rejects with a trouble when the server does not open what `start` asks for. */
async function open(
  client: LoadClient,
  what: string,
  start: (opened: ClientCallback) => void,
): Promise<Opened> {
  const opened = createDeferred<Opened>()
  // All of a short command may come in one piece, so its end is watched for from the first moment.
  start((error, channel) =>
    error
      ? opened.reject(new Trouble(`${what} was refused: ${error.message}`))
      : opened.resolve({ channel, ...watch(channel, client) }),
  )
  const limit = new AbortController()
  const late = pause(ANSWER_MS, undefined, { signal: limit.signal }).then(() => {
    throw new Trouble(`${what} was not opened in ${ANSWER_MS / 1000} s`)
  })
  const gone = client.closed.then(() => {
    throw new Trouble(`the connection ended before ${what} began`)
  })
  try {
    return await Promise.race([opened.promise, late, gone])
  } finally {
    late.catch(() => undefined)
    limit.abort()
  }
}

type Opened = { readonly channel: ClientChannel } & ReturnType<typeof watch>

const MAX_OUTPUT_UNITS = 64 * 1024

/** Reads all that comes and remembers the end of it. */
function watch(channel: ClientChannel, client: LoadClient) {
  let output = ''
  let status: number | undefined
  let isOver = false
  const keep = (chunk: Buffer): void =>
    void (output = (output + chunk.toString('utf8')).slice(-MAX_OUTPUT_UNITS))
  channel.on('data', keep)
  channel.stderr.on('data', keep)
  channel.on('error', () => undefined)
  channel.on('exit', (code: number | null) => (status = code ?? undefined))
  const closed = Promise.race([once(channel, 'close'), client.closed]).then(() => void (isOver = true))
  return {
    output: () => output,
    isOver: () => isOver,
    /** The exit status; undefined where it ended without one. */
    async within(ms: number): Promise<number | undefined | 'open'> {
      const limit = new AbortController()
      const late = pause(ms, undefined, { signal: limit.signal }).catch(() => undefined)
      await Promise.race([closed, late])
      limit.abort()
      return isOver ? status : 'open'
    },
  }
}
