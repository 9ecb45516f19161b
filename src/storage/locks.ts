// Locks of writes on PostgreSQL, where several servers write at once. Each guards a rule about several rows,
// which no row lock and no unique index can enforce. SQLite has one writer and needs no locks.

/** The name that gives a lock its number. It never changes: servers of two versions share a database. */
export type Lock = string

/** Serializes appends to a room's log. */
export const roomLog = (room: string): Lock => `log ${room}`

/** Guards who has which name, and who is the first admin. */
export const NAMES: Lock = 'names'

/** Serializes inserts of long results, whose total size is limited. */
export const RESULTS: Lock = 'results'

/** Serializes inserts of direct messages, whose total on the server is limited. */
export const WAITING_MESSAGES: Lock = 'waiting messages'

/** Guards the limits of a person's keys, codes and tokens, and the numbers of their memories. */
export const personOf = (person: string): Lock => `person ${person}`

/** Guards numbers that count up in a room: of versions, memories, permissions and questions. */
export const numbersOf = (room: string): Lock => `numbers ${room}`

/** Guards the parts of requests, which turns share. */
export const REQUESTS: Lock = 'requests'
