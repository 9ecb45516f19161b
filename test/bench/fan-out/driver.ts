/** The load: a process with many clients, which logs in, speaks, and notes what each screen shows and when. */
import { setTimeout as pause } from 'node:timers/promises'
import { createDeferred } from '../../../src/base/jobs/waiting.ts'
import { openSession, TERMINAL, type LoadSession } from '../../support/load/client.ts'
import { keyOf } from '../../support/load/keys.ts'
import { createTokenReader, nowUs, tokenText, type Token } from '../../support/load/tokens.ts'
import { answerParent } from '../../support/load/typescript-child.ts'

/** Log in under these names, and wait until each screen has shown a prompt. */
export interface ConnectRequest {
  readonly type: 'connect'
  /** Who comes, and to which port. */
  readonly people: readonly { readonly name: string; readonly port: number }[]
  readonly atOnce: number
  /** The screen is ready once it has shown this. */
  readonly prompt: RegExp
  /** Otherwise they leave again at once: it warms up both sides. */
  readonly stay: boolean
}

/** Speak: line `first + i` at `startUs + i * everyUs`, said by `speakers[i % speakers.length]` if they are here. */
export interface SpeakRequest {
  readonly type: 'speak'
  readonly speakers: readonly string[]
  readonly first: number
  readonly lines: number
  readonly startUs: number
  readonly everyUs: number
}

export type Connected = Awaited<ReturnType<typeof connect>>
export type Spoken = Awaited<ReturnType<typeof speak>>

/** A client, and what its screen has shown of the lines of others since the last request to speak. */
interface Member {
  readonly session: LoadSession
  /** Numbers of lines in the order in which they came, each at its first time. */
  lines: number[]
  /** From Enter to this screen, in milliseconds, line by line. */
  latencies: number[]
  seen: Set<number>
  /** How often a line came that was there already. */
  repeated: number
}

/** All has come, or nothing more will, once no screen has shown anything for this time. */
const QUIET_US = 4_000_000

const members = new Map<string, Member>()
const gone: string[] = []
/** The lines that count now; a server may show older ones again. */
let current: SpeakRequest | undefined
let bytes = 0
let packets = 0
let lastUs = 0
let shown = 0

async function connect({ people, atOnce, prompt, stay }: ConnectRequest) {
  for (const { name } of people) keyOf(name)
  const waiting = [...people]
  const promptMs: number[] = []
  const startUs = nowUs()
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      promptMs.push(await connectOne(next, prompt))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  const endUs = nowUs()
  if (!stay) await leave(people)
  return { startUs, endUs, promptMs }
}

async function leave(people: ConnectRequest['people']): Promise<void> {
  for (const { name } of people) {
    await members.get(name)?.session[Symbol.asyncDispose]()
    members.delete(name)
  }
  gone.length = 0
}

/** Far above what the slowest takes with the largest crowd. */
const PROMPT_S = 60

/** Milliseconds from the TCP connection to the prompt. */
async function connectOne({ name, port }: ConnectRequest['people'][0], prompt: RegExp): Promise<number> {
  const start = performance.now()
  const prompted = createDeferred<void>()
  let beginning: string | undefined = ''
  const read = createTokenReader()
  const session = await openSession({ port, name, key: keyOf(name) }, TERMINAL, (chunk) => {
    if (beginning !== undefined) {
      beginning += chunk.toString('latin1')
      if (prompt.test(beginning)) prompted.resolve((beginning = undefined))
    }
    note(name, chunk, read(chunk))
  })
  members.set(name, { session, lines: [], latencies: [], seen: new Set(), repeated: 0 })
  void session.ended.then(() => {
    gone.push(name)
    prompted.reject(new Error(`${name}'s session ended before its prompt`))
  })
  const late = setTimeout(
    () => prompted.reject(new Error(`${name} saw no prompt in ${PROMPT_S} s: ${JSON.stringify(beginning)}`)),
    1000 * PROMPT_S,
  )
  await prompted.promise.finally(() => clearTimeout(late))
  return performance.now() - start
}

function note(name: string, chunk: Buffer, tokens: readonly Token[]): void {
  bytes += chunk.length
  packets += 1
  const member = members.get(name)
  if (!member || !current || tokens.length === 0) return
  const { first, lines, speakers } = current
  const now = nowUs()
  for (const { line, sentUs } of tokens) {
    const index = line - first
    // A speaker's own screen shows the line while it is typed: only others' screens say when it was delivered.
    if (index < 0 || index >= lines || speakers[index % speakers.length] === name) continue
    if (member.seen.has(line)) {
      member.repeated += 1
      continue
    }
    member.seen.add(line)
    member.lines.push(line)
    member.latencies.push((now - sentUs) / 1000)
    lastUs = now
    shown += 1
  }
}

async function speak(request: SpeakRequest) {
  for (const member of members.values())
    Object.assign(member, { lines: [], latencies: [], seen: new Set(), repeated: 0 })
  current = request
  bytes = packets = shown = 0
  lastUs = request.startUs
  const cpuBefore = process.cpuUsage()
  await sayAll(request)
  await settle(request)
  const { user, system } = process.cpuUsage(cpuBefore)
  current = undefined
  const screens = Array.from(members, ([name, { lines, latencies, repeated }]) => ({
    ...{ name, lines: Int32Array.from(lines), latencies: Float32Array.from(latencies), repeated },
  }))
  return { screens, bytes, packets, lastUs, cpuMs: (user + system) / 1000, gone }
}

/** Says each line that falls to somebody of this process, when it is due. */
async function sayAll({ speakers, first, lines, startUs, everyUs }: SpeakRequest): Promise<void> {
  for (let index = 0; index < lines; index += 1) {
    const speaker = members.get(speakers[index % speakers.length]!)
    if (!speaker) continue
    const early = startUs + index * everyUs - nowUs()
    if (early > 0) await pause(early / 1000)
    speaker.session.channel.write(`${tokenText(first + index, nowUs())}\r`)
  }
}

/** Waits until every screen has shown the lines of all others, or nothing comes any more. */
async function settle({ speakers, lines, startUs, everyUs }: SpeakRequest): Promise<void> {
  const said = Array.from({ length: lines }, (_, index) => speakers[index % speakers.length]!)
  const own = said.filter((name) => members.has(name)).length
  const expected = members.size * lines - own
  const overUs = startUs + lines * everyUs
  const isOver = (): boolean => shown >= expected || nowUs() > Math.max(lastUs, overUs) + QUIET_US
  while (!isOver()) await pause(20)
}

answerParent(async (request: ConnectRequest | SpeakRequest) =>
  request.type === 'connect' ? await connect(request) : await speak(request),
)
