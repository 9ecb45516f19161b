// The entry of a storage thread. It opens the database with the first message, and runs the calls of its lane
// until it is closed.

import { setImmediate as nextTick } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Stores } from '../storage.ts'
import { createSqliteDatabase, type SqliteDatabase } from './database.ts'
import { openFile } from './driver.ts'
import { toStorageError } from './errors.ts'
import { openDatabase } from './open.ts'
import { createStores } from './stores.ts'
import type {
  MessageFromThread,
  MethodTree,
  SerializedError,
  StoreCall,
  StoreReply,
  ThreadData,
  MessageToThread,
} from './threads.ts'

/** The interval in ms at which new entries are added to the search index. */
const REFRESH_MS = 5_000

const data: ThreadData = workerData
const postReply = createReplyBatcher()
let opened: OpenedDatabase | undefined

parentPort?.on('message', (message: MessageToThread) => {
  if (message.kind === 'close') return void close()
  opened ??= tryToOpen()
  if (opened && message.kind === 'calls')
    for (const call of message.calls) void run(opened.stores, call).then(postReply)
})

interface OpenedDatabase {
  readonly database: SqliteDatabase
  readonly stores: Stores
}

function tryToOpen(): OpenedDatabase | undefined {
  try {
    const running = open(data)
    post({ kind: 'opened', methods: methodsOf(running.stores) })
    return running
  } catch (error) {
    post({ kind: 'failed', error: serialized(error) })
    parentPort?.close()
    return undefined
  }
}

function open({ lane, file, migrations, busyMs, now, stopping }: ThreadData): OpenedDatabase {
  const db =
    lane === 'write'
      ? openDatabase({ file, migrations, busyMs, now: () => now })
      : // A search writes to the index beside the database.
        openFile(file, { readonly: lane === 'read', fileMustExist: true, timeout: busyMs })
  const database = createSqliteDatabase(db, () => Atomics.load(new Int32Array(stopping), 0) === 1)
  const stores = createStores(database)
  // After a crash the write-ahead log still has texts that were deleted before it.
  if (lane === 'write') database.truncateWalSoon()
  // Leaves little to index for a search. If it fails, the next search reports the error.
  if (lane === 'slow')
    setInterval(() => void stores.upkeep.refreshSearch().catch(() => {}), REFRESH_MS).unref()
  return { database, stores }
}

const methodsOf = (part: object): MethodTree =>
  Object.fromEntries(
    Object.entries(part).map(([name, below]) => [name, typeof below === 'function' || methodsOf(below)]),
  )

async function run(stores: Stores, { id, path, args }: StoreCall): Promise<StoreReply> {
  try {
    const method = path.split('.').reduce<unknown>((part, name) => Reflect.get(Object(part), name), stores)
    if (typeof method !== 'function') throw new TypeError(`the stores have no method ${path}`)
    const value: unknown = await Reflect.apply(method, undefined, args)
    return { id, value }
  } catch (error) {
    return { id, error: serialized(error) }
  }
}

async function close(): Promise<void> {
  await opened?.database.close()
  // The replies to the last calls leave before the port closes.
  await nextTick()
  await nextTick()
  parentPort?.close()
}

/** Replies of the same tick, such as those of one commit, go as one message. */
function createReplyBatcher(): (reply: StoreReply) => void {
  let replies: StoreReply[] = []
  return (reply) => {
    if (replies.push(reply) > 1) return
    setImmediate(() => {
      post({ kind: 'replies', replies })
      replies = []
    })
  }
}

function post(message: MessageFromThread): void {
  parentPort?.postMessage(message)
}

function serialized(error: unknown): SerializedError {
  const { reason, reading, message, cause } = toStorageError(error)
  return { reason, reading, message, cause: cause instanceof Error ? (cause.stack ?? cause.message) : '' }
}
