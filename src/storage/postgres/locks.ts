import { createHash } from 'node:crypto'
import type { Lock } from '../locks.ts'

export const MIGRATIONS: Lock = 'migrations'

/** Serializes a person's entering and leaving of a room. Only 64 locks: expiring a server takes many. */
export const presenceOf = (room: string, person: string): Lock =>
  `place ${lockNumber(`${room} ${person}`) & 63}`

/** Serializes changes of a work queue. The previous version of the program uses the same lock name. */
export const queueOf = (queue: string): Lock => `line ${queue}`

/** The second number of an advisory lock. Two locks with the same number just wait for each other. */
export const lockNumber = (lock: Lock): number => createHash('sha256').update(lock).digest().readInt32BE()

/** The first number of our advisory locks, "sshw": other programs may use such locks in the same database. */
const OURS = 0x73736877

/** Takes the locks until the transaction ends, always in the same order, so that no transactions deadlock. */
export const lockStatements = (locks: readonly Lock[]): readonly string[] =>
  [...new Set(locks.map(lockNumber))]
    .toSorted((a, b) => a - b)
    .map((number) => `SELECT pg_advisory_xact_lock(${OURS}, ${number})`)
