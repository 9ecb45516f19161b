import { setTimeout as pause } from 'node:timers/promises'
import type { Passage } from '../support/faults/gate.ts'
import type { Machine } from '../support/faults/machine.ts'
import type { Site } from '../support/faults/site.ts'
import type { Fault, History } from './history.ts'
import type { Random } from './random.ts'

interface Hurting {
  readonly name: string
  readonly machine?: Machine
  readonly hurts: boolean
  readonly forMs: number
  begin(): Promise<void>
  end(): Promise<void>
}

/** Longer than a lease (8 s), so that other servers consider the frozen server dead. */
const FROZEN_MS = [9_000, 12_000] as const
const DEAD_MS = [500, 11_000] as const
const CUT_MS = [5_000, 20_000] as const
const ENGINE_DOWN_MS = [200, 4_000] as const

/** The pause between two faults, in ms. */
const REST_MS = [500, 3_000] as const

const HOUR_MS = 3_600_000

/** Begins and ends one fault after another until the signal. No kind is repeated before all were used. */
export async function hurtAll(
  site: Site,
  history: History,
  random: Random,
  isOver: AbortSignal,
): Promise<void> {
  while (!isOver.aborted)
    for (const kind of random.shuffled(kindsFor(site))) {
      if (isOver.aborted) return
      await hurt(kind(site, random), history)
      await pause(random.between(...REST_MS))
    }
}

async function hurt({ name, machine, hurts, forMs, begin, end }: Hurting, history: History): Promise<void> {
  const fault: Fault = { name, machine: machine?.name, hurts, begunAt: history.now(), endedAt: undefined }
  history.faults.push(fault)
  await begin()
  await pause(forMs)
  await end()
  fault.endedAt = history.now()
}

type Kind = (site: Site, random: Random) => Hurting

const kindsFor = ({ nats }: Site): readonly Kind[] => [
  kill,
  drain,
  freeze,
  restartDatabase,
  (site, random) => cut(site, random, 'PostgreSQL'),
  ...(nats ? [killNats, (site: Site, random: Random) => cut(site, random, 'NATS')] : []),
]

const kill: Kind = (site, random) => end(site, random, 'SIGKILL', random.between(...DEAD_MS))
const drain: Kind = (site, random) => end(site, random, 'SIGTERM', 0)

/** The restarted server may have a clock that is wrong by an hour, until its next start. */
function end({ machines }: Site, random: Random, name: 'SIGKILL' | 'SIGTERM', forMs: number): Hurting {
  const machine = random.pick(machines)
  const offMs = random.pick([0, -HOUR_MS, HOUR_MS])
  return {
    ...{ name, machine, hurts: true, forMs },
    begin: async () => void (await machine.server.stop(name)),
    end: () => machine.start(offMs),
  }
}

function freeze({ machines }: Site, random: Random): Hurting {
  const machine = random.pick(machines)
  const { process } = machine.server
  return {
    ...{ name: 'SIGSTOP', machine, hurts: true, forMs: random.between(...FROZEN_MS) },
    begin: async () => void process.kill('SIGSTOP'),
    end: async () => void process.kill('SIGCONT'),
  }
}

function restartDatabase(site: Site, random: Random): Hurting {
  const how = random.pick(['fast', 'immediate'] as const)
  return {
    ...{ name: `PostgreSQL stopped (${how})`, hurts: true, forMs: random.between(...ENGINE_DOWN_MS) },
    begin: () => site.stopDatabase(how),
    end: () => site.startDatabase(),
  }
}

function killNats({ nats }: Site, random: Random): Hurting {
  return {
    ...{ name: 'NATS killed', hurts: false, forMs: random.between(...ENGINE_DOWN_MS) },
    begin: async () => await nats?.kill(),
    end: async () => await nats?.startAgain(),
  }
}

function cut({ machines }: Site, random: Random, engine: 'PostgreSQL' | 'NATS'): Hurting {
  const machine = random.pick(machines)
  const passage = random.pick(CUTS)
  const hurts = engine === 'PostgreSQL'
  const gate = hurts ? machine.toDatabase : machine.toNats
  return {
    ...{ name: `cut from ${engine} (${passage})`, machine, hurts, forMs: random.between(...CUT_MS) },
    begin: async () => gate?.set(passage),
    end: async () => gate?.set('open'),
  }
}

const CUTS: readonly Passage[] = ['shut', 'only-in', 'only-out']
