import type { Entry, EntryId } from '../../../chat/entry.ts'
import type { Appended } from '../../../chat/appended.ts'
import type { EntryLog } from '../../../chat/ports.ts'
import { createDeferred, type Deferred } from '../../../lib/deferred.ts'
import { inTimeOrder, toEntry } from '../rows/entry-row.ts'
import { appendAll } from './append.ts'
import type { Connections } from './connection.ts'
import { sizesOf, rowsOf } from './entry-query.ts'
import { concernsOneChange } from './errors.ts'
import { createHeldPresence } from './held-presence.ts'
import type { WriteQueue } from './write-queue.ts'
import { roomLog } from '../locks.ts'
import { createLogStats } from './search/log-stats.ts'
import { createEntrySearch } from './search.ts'
import { sql } from './sql.ts'

/** The rooms' logs in the table `entries`. */
export function createEntryLog(connection: Connections): EntryLog {
  const { read } = connection
  const writeQueue = connection.writeQueue()
  const { append, endBatch } = createAppender(connection, writeQueue)
  return {
    append,
    read: async (room, query) =>
      inTimeOrder([...(await rowsOf(read, { ...query, room }))].map(toEntry), query),
    sizes: async (room, query) => inTimeOrder([...(await sizesOf(read, { ...query, room }))], query),
    lastId: async () =>
      (await read.get<{ id: EntryId }>(sql`SELECT id FROM entries ORDER BY id DESC LIMIT 1`))?.id,
    search: createEntrySearch(connection),
    ...createLogStats(connection),
    ...createHeldPresence(writeQueue, endBatch),
  }
}

/** So many entries at most go in one transaction. */
const MAX_BATCH = 500

interface Waiting extends Deferred<Appended> {
  readonly entry: Entry
}

interface Appender {
  append(entry: Entry): Promise<Appended>
  /** What is appended from now on comes after what the write queue has got. */
  endBatch(): void
}

/** Entries that wait for the transaction before them go together in the next one: one commit for all of them. */
function createAppender({ transaction }: Connections, writeQueue: WriteQueue): Appender {
  let batch: Waiting[] | undefined

  const store = (entries: readonly Entry[]): Promise<readonly Appended[]> =>
    transaction(
      (tx) => appendAll(tx, entries),
      entries.map(({ room }) => roomLog(room)),
    )

  async function storeBatch(waiting: readonly Waiting[]): Promise<void> {
    try {
      const appended = await store(waiting.map(({ entry }) => entry))
      for (const [at, place] of appended.entries()) waiting[at]?.resolve(place)
    } catch (error) {
      if (waiting.length > 1 && concernsOneChange(error)) await storeEach(waiting)
      else for (const one of waiting) one.reject(error)
    }
  }

  /** One of them cannot be stored: the others must not suffer for it. */
  async function storeEach(waiting: readonly Waiting[]): Promise<void> {
    for (const one of waiting) await storeBatch([one])
  }

  function begin(): Waiting[] {
    const begun: Waiting[] = []
    void writeQueue.serially(() => {
      if (batch === begun) batch = undefined
      return storeBatch(begun)
    })
    return begun
  }

  return {
    append(entry) {
      if (batch === undefined || batch.length >= MAX_BATCH) batch = begin()
      const waiting = { entry: structuredClone(entry), ...createDeferred<Appended>() }
      batch.push(waiting)
      return waiting.promise
    },
    endBatch: () => (batch = undefined),
  }
}
