// What a write may lock on PostgreSQL, where several servers store at once. Each lock guards a rule that more
// than one row decides, so that no row and no unique index can keep it. SQLite has one writer and needs none.

/**
 * The words that a lock is numbered by. They never change: servers of two versions share a database in an
 * upgrade.
 */
export type Lock = string

/** The order of a room's log. */
export const roomLog = (room: string): Lock => `log ${room}`

/** Everything that decides who has which name, and who is the first admin. */
export const NAMES: Lock = 'names'

/** The size of all long results together. */
export const RESULTS: Lock = 'results'

/** The number of all messages that wait for somebody. */
export const WAITING_MESSAGES: Lock = 'waiting messages'

/** The keys, codes and tokens of one person. */
export const personOf = (person: string): Lock => `person ${person}`

/** The numbers that a room gives: versions of scripts, instructions and summaries, permissions, questions. */
export const numbersOf = (room: string): Lock => `numbers ${room}`

/** The parts of requests, which turns share. */
export const REQUESTS: Lock = 'requests'
