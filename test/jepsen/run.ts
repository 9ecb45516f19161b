import { setTimeout as pause } from 'node:timers/promises'
import type { Machine } from '../support/faults/machine.ts'
import { createSite, type Site } from '../support/faults/site.ts'
import { withCleanup } from '../support/load/cleanup.ts'
import { raisedLimits } from '../support/load/raised-limits.ts'
import { startModelServer, streams, type ModelServer } from '../support/model-server.ts'
import { acts, ADMIN } from './acts.ts'
import { Client, type World } from './client.ts'
import { adminKey } from './admin-key.ts'
import { end, type Ending } from './end.ts'
import { hurtAll } from './faults.ts'
import { createHistory, type History } from './history.ts'
import { createRandom } from './random.ts'
import { readTruth, type Truth } from './truth.ts'

export interface RunOptions {
  readonly seed: number
  readonly minutes: number
  readonly bus: 'nats' | 'postgres'
}

export interface Played extends Ending {
  /** Servers that ended by themselves, with their last words. */
  readonly deaths: readonly string[]
  readonly history: History
  readonly truth: Truth
}

const CLIENTS = 10
const SERVERS = 3

/** Lets clients do random things while faults happen, heals all, and looks at what is there. `judge` says whether the data go. */
export function play(
  options: RunOptions,
  judge: (played: Played, site: Site) => Promise<boolean>,
): Promise<void> {
  return withCleanup(async (cleanup) => {
    const random = createRandom(String(options.seed))
    const model = await cleanup.add(startModelServer())
    const site = await cleanup.add(
      createSite({ servers: SERVERS, bus: options.bus, config: configFor(model) }),
    )
    model.always(streams(15, 100, (n) => `w${n} `))
    const names = Array.from({ length: CLIENTS }, (_, n) => `c${n}`)
    const history = createHistory()
    const world: World = {
      ...{ history, machines: site.machines, rooms: new Set(['lobby']), victims: names.slice(-2) },
    }
    const clients = names.map((name) => new Client(name, world, random.of(name)))
    const time = AbortSignal.timeout(options.minutes * 60_000)
    const hurting = hurtAll(site, history, random.of('faults'), time)
    const whole = new AbortController()
    const living = clients.map((client) => client.live(acts, whole.signal))
    await hurting
    // Until all leases that could be lost are lost or renewed, life goes on.
    await pause(LEASE_MS)
    whole.abort()
    await Promise.all(living)
    const deaths = site.machines
      .filter(hasEnded)
      .map(({ name, log }) => `${name}: ${log().slice(-LAST_WORDS)}`)
    const ending = await end(clients, world)
    const played = { history, deaths, truth: await lastTruth(site.databaseUrl), ...ending }
    // The visits are judged while they last: those that are open then were there at the end.
    if (await judge(played, site)) site.keep()
    for (const client of clients) await client.connection?.[Symbol.asyncDispose]()
  })
}

/** Models answer those who asked last, and others before them. */
const ANSWERED_MS = 40_000

/** What is stored once all turns have ended, or have had the time to. */
async function lastTruth(url: string): Promise<Truth> {
  const until = performance.now() + ANSWERED_MS
  for (;;) {
    const truth = await readTruth(url)
    if (truth.turns.every(({ ended }) => ended) || performance.now() > until) return truth
    await pause(500)
  }
}

/** So many characters of a server's log. */
const LAST_WORDS = 4_000

const hasEnded = ({ server }: Machine): boolean =>
  server.process.exitCode !== null || server.process.signalCode !== null

/** A dead server is gone by then, in milliseconds. */
export const LEASE_MS = 10_000

const configFor = ({ endpoint }: ModelServer): string => `[server]
access = "open"
admins = ["${adminKey(ADMIN)}"]
${raisedLimits()}
[[models]]
name = "qwen"
backend = "openai-compatible"
model = "m"
endpoint = "${endpoint}"
encoding = "r50k_base"
`
