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
import { parseArgs } from 'node:util'
import { type Cleanup, withCleanup } from '../../support/load/cleanup.ts'
import { lacks, missing } from '../../support/needs.ts'
import { startDrivers } from '../fan-out/drivers.ts'
import { crowdFigures, talkFigures, type CrowdFigures, type TalkFigures } from '../fan-out/figures.ts'
import { report } from '../measure.ts'
import { type Engine, startFleet, type Used } from './fleets.ts'

interface ServersOptions {
  readonly clients: number
  /** Lines a second in all. */
  readonly rate: number
  readonly seconds: number
  readonly speakers: number
  readonly servers: readonly number[]
  readonly engines: readonly string[]
}

/** What one fleet came to. */
interface Measured {
  readonly crowd: CrowdFigures
  readonly talk: TalkFigures
  /** How often a screen showed a line again. */
  readonly repeated: number
  /** Processor time of each for 1,000 deliveries, in ms. */
  readonly used: Used
}

/** What a screen shows when one may type. */
const PROMPT = /> /

/** Measures, prints, and resolves to the exit status. */
export async function runServers(args: readonly string[]): Promise<number> {
  const options = readOptions(args)
  const all: Measured[] = []
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

function fleetsFor({ servers, engines }: ServersOptions): readonly (readonly [Engine, number])[] {
  const shared: readonly Engine[] = lacks('postgres')
    ? []
    : lacks('nats')
      ? ['LISTEN/NOTIFY']
      : ['LISTEN/NOTIFY', 'NATS']
  const all = [
    ['SQLite', 1] as const,
    ...shared.flatMap((engine) => servers.map((count) => [engine, count] as const)),
  ]
  return engines.length === 0 ? all : all.filter(([engine]) => engines.includes(engine))
}

async function measure(
  engine: Engine,
  count: number,
  options: ServersOptions,
  cleanup: Cleanup,
): Promise<Measured> {
  const { clients, rate, seconds } = options
  const fleet = await cleanup.add(startFleet(engine, count))
  const drivers = await cleanup.add(startDrivers(Math.ceil(clients / 500)))
  await drivers.warmUp(fleet.ports, PROMPT)
  const before = await fleet.residentKiB()
  const connected = await drivers.connect(fleet.ports, clients, PROMPT)
  const crowd = crowdFigures(fleet.name, [connected], ((await fleet.residentKiB()) - before) / clients)
  const usedBefore = await fleet.used()
  const heard = await drivers.speak({ speakers: Math.min(options.speakers, clients), rate, seconds })
  const used = usedBetween(usedBefore, await fleet.used())
  const talk = talkFigures({ contender: fleet.name, clients, rate }, [
    { ...heard, serverCpuMs: used.servers },
  ])
  const thousands = (talk.expected - talk.lost) / 1000
  const of = (ms: number): number => ms / thousands
  return {
    crowd,
    talk,
    repeated: heard.screens.reduce((sum, screen) => sum + screen.repeated, 0),
    used: { servers: talk.cpuPer1000, postgres: of(used.postgres), nats: of(used.nats) },
  }
}

const usedBetween = (before: Used, after: Used): Used => ({
  servers: after.servers - before.servers,
  postgres: after.postgres - before.postgres,
  nats: after.nats - before.nats,
})

const HEAD = [
  '',
  'logins/s',
  'p50 ms',
  'p99',
  'lost',
  'of',
  'again',
  'disordered',
  'CPU ms/1,000: servers',
  'PostgreSQL',
  'NATS',
  'drivers busy',
]

const table = (all: readonly Measured[]): readonly (readonly (string | number)[])[] => [
  HEAD,
  ...all.map(({ crowd, talk, repeated, used }) => [
    talk.contender,
    crowd.loginsPerS,
    talk.p50,
    talk.p99,
    `${talk.lost}`,
    `${talk.expected}`,
    `${repeated}`,
    `${talk.disordered}`,
    used.servers,
    used.postgres,
    used.nats,
    talk.driversBusy,
  ]),
]

const text = { type: 'string' } as const

/** Throws with a line for the person when an argument is wrong. */
function readOptions(args: readonly string[]): ServersOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      clients: { ...text, default: '300' },
      rate: { ...text, default: '50' },
      seconds: { ...text, default: '20' },
      speakers: { ...text, default: '60' },
      servers: { ...text, default: '1,2,3' },
      engines: { ...text, default: '' },
    },
  })
  return {
    clients: number('clients', values.clients),
    rate: number('rate', values.rate),
    seconds: number('seconds', values.seconds),
    speakers: number('speakers', values.speakers),
    servers: values.servers.split(',').map((part) => number('servers', part)),
    engines: values.engines.split(',').filter(Boolean),
  }
}

function number(name: string, value: string): number {
  if (!/^[1-9]\d{0,5}$/.test(value)) throw new Error(`--${name} takes whole numbers above 0, not "${value}"`)
  return Number(value)
}
