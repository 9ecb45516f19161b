import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Contender } from '../../bench/fan-out/contenders.ts'
import { childProcesses, openDescriptors } from '../../support/load/process-figures.ts'
import type { InnerFigures, Probe } from '../../support/load/probe.ts'

/** What a server holds while nobody is there. */
export interface Held {
  /** The whole heap. It grows for a while by itself: V8 compiles what is run often. */
  readonly heapMiB: number
  /** The heap without compiled code: objects, arrays, strings, functions and their shapes. */
  readonly dataMiB: number
  readonly buffersMiB: number
  readonly descriptors: Readonly<Record<string, number>>
  readonly children: number
  /** Handles, requests and timers by their kind. */
  readonly resources: InnerFigures['resources']
}

type Figures = Omit<Held, 'dataMiB'>
type ProbedServer = Contender & { readonly probe: Probe }

const LOOK_EVERY_MS = 1000
/** Longer than what a session puts off when it ends: what was typed is stored after five seconds, and held until then. */
const PUT_OFF_MS = 6000

/** Kinds of nodes in a heap snapshot: compiled code and what belongs to it, and what is outside the heap. */
const NOT_DATA: ReadonlySet<string> = new Set(['code', 'hidden', 'native', 'synthetic'])

interface Snapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[]
      readonly node_types: readonly [readonly string[]]
    }
  }
  /** The fields of one node after the other. */
  readonly nodes: readonly number[]
}

/** Measures again and again until two looks agree, or until what is `wanted` is there; the last look after 60 s. */
export async function settled(server: ProbedServer, snapshotFile: string, wanted?: Held): Promise<Held> {
  await pause(PUT_OFF_MS)
  const held = await settledFigures(server, wanted)
  await server.probe.writeHeap(snapshotFile)
  const { snapshot, nodes } = JSON.parse(await readFile(snapshotFile, 'utf8')) as Snapshot
  return { ...held, dataMiB: dataBytes(snapshot.meta, nodes) / 1024 / 1024 }
}

function dataBytes(
  { node_fields: fields, node_types: [types] }: Snapshot['snapshot']['meta'],
  nodes: readonly number[],
): number {
  const [type, size] = [fields.indexOf('type'), fields.indexOf('self_size')]
  let bytes = 0
  for (let node = 0; node < nodes.length; node += fields.length)
    if (!NOT_DATA.has(types[nodes[node + type] ?? -1] ?? '')) bytes += nodes[node + size] ?? 0
  return bytes
}

async function settledFigures(server: ProbedServer, wanted?: Held): Promise<Figures> {
  let last = await look(server)
  for (let looks = 0; looks < 60; looks += 1) {
    await pause(LOOK_EVERY_MS)
    const now = await look(server)
    if (isSame(now, wanted ?? last)) return now
    last = now
  }
  return last
}

const isSame = (one: Figures, other: Figures): boolean =>
  isDeepStrictEqual(one.descriptors, other.descriptors) &&
  one.children === other.children &&
  JSON.stringify(sorted(one.resources)) === JSON.stringify(sorted(other.resources))

export const sorted = (resources: InnerFigures['resources']): [string, number][] =>
  Object.entries(resources).toSorted(([a], [b]) => (a < b ? -1 : 1))

async function look({ pid, probe }: ProbedServer): Promise<Figures> {
  const { memory, resources } = await probe.figures()
  return {
    heapMiB: memory.heapUsed / 1024 / 1024,
    buffersMiB: memory.arrayBuffers / 1024 / 1024,
    descriptors: await openDescriptors(pid),
    children: (await childProcesses(pid)).length,
    resources,
  }
}
