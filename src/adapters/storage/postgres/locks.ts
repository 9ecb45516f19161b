import { createHash } from 'node:crypto'
import { raw, type Sql } from './sql.ts'

/**
 * What a transaction has alone until its end, on all servers: PostgreSQL's advisory locks. Each stands for a rule that more than one
 * row decides, so that no row or unique index can keep it. Two that share a number only wait for each other.
 */
export interface Lock {
  readonly number: number
}

/** Of the order of a room's log, and of what waits to be summed up there. */
export const logOf = (room: string): Lock => lock('log', room)

/** Of everything that decides who has which name, and who is the first admin. */
export const NAMES: Lock = lockNamed('names')

/** Of the long results of all rooms, which have a size together. */
export const RESULTS: Lock = lockNamed('results')

/** Of the messages that wait for somebody, which have a number together. */
export const WAITING_MESSAGES: Lock = lockNamed('waiting messages')

/** Of the schema. */
export const MIGRATIONS: Lock = lockNamed('migrations')

/** Of what one person has: keys, codes, tokens. */
export const belongingsOf = (person: string): Lock => lock('person', person)

/** Of somebody's coming into a room and going. They share few locks, so that a server that died needs no more than those. */
export const presenceOf = (room: string, person: string): Lock =>
  lock('place', String(lock(room, person).number & 63))

/** Of what a room's versions are numbered by: scripts, summaries, permissions, questions. */
export const numbersOf = (room: string): Lock => lock('numbers', room)

/** Of who runs and who waits in a queue of work. Servers of the version before have the same lock, by this word. */
export const queueOf = (queue: string): Lock => lock('line', queue)

/** Of the requests of one turn. */
export const stepsOf = (turn: string): Lock => lock('turn', turn)

const lock = (kind: string, of: string): Lock => lockNamed(`${kind} ${of}`)

function lockNamed(name: string): Lock {
  return { number: createHash('sha256').update(name).digest().readInt32BE() }
}

/** Other programs may use such locks in the same database: "sshw". */
const OURS = 0x73736877

/** Takes them in one order everywhere, so that no two transactions wait for each other. */
export function taken(locks: readonly Lock[]): Sql {
  const numbers = [...new Set(locks.map(({ number }) => number))].toSorted((a, b) => a - b)
  return raw(numbers.map((number) => `SELECT pg_advisory_xact_lock(${OURS}, ${number})`).join('; '))
}
