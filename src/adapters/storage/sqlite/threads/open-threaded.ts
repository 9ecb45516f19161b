// Storage whose work is done in threads, one a lane, each with a connection of its own to the same file (WAL: readers
// and the writer do not wait for each other). The stores are those of the folder above: here their calls are only carried.
// This folder must not know SQL, nor what a store means.

import { readMigrations } from '../../migrations.ts'
import { hasLog, lockFile } from '../file.ts'
import type { SqliteOptions } from '../open.ts'
import type { Storage, Stores } from '../../storage.ts'
import { type Lane, LANES } from './lanes.ts'
import { createStorageThread, type StorageThread } from './storage-thread.ts'

/** The thread for slow work is started when a server has the most of its start behind it, or with the first search. */
const SLOW_WORK_STARTS_MS = 3_000

const DAMAGED =
  'the database is damaged: what is said may be lost; stop the server, and put a backup in its place with sshawl restore FILE'

/**
 * Storage in one SQLite file, which this process alone holds until the storage is disposed of. Rejects with
 * `StorageError`.
 */
export async function openThreaded(
  { file, migrationsDir, clock, log, busyMs = 2000, stopping: signal }: SqliteOptions,
  entry: string,
): Promise<Storage> {
  const migrations = readMigrations(migrationsDir)
  const locked = lockFile(file)
  const wasLeftOpen = hasLog(file)
  const stopping = new SharedArrayBuffer(4)
  signal?.addEventListener('abort', () => void Atomics.store(new Int32Array(stopping), 0, 1))
  const data = { file, migrations, busyMs, now: clock.now(), stopping }
  const threadFor = (lane: Lane): StorageThread => createStorageThread(entry, { ...data, lane }, log)
  const threads = { write: threadFor('write'), read: threadFor('read'), slow: threadFor('slow') }

  async function close(): Promise<void> {
    // The writer is the last to go: whoever closes last folds the write-ahead log into the database.
    await Promise.all([threads.read[Symbol.asyncDispose](), threads.slow[Symbol.asyncDispose]()])
    await threads.write[Symbol.asyncDispose]()
    locked[Symbol.dispose]()
  }

  try {
    threads.read.start()
    await threads.write.open()
    log.info({ file }, 'database opened')
    const stores = remoteStores(threads)
    setTimeout(() => void doSlowWork(), SLOW_WORK_STARTS_MS).unref()
    return { ...stores, [Symbol.asyncDispose]: close }

    /** Brings the search index up to date, and looks through a database that nobody closed. */
    async function doSlowWork(): Promise<void> {
      try {
        const damage = wasLeftOpen ? await stores.upkeep.damage() : await threads.slow.open()
        if (damage) log.error({ file, damage }, DAMAGED)
      } catch (error) {
        log.debug({ error }, 'the slow storage thread was not started')
      }
    }
  } catch (error) {
    await close()
    throw error
  }
}

interface LaneTree {
  readonly [name: string]: Lane | LaneTree
}

/** The stores, each method a call to the thread of its lane. */
function remoteStores(threads: Readonly<Record<Lane, StorageThread>>): Stores {
  const remote = (lanes: LaneTree, path: readonly string[]): unknown =>
    Object.fromEntries(
      Object.entries(lanes).map(([name, lane]) => [
        name,
        typeof lane === 'string' ? method(lane, [...path, name]) : remote(lane, [...path, name]),
      ]),
    )
  const method =
    (lane: Lane, path: readonly string[]) =>
    (...args: readonly unknown[]) =>
      threads[lane].call({ path, args })
  // LANES has exactly the methods of `Stores`; that each gives what it should is seen to at the other end.
  return remote(LANES, []) as Stores
}
