/** Two hundred screens in a process of its own: who sees which piece of a streaming reply, and when. */
import { setTimeout as pause } from 'node:timers/promises'
import { createDeferred } from '../../../src/base/jobs/waiting.ts'
import { openSession, TERMINAL, type LoadSession } from '../../support/load/client.ts'
import { keyOf } from '../../support/load/keys.ts'
import { createTokenReader, nowUs } from '../../support/load/tokens.ts'
import { createDrafter, type Drafter } from './drafter.ts'
import { answerParent } from '../../support/load/typescript-child.ts'

/** What the streaming bench asks of this process. */
export interface WatchRequest {
  readonly port: number
  readonly screens: number
  /** How many of them have somebody who types a draft meanwhile, and how many somebody who speaks. */
  readonly drafters: number
  readonly speakers: number
  /** The model that is asked, and how many pieces its reply has. */
  readonly model: string
  readonly pieces: number
}

/** What the screens showed of the reply. */
export type Watched = Awaited<ReturnType<typeof watch>>

interface Screen {
  readonly session: LoadSession
  /** When packets with new pieces came, in microseconds. */
  readonly arrivals: number[]
  readonly latencies: number[]
  newest: number
}

const LOGINS_AT_ONCE = 8
const SPEAK_EVERY_MS = 1000
/** When no screen shows anything new for so long, nothing more will come. */
const QUIET_MS = 5000
/** How long the first piece may take. */
const BEGIN_MS = 30_000

let bytes = 0
let packets = 0

async function openScreen(name: string, port: number, drafter: Drafter | undefined): Promise<Screen> {
  const read = createTokenReader()
  const arrivals: number[] = []
  const latencies: number[] = []
  const prompted = createDeferred<void>()
  let screen: Screen | undefined
  const session = await openSession({ port, name, key: keyOf(name) }, TERMINAL, (chunk) => {
    bytes += chunk.length
    packets += 1
    drafter?.onData(chunk)
    if (chunk.includes('> ')) prompted.resolve()
    const now = nowUs()
    const fresh = read(chunk).filter(({ line }) => line > (screen?.newest ?? Infinity))
    if (!screen || fresh.length === 0) return
    arrivals.push(now)
    for (const { sentUs } of fresh) latencies.push((now - sentUs) / 1000)
    screen.newest = Math.max(...fresh.map(({ line }) => line))
  })
  screen = { session, arrivals, latencies, newest: -1 }
  await prompted.promise
  return screen
}

async function openScreens({ port, screens, drafters }: WatchRequest) {
  const all: Screen[] = []
  const drafting = new Map<Screen, Drafter>()
  let next = 0
  const work = async (): Promise<void> => {
    while (next < screens) {
      const at = next++
      const drafter = at < drafters ? createDrafter() : undefined
      const screen = await openScreen(`u${at}`, port, drafter)
      all[at] = screen
      if (drafter) drafting.set(screen, drafter)
    }
  }
  await Promise.all(Array.from({ length: LOGINS_AT_ONCE }, work))
  return { all, drafting }
}

async function watch(request: WatchRequest) {
  const { speakers, drafters, model, pieces } = request
  const { all, drafting } = await openScreens(request)
  await pause(QUIET_MS / 5)
  bytes = packets = 0
  const isComplete = (): boolean => all.every(({ newest }) => newest === pieces - 1)
  const lastUs = (): number => all.reduce((last, { arrivals }) => Math.max(last, arrivals.at(-1) ?? 0), 0)
  const askedUs = nowUs()
  const deadlineUs = (): number => (lastUs() || askedUs) + (lastUs() ? QUIET_MS : BEGIN_MS) * 1000
  const isOver = (): boolean => isComplete() || nowUs() > deadlineUs()
  all.at(-1)?.session.channel.write(`@${model} tell us a long story\r`)
  const speaking = all.slice(drafters, drafters + speakers).map(({ session }) => speak(session, isOver))
  const typing = Array.from(drafting, ([{ session }, drafter]) => drafter.type(session, isOver))
  const drafts = await Promise.all(typing)
  await Promise.all(speaking)
  while (!isOver()) await pause(50)
  return {
    ...measure(all, pieces),
    /** How often a drafter's screen was looked at, and how often its draft was not what had been typed. */
    looks: drafts.reduce((sum, { looks }) => sum + looks, 0),
    torn: drafts.flatMap(({ torn }) => torn),
    bytes,
    packets,
  }
}

async function speak({ channel }: LoadSession, isOver: () => boolean): Promise<void> {
  for (let line = 0; !isOver(); line += 1) {
    channel.write(`line ${line} of somebody who goes on talking\r`)
    await pause(SPEAK_EVERY_MS)
  }
}

function measure(all: readonly Screen[], pieces: number) {
  const first = Math.min(...all.map(({ arrivals: [at] }) => at ?? Infinity))
  const last = Math.max(...all.map(({ arrivals }) => arrivals.at(-1) ?? 0))
  const gaps = all.flatMap(({ arrivals }) =>
    arrivals.slice(1).map((at, index) => (at - arrivals[index]!) / 1000),
  )
  return {
    /** Milliseconds between two packets that brought new pieces of the reply, all screens together. */
    gaps: Float32Array.from(gaps),
    /** Packets with new pieces, for each screen. */
    frames: Int32Array.from(all.map(({ arrivals }) => arrivals.length)),
    /** From the model's sending a piece to its being on a screen, in ms. */
    latencies: Float32Array.from(all.flatMap((screen) => screen.latencies)),
    /** From the first piece to the last. */
    tookMs: last === 0 ? NaN : (last - first) / 1000,
    screensWithoutEnd: all.filter(({ newest }) => newest !== pieces - 1).length,
  }
}

answerParent(watch)
