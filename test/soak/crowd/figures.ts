import { setTimeout as pause } from 'node:timers/promises'
import type { Contender } from '../../bench/fan-out/contenders.ts'
import { childProcesses, openDescriptors } from '../../support/load/process-figures.ts'
import type { InnerFigures, Probe } from '../../support/load/probe.ts'

/** What a server holds while nobody is there. */
export interface Held {
  readonly heapMiB: number
  readonly buffersMiB: number
  readonly descriptors: number
  readonly children: number
  /** Handles, requests and timers by their kind. */
  readonly resources: InnerFigures['resources']
}

const LOOK_EVERY_MS = 1000

/** Measures again and again until two looks agree, or until what is `wanted` is there; the last look after 60 s. */
export async function settled(server: Contender & { readonly probe: Probe }, wanted?: Held): Promise<Held> {
  let last = await look(server)
  for (let looks = 0; looks < 60; looks += 1) {
    await pause(LOOK_EVERY_MS)
    const now = await look(server)
    if (isSame(now, wanted ?? last)) return now
    last = now
  }
  return last
}

const isSame = (one: Held, other: Held): boolean =>
  one.descriptors === other.descriptors &&
  one.children === other.children &&
  JSON.stringify(sorted(one.resources)) === JSON.stringify(sorted(other.resources))

/** Kinds in a stable order. */
export const sorted = (resources: InnerFigures['resources']): [string, number][] =>
  Object.entries(resources).toSorted(([a], [b]) => (a < b ? -1 : 1))

async function look({ pid, probe }: Contender & { readonly probe: Probe }): Promise<Held> {
  const { memory, resources } = await probe.figures()
  return {
    heapMiB: memory.heapUsed / 1024 / 1024,
    buffersMiB: memory.arrayBuffers / 1024 / 1024,
    descriptors: await openDescriptors(pid),
    children: (await childProcesses(pid)).length,
    resources,
  }
}
