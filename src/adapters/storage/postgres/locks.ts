import { createHash } from 'node:crypto'
import type { Lock } from '../locks.ts'

export const MIGRATIONS: Lock = 'migrations'

/**
 * A person's entering and leaving of a room. All people share 64 locks, so that a server that expires another
 * one needs no more than those.
 */
export const presenceOf = (room: string, person: string): Lock =>
  `place ${lockNumber(`${room} ${person}`) & 63}`

/** The order of a queue of work. The version before uses the same word. */
export const queueOf = (queue: string): Lock => `line ${queue}`

/** The second number of an advisory lock. Two locks with the same number just wait for each other. */
export const lockNumber = (lock: Lock): number => createHash('sha256').update(lock).digest().readInt32BE()

/** Their first number, since other programs may use such locks in the same database: "sshw". */
const OURS = 0x73736877

/**
 * Statements that take the locks until the transaction ends, in one order everywhere, so that none deadlock.
 */
export const lockStatements = (locks: readonly Lock[]): readonly string[] =>
  [...new Set(locks.map(lockNumber))]
    .toSorted((a, b) => a - b)
    .map((number) => `SELECT pg_advisory_xact_lock(${OURS}, ${number})`)
