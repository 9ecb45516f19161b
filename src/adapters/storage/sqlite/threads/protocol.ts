// The words between the server's thread and a thread that has the database open. Everything is plain data.

import { StorageError } from '../../../../chat/errors.ts'
import type { Migration } from '../../migrations.ts'
import type { Lane } from './lanes.ts'

/** What a thread is started with. */
export interface ThreadData {
  readonly lane: Lane
  readonly file: string
  /** Read by the server: a thread would load fast-glob for it. */
  readonly migrations: readonly Migration[]
  readonly busyMs: number
  /** Milliseconds since the epoch: when a migration was applied. */
  readonly now: number
  /** One 32-bit number, 1 once the server stops: a thread that waits for a lock reads no message. */
  readonly stopping: SharedArrayBuffer
}

/** One call of a store's method. */
export interface StoreCall {
  readonly id: number
  /** Where it is in the stores: `['chat', 'log', 'append']`. */
  readonly path: readonly string[]
  readonly args: readonly unknown[]
}

/** What a call came to. */
export type StoreOutcome =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly trouble: StoreTrouble }

/** To a thread: to open the database, which calls do too; work; or the end. What came before the end is done first. */
export type ToThread =
  | { readonly kind: 'open' | 'close' }
  | { readonly kind: 'calls'; readonly calls: readonly StoreCall[] }

/** From a thread: whether it could open the database, once; then what its calls came to. */
export type FromThread =
  | { readonly kind: 'opened' }
  | { readonly kind: 'failed'; readonly trouble: StoreTrouble }
  | { readonly kind: 'outcomes'; readonly outcomes: readonly StoreOutcome[] }

/** A `StorageError` as plain data. */
export interface StoreTrouble {
  readonly reason: StorageError['reason']
  readonly reading: boolean
  readonly message: string
  /** What SQLite or the system said, for the log. */
  readonly cause: string
}

export const toTrouble = ({ reason, reading, message, cause }: StorageError): StoreTrouble => ({
  reason,
  reading,
  message,
  cause: cause instanceof Error ? (cause.stack ?? cause.message) : '',
})

export const fromTrouble = ({ reason, reading, message, cause }: StoreTrouble): StorageError =>
  new StorageError(reason, message, cause === '' ? { reading } : { reading, cause })
