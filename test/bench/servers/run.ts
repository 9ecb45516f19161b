/**
 * servers/: one room on one, two and three servers. Is every line everywhere, once, in one order, and what does each server more cost?
 *
 *     npm run bench -- servers                                    # 300 people, 50 lines a second, for 20 s each: ten minutes
 *     npm run bench -- servers --clients 30 --seconds 3           # small
 *     npm run bench -- servers --servers 1,3 --engines NATS
 *
 * One after another: a server with SQLite, then one, two and three on PostgreSQL alone (LISTEN/NOTIFY), and the same with NATS.
 * The people are spread over the servers; speakers, lines and figures are those of `fan-out`. PostgreSQL does not wait for a disk
 * here (fsync is off), SQLite does. On a machine with few processors look at the processor time of a delivery: servers that share
 * processors deliver no more for being many. It exits 1 if a line is lost, doubled or out of order, or somebody thrown out.
 */
import { type Cleanup, withCleanup } from '../../support/load/cleanup.ts'
import { lacks, missing } from '../../support/needs.ts'
import { startDrivers } from '../fan-out/drivers.ts'
import { crowdFigures, talkFigures } from '../fan-out/figures.ts'
import { report, tableOf } from '../measure.ts'
import { readOptions } from '../options.ts'
import { type Engine, startFleet } from './fleets.ts'

/** `rate`: lines a second in all. `engines`: their names, with commas between them; empty: all. */
const DEFAULTS = { clients: 300, rate: 50, seconds: 20, speakers: 60, servers: [1, 2, 3], engines: '' }

/** What a screen shows when one may type. */
const PROMPT = /> /

/** Measures, prints, and resolves to the exit status. */
export async function runServers(args: readonly string[]): Promise<number> {
  const options = readOptions(args, DEFAULTS)
  const all = []
  for (const [engine, count] of fleetsFor(options))
    all.push(await withCleanup((cleanup) => measure(engine, count, options, cleanup)))
  report(`${options.clients} people in one room, ${options.rate} lines a second`, table(all))
  const isRight = all.every(({ talk, repeated }) => talk.lost + talk.disordered + talk.gone + repeated === 0)
  console.log(
    `${isRight ? 'met' : 'MISSED'}: every line on every screen, once, in one order; nobody thrown out`,
  )
  if (missing.length > 0) console.log(missing.join('\n'))
  return isRight ? 0 : 1
}

function fleetsFor({ servers, engines }: typeof DEFAULTS): readonly (readonly [Engine, number])[] {
  const shared: readonly Engine[] = lacks('nats') ? ['LISTEN/NOTIFY'] : ['LISTEN/NOTIFY', 'NATS']
  const all = [
    ['SQLite', 1] as const,
    ...(lacks('postgres') ? [] : shared).flatMap((engine) =>
      servers.map((count) => [engine, count] as const),
    ),
  ]
  return engines === '' ? all : all.filter(([engine]) => engines.split(',').includes(engine))
}

async function measure(engine: Engine, count: number, options: typeof DEFAULTS, cleanup: Cleanup) {
  const { clients, rate, seconds } = options
  const fleet = await startFleet(engine, count, cleanup)
  const drivers = await cleanup.add(startDrivers(Math.ceil(clients / 500)))
  await drivers.warmUp(fleet.ports, PROMPT)
  const memory = await fleet.residentKiB()
  const connected = await drivers.connect(fleet.ports, clients, PROMPT)
  const crowd = crowdFigures(fleet.name, [connected], ((await fleet.residentKiB()) - memory) / clients)
  const before = await fleet.used()
  const heard = await drivers.speak({ speakers: Math.min(options.speakers, clients), rate, seconds })
  const after = await fleet.used()
  const round = { ...heard, serverCpuMs: after.servers - before.servers }
  const talk = talkFigures({ contender: fleet.name, clients, rate }, [round])
  const thousands = (talk.expected - talk.lost) / 1000
  return {
    crowd,
    talk,
    /** How often a screen showed a line again. */
    repeated: heard.screens.reduce((sum, screen) => sum + screen.repeated, 0),
    /** Processor time for 1,000 deliveries, in ms. */
    postgres: (after.postgres - before.postgres) / thousands,
    nats: (after.nats - before.nats) / thousands,
  }
}

const table = (all: readonly Awaited<ReturnType<typeof measure>>[]) =>
  tableOf(
    all.map(({ crowd, talk, repeated, postgres, nats }) => ({
      '': talk.contender,
      'logins/s': crowd.loginsPerS,
      'p50 ms': talk.p50,
      p99: talk.p99,
      lost: `${talk.lost}`,
      of: `${talk.expected}`,
      again: `${repeated}`,
      disordered: `${talk.disordered}`,
      'CPU ms/1,000: servers': talk.cpuPer1000,
      PostgreSQL: postgres,
      NATS: nats,
      'drivers busy': talk.driversBusy,
    })),
  )
