/**
 * fan-out/: a line from one of many clients to the screens of all. How long does it take, and what does it cost?
 *
 *     npm run bench -- fan-out                                            # all sizes and rates; takes half an hour
 *     npm run bench -- fan-out --clients 100 --rate 20 --seconds 10       # one of each
 *     npm run bench -- fan-out --clients 100,500 --rate 20,50 --rounds 3 --speakers 60 --drivers 2
 *     npm run bench -- fan-out --clients 200 --rate 20 --profile /tmp/p   # also writes /tmp/p-200.cpuprofile
 *     npm run bench -- fan-out --clients 300 --rate 50 --as-started       # what the first seconds of a server are like
 *     SSH_CHAT_BIN=/path/to/ssh-chat npm run bench -- fan-out             # beside ssh-chat, too
 *
 * At each size the same number of ssh2 clients with terminals log in to the built server (dist/) and to a bare ssh2
 * room, each server in a process of its own, each with load drivers of its own. They come and speak in turns: first in one
 * server, then in the other, and again, so that a busy machine is busy for both. It exits 1 if a wanted figure is missed.
 *
 * A line is a marker that says when it was sent; a driver looks for it in the bytes of every screen but its speaker's,
 * who sees it while it is typed. This folder must not know how a server draws.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Cleanup, withCleanup } from '../../support/load/cleanup.ts'
import { cpuMs, residentKiB } from '../../support/load/process-figures.ts'
import { readOptions } from '../options.ts'
import { contenderNames, startContender, type Contender } from './contenders.ts'
import { startDrivers, type Drivers } from './drivers.ts'
import type { Connected } from './driver.ts'
import {
  crowdFigures,
  talkFigures,
  type CrowdFigures,
  type MeasuredRound,
  type TalkFigures,
} from './figures.ts'
import { judge, reportMeasured, verdicts, type Measured } from './verdicts.ts'

const DEFAULTS = {
  /** How many clients there are, one size after another. */
  clients: [10, 100, 200, 500, 1000],
  /** Lines a second in all. */
  rate: [20, 50],
  /** Of talk, at each size and rate, for each contender and round. */
  seconds: 10,
  /** How often each stretch of talk is repeated, contenders in turn. */
  rounds: 2,
  speakers: 60,
  /** Driver processes for each contender; 0: one for every 500 clients. */
  drivers: 0,
  /** `npm start`, a new data directory, and all that is measured counts from its first login. */
  'as-started': false,
  /** Where a profile of sshawl's processor time is written, a file a size; empty: none is made. */
  profile: '',
}

type FanOutOptions = typeof DEFAULTS

/** Measures, prints, and resolves to the exit status. */
export async function runFanOut(args: readonly string[]): Promise<number> {
  const options = readOptions(args, DEFAULTS)
  const crowds: CrowdFigures[] = []
  const talks: TalkFigures[] = []
  for (const clients of options.clients) {
    const measured = options['as-started']
      ? await measureStarts(clients, options)
      : await withCleanup((cleanup) => measureSize(clients, options, cleanup))
    crowds.push(...measured.crowds)
    talks.push(...measured.talks)
    reportMeasured(clients, measured)
  }
  return judge('fan-out: what is wanted', verdicts({ crowds, talks }))
}

interface Crowd {
  readonly contender: Contender
  readonly drivers: Drivers
}

async function measureSize(clients: number, options: FanOutOptions, cleanup: Cleanup): Promise<Measured> {
  const crowds: Crowd[] = []
  for (const name of contenderNames(process.env)) {
    const contender = await cleanup.add(startContender(name, false))
    const drivers = await cleanup.add(startDrivers(options.drivers || Math.ceil(clients / 500)))
    crowds.push({ contender, drivers })
  }
  const arrivals = await arrive(crowds, clients)
  const talks: TalkFigures[] = []
  for (const rate of options.rate) talks.push(...(await talk(crowds, clients, rate, options)))
  if (options.profile) await profile(crowds, clients, options, `${options.profile}-${clients}.cpuprofile`)
  return { crowds: arrivals, talks }
}

/**
 * Each contender starts anew for each rate, has its clients come in, and is spoken in at once. Only the drivers are
 * warm, which have come into another room before; one client comes in earlier, so that all threads run.
 */
