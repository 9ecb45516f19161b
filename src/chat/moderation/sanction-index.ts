import type { RoomName } from '../entry.ts'
import type { Fingerprint, PersonId } from '../people/person.ts'
import { parseNetwork } from '../../lib/network.ts'
import type { Sanction } from './ports.ts'

/** Sanctions by whom they concern: to ask costs the same however many there are. */
export interface SanctionIndex {
  isEmpty(): boolean
  /** In order of time. The list is kept, so asking costs nothing. */
  all(): readonly Sanction[]
  /**
   * Those of any of these people, of the key, and of the address with these bits, which are asked for only if some network
   * is there.
   */
  concerning(
    people: readonly PersonId[],
    key: Fingerprint | undefined,
    bits: () => string | undefined,
  ): readonly Sanction[]
  /** The one that closes a room to all who would speak. */
  archiveOf(room: RoomName): Sanction | undefined
  add(sanction: Sanction): void
  remove(sanction: Sanction): void
  /** This key, and these people, count for a sanction as those that it was given. */
  learn(sanction: Sanction, key: Fingerprint, people: readonly PersonId[]): void
}

const NONE: readonly Sanction[] = []

export function createSanctionIndex(stored: readonly Sanction[]): SanctionIndex {
  /** By `p ID` of a person, `k FINGERPRINT`, `n BITS` of a network, and `r ROOM` that is archived. */
  const marks = new Map<string, Set<Sanction>>()
  /** The lengths of the networks' bits, and how many have each. */
  const lengths = new Map<number, number>()
  let all: readonly Sanction[] = []

  function mark(name: string, sanction: Sanction): void {
    const marked = marks.get(name)
    if (marked) marked.add(sanction)
    else marks.set(name, new Set([sanction]))
  }

  function add(sanction: Sanction): void {
    all = [...all, sanction]
    for (const id of sanction.people) mark(`p ${id}`, sanction)
    for (const key of sanction.keys) mark(`k ${key}`, sanction)
    if (sanction.kind === 'archive') mark(`r ${sanction.room}`, sanction)
    const bits = bitsOf(sanction)
    if (bits === undefined) return
    mark(`n ${bits}`, sanction)
    lengths.set(bits.length, (lengths.get(bits.length) ?? 0) + 1)
  }

  for (const sanction of stored) add(sanction)

  return {
    isEmpty: () => all.length === 0,
    all: () => all,
    archiveOf: (room) => marks.get(`r ${room}`)?.values().next().value,
    add,
    concerning(people, key, bitsOfAddress) {
      if (all.length === 0) return NONE
      const bits = lengths.size > 0 ? bitsOfAddress() : undefined
      const names = [
        ...people.map((id) => `p ${id}`),
        ...(key === undefined ? [] : [`k ${key}`]),
        ...(bits === undefined ? [] : [...lengths.keys()].map((length) => `n ${bits.slice(0, length)}`)),
      ]
      return [...new Set(names.flatMap((name) => [...(marks.get(name) ?? [])]))]
    },
    remove(sanction) {
      all = all.filter((one) => one.id !== sanction.id)
      for (const [name, marked] of marks) {
        for (const one of marked) if (one.id === sanction.id) marked.delete(one)
        if (marked.size === 0) marks.delete(name)
      }
      const length = bitsOf(sanction)?.length
      const left = length === undefined ? 0 : (lengths.get(length) ?? 0) - 1
      if (length !== undefined && left > 0) lengths.set(length, left)
      else if (length !== undefined) lengths.delete(length)
    },
    learn(sanction, key, people) {
      mark(`k ${key}`, sanction)
      for (const id of people) mark(`p ${id}`, sanction)
    },
  }
}

const bitsOf = ({ network }: Sanction): string | undefined =>
  network === null ? undefined : parseNetwork(network)?.bits
