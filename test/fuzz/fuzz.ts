import fc from 'fast-check'
import { startArena, type ArenaPlayer } from './arena.ts'
import { fuzzCase, type FuzzCase } from './cases.ts'
import { Trouble } from './trouble.ts'

export interface FuzzOptions {
  /** Case number n is made from `seed + n` alone. */
  readonly seed: number
  readonly seconds: number
  readonly only?: number
}

export interface Finding {
  readonly kind: string
  readonly detail: string
  count: number
  /** The first one that did, and the smallest case that was found to do the same. */
  readonly number: number
  smallest: FuzzCase
}

export interface FuzzReport {
  readonly cases: number
  readonly findings: readonly Finding[]
  /** How long an innocent command took, in ms: sorted. */
  readonly answers: readonly number[]
  readonly largestMiB: number
  readonly slowest: readonly PlayedCase[]
}

export interface PlayedCase {
  readonly number: number
  readonly ms: number
}

const PLAYERS = 4

/** Time to make one failing case smaller, in ms. */
const SHRINK_MS = 20_000

/** How long a client stays after a case; alone, on a server that has just begun, long enough to see what comes of it. */
const SETTLE_MS = 100
const SETTLE_ALONE_MS = 1500

/** So many of the latest cases are tried alone after a server died. */
const SUSPECTS = 3 * PLAYERS

const SLOWEST = 5

const MAX_DEATHS = 5

/** Plays cases against the built server until the time is over; starts it anew when it dies. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const findings = new Map<string, Finding>()
  const answers: number[] = []
  // Counts from the first case: on a busy machine the server alone may take as long to start.
  let overAt: number | undefined
  let next = options.only ?? 0
  let largestMiB = 0
  let slowest: readonly PlayedCase[] = []
  const note = (played: PlayedCase): void => {
    slowest = [...slowest, played].toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST)
  }
  const takeNumber = (): number | undefined => {
    overAt ??= performance.now() + options.seconds * 1000
    return performance.now() < overAt && (options.only ?? next) === next ? next++ : undefined
  }
  const first = next
  for (let deaths = 0; deaths < MAX_DEATHS; deaths += 1) {
    const { watch, latest, death } = await playUntilDeath(takeNumber, options.seed, findings, note)
    answers.push(...watch.answers)
    largestMiB = Math.max(largestMiB, watch.largestMiB())
    if (!death) break
    await blame(death, latest, options.seed, findings)
  }
  return {
    cases: next - first,
    findings: [...findings.values()],
    answers: answers.toSorted((a, b) => a - b),
    largestMiB,
    slowest,
  }
}

async function playUntilDeath(
  takeNumber: () => number | undefined,
  seed: number,
  findings: Map<string, Finding>,
  note: (played: PlayedCase) => void,
) {
  await using arena = await startArena(SETTLE_MS)
  const latest: number[] = []
  const play = async (name: string): Promise<void> => {
    await using player = arena.player(name)
    for (let number = takeNumber(); number !== undefined && !arena.watch.isOver(); number = takeNumber()) {
      if (latest.push(number) > SUSPECTS) latest.shift()
      const startedAt = performance.now()
      await tryCase(player, number, seed, findings)
      note({ number, ms: performance.now() - startedAt })
    }
  }
  const players = Promise.all(Array.from({ length: PLAYERS }, (_, at) => play(`fuzz${at}`)))
  try {
    await Promise.race([players.then(() => arena.watch.lookAgain()), arena.watch.broken])
    return { watch: arena.watch, latest, death: undefined }
  } catch (error) {
    players.catch(() => undefined)
    const death =
      error instanceof Trouble
        ? error
        : new Trouble('the fuzzer itself failed', String((error as Error).stack))
    return {
      watch: arena.watch,
      /** Numbers of the cases that were begun last: what a case does may show a little later. */
      latest,
      /** Why the server is of no more use; undefined if it is. */
      death,
    }
  }
}

/** Plays one case to its end; if it fails in a new way, a smaller one that fails alike is looked for. */
async function tryCase(
  player: Pick<ArenaPlayer, 'play'>,
  number: number,
  seed: number,
  findings: Map<string, Finding>,
): Promise<void> {
  const [first] = fc.sample(fuzzCase, { seed: seed + number, numRuns: 1 })
  const met = first && (await player.play(first))
  if (!met) return
  const known = findings.get(met.kind)
  if (known) return void (known.count += 1)
  const { kind, detail } = met
  const own: Finding = { kind, detail, count: 1, number, smallest: first }
  findings.set(kind, own)
  const property = fc.asyncProperty(fuzzCase, async (candidate) => {
    const trouble = await player.play(candidate)
    if (trouble?.kind !== kind) return
    own.smallest = candidate
    throw trouble
  })
  await fc.check(property, { seed: seed + number, numRuns: 1, interruptAfterTimeLimit: SHRINK_MS })
}

/** Plays the cases that were begun last before a server died, each on a server of its own, to find which did it. */
async function blame(
  death: Trouble,
  latest: readonly number[],
  seed: number,
  findings: Map<string, Finding>,
): Promise<void> {
  const before = findings.size
  for (const number of latest) await tryCase({ play: playAlone }, number, seed, findings)
  if (findings.size > before) return
  const { kind, detail } = death
  const numbers = `while these cases were played: ${latest.join(', ')}`
  const [sample] = fc.sample(fuzzCase, { seed: seed + (latest[0] ?? 0), numRuns: 1 })
  if (sample)
    findings.set(kind, {
      kind,
      detail: `${numbers}\n${detail}`,
      count: 1,
      number: latest[0] ?? 0,
      smallest: sample,
    })
}

async function playAlone(candidate: FuzzCase): Promise<Trouble | undefined> {
  await using arena = await startArena(SETTLE_ALONE_MS)
  await using player = arena.player('fuzz0')
  const lives = async (): Promise<Trouble | undefined> => {
    const trouble = await player.play(candidate)
    await arena.watch.lookAgain()
    return trouble
  }
  return Promise.race([lives(), arena.watch.broken]).catch((error: unknown) => {
    if (error instanceof Trouble) return error
    throw error
  })
}