async function measureStarts(clients: number, options: FanOutOptions): Promise<Measured> {
  const crowds: CrowdFigures[] = []
  const talks: TalkFigures[] = []
  for (const rate of options.rate)
    for (const name of contenderNames(process.env))
      await withCleanup(async (cleanup) => {
        const drivers = await cleanup.add(startDrivers(options.drivers || Math.ceil(clients / 500)))
        await withCleanup(async (before) => {
          const bare = await before.add(startContender('bare', false))
          await drivers.warmUp([bare.port], bare.prompt)
        })
        const contender = await cleanup.add(startContender(name, true))
        const { pid, port, prompt } = contender
        await drivers.connect([port], 1, prompt)
        await pause(WHOLLY_STARTED_MS)
        const memory = await settledMemory(pid)
        const arrived = await drivers.connect([port], clients, prompt)
        talks.push(...(await talk([{ contender, drivers }], clients, rate, options)))
        const grown = ((await settledMemory(pid)) - memory) / clients
        crowds.push(crowdFigures(name, [arrived], grown))
      })
  return { crowds, talks }
}

/** sshawl starts a storage thread with the first person and one three seconds later: that memory is no connection's. */
const WHOLLY_STARTED_MS = 4_000

/** A crowd comes in so many parts, where each has clients enough that eight of them log in at once. */
const ARRIVAL_PARTS = 5
const SMALLEST_PART = 25

/** Each contender's logins, in turns. */
async function arrive(crowds: readonly Crowd[], clients: number): Promise<CrowdFigures[]> {
  for (const { contender, drivers } of crowds) await drivers.warmUp([contender.port], contender.prompt)
  await pause(WHOLLY_STARTED_MS)
  const memory = (): Promise<number[]> =>
    Promise.all(crowds.map(({ contender }) => settledMemory(contender.pid)))
  const before = await memory()
  const arrived = crowds.map((): Connected[] => [])
  for (const part of partsOf(clients))
    for (const [at, { contender, drivers }] of crowds.entries())
      arrived[at]?.push(await drivers.connect([contender.port], part, contender.prompt))
  const after = await memory()
  return crowds.map(({ contender }, at) =>
    crowdFigures(contender.name, arrived[at] ?? [], ((after[at] ?? NaN) - (before[at] ?? NaN)) / clients),
  )
}

function partsOf(clients: number): number[] {
  const parts = Math.max(1, Math.min(ARRIVAL_PARTS, Math.floor(clients / SMALLEST_PART)))
  const upTo = (part: number): number => Math.round((clients * part) / parts)
  return Array.from({ length: parts }, (_, part) => upTo(part + 1) - upTo(part))
}

/** Resident KiB once it stays within one percent for a second, at the latest after ten. */
async function settledMemory(pid: number): Promise<number> {
  let last = await residentKiB(pid)
  for (let seconds = 0; seconds < 10; seconds += 1) {
    await pause(1000)
    const now = await residentKiB(pid)
    if (Math.abs(now - last) < last / 100) return now
    last = now
  }
  return last
}

/** Each contender's stretch of talk, in turns. */
async function talk(
  crowds: readonly Crowd[],
  clients: number,
  rate: number,
  { rounds, seconds, speakers }: FanOutOptions,
): Promise<TalkFigures[]> {
  const measured = new Map<string, MeasuredRound[]>(crowds.map(({ contender }) => [contender.name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const { contender, drivers } of crowds) {
      const cpuBefore = await cpuMs(contender.pid)
      const heard = await drivers.speak({ speakers: Math.min(speakers, clients), rate, seconds })
      measured.get(contender.name)?.push({ ...heard, serverCpuMs: (await cpuMs(contender.pid)) - cpuBefore })
    }
  }
  return Array.from(measured, ([contender, all]) => talkFigures({ contender, clients, rate }, all))
}

/** One more stretch of talk, outside of the figures: watching costs time. */
async function profile(
  crowds: readonly Crowd[],
  clients: number,
  { rate: rates, seconds, speakers }: FanOutOptions,
  file: string,
): Promise<void> {
  for (const { contender, drivers } of crowds) {
    await contender.probe?.startProfile()
    if (contender.probe)
      await drivers.speak({ speakers: Math.min(speakers, clients), rate: rates[0]!, seconds })
    await contender.probe?.stopProfile(file)
  }
}
