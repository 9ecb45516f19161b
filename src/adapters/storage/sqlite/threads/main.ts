// The entry of a storage thread: opens the database for its lane and does what it is told until it is told to close.

import { setImmediate as nextTick } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type Connection, createConnection } from '../connection.ts'
import { openFile } from '../driver.ts'
import { toStorageError } from '../errors.ts'
import { openDatabase } from '../open.ts'
import { createStores } from '../stores.ts'
import type { Stores } from '../../storage.ts'
import {
  type StoreCall,
  type FromThread,
  type StoreOutcome,
  type ThreadData,
  type ToThread,
  toTrouble,
} from './protocol.ts'

/** How often the search index takes in what was appended. */
const REFRESH_MS = 5_000

const say = (message: FromThread): void => parentPort?.postMessage(message)

const data: ThreadData = workerData
const tell = createTeller()
let database: Opened | undefined

// It is loaded while others start, and opens the database when it is first told something.
parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'close') return void end()
  const opened = (database ??= tryToOpen())
  if (opened && message.kind === 'calls')
    for (const call of message.calls) void run(opened.stores, call).then(tell)
})

interface Opened {
  readonly connection: Connection
  readonly stores: Stores
}

function tryToOpen(): Opened | undefined {
  try {
    const opened = open(data)
    say({ kind: 'opened' })
    return opened
  } catch (error) {
    say({ kind: 'failed', trouble: toTrouble(toStorageError(error)) })
    parentPort?.close()
    return undefined
  }
}

function open({ lane, file, migrations, busyMs, now, stopping }: ThreadData): Opened {
  const db =
    lane === 'write'
      ? openDatabase({ file, migrations, busyMs, now: () => now })
      : // A search writes to the index beside the database.
        openFile(file, { readonly: lane === 'read', fileMustExist: true, timeout: busyMs })
  const connection = createConnection(db, () => Atomics.load(new Int32Array(stopping), 0) === 1)
  const stores = createStores(connection)
  // After a crash the log has what was deleted before it.
  if (lane === 'write') connection.emptyLogSoon()
  // Searches find little left to do. A failure shows with the next search.
  if (lane === 'slow')
    setInterval(() => void stores.upkeep.refreshSearch().catch(() => {}), REFRESH_MS).unref()
  return { connection, stores }
}

async function end(): Promise<void> {
  database?.connection.close()
  // The outcomes of the last calls leave before the port closes.
  await nextTick()
  await nextTick()
  parentPort?.close()
}

async function run(stores: Stores, { id, path, args }: StoreCall): Promise<StoreOutcome> {
  try {
    const work = path.reduce<unknown>((part, name) => Reflect.get(Object(part), name), stores)
    if (typeof work !== 'function') throw new TypeError(`the stores have no method ${path.join('.')}`)
    const value: unknown = await Reflect.apply(work, undefined, args)
    return { id, value }
  } catch (error) {
    return { id, trouble: toTrouble(toStorageError(error)) }
  }
}

/** Outcomes of the same tick, such as those of one commit, go as one message. */
function createTeller(): (outcome: StoreOutcome) => void {
  let outcomes: StoreOutcome[] = []
  return (outcome) => {
    if (outcomes.push(outcome) > 1) return
    setImmediate(() => {
      say({ kind: 'outcomes', outcomes })
      outcomes = []
    })
  }
}
