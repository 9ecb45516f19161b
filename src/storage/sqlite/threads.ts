// Storage in three threads. Each has its own connection to the same file (WAL: readers and the writer do not
// wait for each other), so a short read (a login, a page of history) never waits for a long job. The threads
// get calls of the stores, never SQL. This file must not know what a store means. Two of the threads start
// with the first person, since each takes 13 to 20 MB.

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { StorageError } from '../../words/errors.ts'
import { createDeferred, type Deferred } from '../../base/jobs/waiting.ts'
import { readMigrations } from '../migrations.ts'
import type { Storage, StorageLane as Lane, Stores } from '../storage.ts'
import { hasLog, lockFile } from './file.ts'
import type { DatabaseOptions, SqliteOptions } from './open.ts'

type PathOf<Part> = {
  [Name in keyof Part & string]: Part[Name] extends (...args: never[]) => unknown
    ? Name
    : `${Name}.${PathOf<Part[Name]>}`
}[keyof Part & string]

/** The path of a store's method, such as `chat.entries.append`. */
type MethodPath = PathOf<Stores>

const methods = <Store extends string, Name extends string>(store: Store, ...names: readonly Name[]) =>
  names.map((name) => `${store}.${name}` as const)

const SLOW: ReadonlySet<string> = new Set<MethodPath>([
  ...methods('chat.entries', 'search', 'stats'),
  ...methods('models.charges', 'usage'),
  ...methods('upkeep', 'damage', 'refreshSearch', 'renewSearch'),
  ...methods('chat.retention', 'countBefore', 'mayBeOf'),
])

/**
 * Methods that run in the reading thread. Methods in neither set run in the writing thread: writes, and reads
 * that must see earlier writes of their store.
 */
const READ: ReadonlySet<string> = new Set<MethodPath>([
  ...methods('chat.entries', 'read', 'sizes', 'lastId'),
  ...methods('chat.rooms', 'all', 'find', 'findRenamed', 'membership', 'members', 'getValue', 'values'),
  ...methods('chat.people', 'bySkeleton', 'forLogin', 'byId', 'byIds', 'beginning'),
  ...methods('chat.people', 'keysOf', 'holdersOf', 'hasAdmin'),
  ...methods('chat.sanctions', 'all'),
  ...methods('chat.retention', 'days', 'countOthers'),
  ...methods('chat.keys', 'list'),
  ...methods('chat.invites', 'list', 'find'),
  ...methods('chat.tokens', 'list', 'find'),
  ...methods('chat.preferences', 'of', 'everyone'),
  ...methods('chat.lastSeen', 'find', 'mine'),
  ...methods('talk.ignored', 'ignoredBy'),
  ...methods('talk.away', 'away'),
  ...methods('prompts.history', 'newest', 'following', 'toolCalls'),
  ...methods('prompts.scripts', 'current', 'versions'),
  ...methods('prompts.instructions', 'current', 'versions'),
  ...methods('prompts.personas', 'current', 'versions'),
  ...methods('prompts.memories', 'current', 'versions', 'goesAlong'),
  ...methods('prompts.summaries', 'current', 'versions'),
  ...methods('models.turns', 'find', 'unfinished', 'last', 'asked'),
  ...methods('models.charges', 'spent', 'spending'),
  ...methods('models.calibrations', 'find'),
  ...methods('models.routines', 'find', 'byId', 'lastRung', 'list', 'activeFor', 'upcoming'),
  ...methods('tools.grants', 'find', 'list'),
  ...methods('tools.results', 'find'),
])

const laneOf = (path: string): Lane => (SLOW.has(path) ? 'slow' : READ.has(path) ? 'read' : 'write')

/** Calls that show that somebody uses the server. Before the first one, the writing thread also reads. */
const SOMEBODY: ReadonlySet<string> = new Set<MethodPath>([
  'chat.people.forLogin',
  'chat.tokens.find',
  'chat.entries.append',
])

/** The delay in ms until the slow thread starts. The server's start, or a first login, is over by then. */
const SLOW_WORK_STARTS_MS = 3_000

const STOPPING = 'the server is stopping; nothing was stored'
const DIED =
  'the database thread of the server failed and is started again; ' +
  'look whether it was stored, and try again'
const UNCOPIED = 'the database refused: a value that cannot be stored'
const DAMAGED =
  'the database is damaged: what is said may be lost; ' +
  'stop the server, and put a backup in its place with sshawl restore FILE'

/** The `workerData` of a thread. */
export interface ThreadData extends Pick<DatabaseOptions, 'file' | 'migrations' | 'busyMs'> {
  readonly lane: Lane
  /** The time that is stored for applied migrations, in ms since the epoch. */
  readonly now: number
  /** A 32-bit number, 1 once the server stops: a thread that waits for a lock reads no message. */
  readonly stopping: SharedArrayBuffer
}

export interface StoreCall {
  readonly id: number
  readonly path: string
  readonly args: readonly unknown[]
}

/** A `StorageError` as plain data. `cause` is for the log. */
export interface SerializedError extends Pick<StorageError, 'reason' | 'reading' | 'message'> {
  readonly cause: string
}

export type StoreReply = { readonly id: number } & (
  | { readonly value: unknown }
  | { readonly error: SerializedError }
)

/** `calls` opens the database, too. `close` waits for earlier calls. */
export type MessageToThread =
  | { readonly kind: 'open' | 'close' }
  | { readonly kind: 'calls'; readonly calls: readonly StoreCall[] }

/** The methods of the stores, by group and store. */
export interface MethodTree {
  readonly [name: string]: true | MethodTree
}

/** `opened` or `failed` comes once, before all replies. A thread ends after `failed`. */
export type MessageFromThread =
  | { readonly kind: 'opened'; readonly methods: MethodTree }
  | { readonly kind: 'failed'; readonly error: SerializedError }
  | { readonly kind: 'replies'; readonly replies: readonly StoreReply[] }

/** Locks the file for this process until disposal. `entry`: built thread-main.ts. Throws `StorageError`. */
export async function openThreaded(options: SqliteOptions, entry: string): Promise<Storage> {
  const { file, migrationsDir, clock, log, busyMs = 2000, stopping: signal, timed } = options
  // Passes the migrations to the threads, which would have to load fast-glob to find them.
  const migrations = readMigrations(migrationsDir)
  const lock = lockFile(file)
  const wasLeftOpen = hasLog(file)
  const stopping = new SharedArrayBuffer(4)
  signal?.addEventListener('abort', () => void Atomics.store(new Int32Array(stopping), 0, 1))
  const data = { file, migrations, busyMs, now: clock.now(), stopping }
  const threads = new Map<Lane, StorageThread>()
  let isClosed = false
  let isQuiet = true

  /** Starts the lane's thread if it does not run. */
  function threadOf(lane: Lane): StorageThread {
    if (isClosed) throw new StorageError('other', STOPPING)
    const running = threads.get(lane)
    if (running) return running
    const thread = new StorageThread(entry, { ...data, lane })
    threads.set(lane, thread)
    // A thread that cannot open the database ends by itself.
    thread.opened.promise.catch(() => void (threads.get(lane) === thread && threads.delete(lane)))
    thread.worker.on('error', (error) => log.error({ error, lane }, 'a storage thread threw'))
    thread.worker.once('exit', (code) => {
      if (threads.get(lane) !== thread) return
      threads.delete(lane)
      if (!isClosed) log.error({ lane, code }, 'a storage thread ended; the next call starts another')
      thread.fail(new StorageError('other', isClosed ? STOPPING : DIED))
    })
    return thread
  }

  /** Starts the reading thread now, and later the slow thread, which updates the search index. */
  function wake(): void {
    isQuiet = false
    threadOf('read')
    setTimeout(() => isClosed || threadOf('slow'), SLOW_WORK_STARTS_MS).unref()
  }

  async function call(path: string, args: readonly unknown[]): Promise<unknown> {
    const lane = laneOf(path)
    const since = performance.now()
    const thread = threadOf(isQuiet && lane === 'read' ? 'write' : lane)
    if (isQuiet && SOMEBODY.has(path)) wake()
    try {
      return await thread.call(path, args)
    } finally {
      timed?.(lane, (performance.now() - since) / 1_000)
    }
  }

  async function close(): Promise<void> {
    isClosed = true
    // The last connection to close writes the log into the database, so the writer closes last.
    await Promise.all([threads.get('read')?.close(), threads.get('slow')?.close()])
    await threads.get('write')?.close()
    lock[Symbol.dispose]()
  }

  async function checkForDamage({ upkeep }: Stores): Promise<void> {
    try {
      const damage = await upkeep.damage()
      if (damage) log.error({ file, damage }, DAMAGED)
    } catch (error) {
      log.debug({ error }, 'the database was not checked for damage')
    }
  }

  try {
    const tree = await threadOf('write').opened.promise
    log.info({ file }, 'database opened')
    const stores = remoteStores(tree, call)
    if (wasLeftOpen) setTimeout(() => void checkForDamage(stores), SLOW_WORK_STARTS_MS).unref()
    return { ...stores, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

function remoteStores(
  tree: MethodTree,
  call: (path: string, args: readonly unknown[]) => Promise<unknown>,
): Stores {
  const remote = (part: MethodTree, prefix: string): unknown =>
    Object.fromEntries(
      Object.entries(part).map(([name, below]) => {
        const path = prefix + name
        return [name, below === true ? (...args: unknown[]) => call(path, args) : remote(below, `${path}.`)]
      }),
    )
  // The cast is safe: the thread built `tree` from the methods of its own `Stores`.
  return remote(tree, '') as Stores
}

class StorageThread {
  readonly worker: Worker
  /** Resolves when the thread has opened the database; rejects if it could not. */
  readonly opened = createDeferred<MethodTree>()
  readonly #pending = new Map<number, Deferred<unknown>>()
  /** The calls of this tick, which are sent as one message. */
  #calls: StoreCall[] = []
  #lastId = 0

  constructor(entry: string, data: ThreadData) {
    this.worker = new Worker(entry, { workerData: data, execArgv: [] })
    this.worker.on('message', (message: MessageFromThread) => this.#receive(message))
    this.worker.postMessage({ kind: 'open' } satisfies MessageToThread)
  }

  /** Runs a method of the stores. Rejects with `StorageError` only. */
  async call(path: string, args: readonly unknown[]): Promise<unknown> {
    const id = ++this.#lastId
    const reply = createDeferred<unknown>()
    this.#pending.set(id, reply)
    if (this.#calls.push({ id, path, args }) === 1) setImmediate(() => this.#sendCalls())
    return await reply.promise
  }

  /** Finishes earlier calls, then ends the thread. */
  async close(): Promise<void> {
    const ended = once(this.worker, 'exit')
    this.#sendCalls()
    this.worker.postMessage({ kind: 'close' } satisfies MessageToThread)
    await ended
  }

  fail(error: StorageError): void {
    this.opened.reject(error)
    for (const call of this.#pending.values()) call.reject(error)
    this.#pending.clear()
  }

  #sendCalls(): void {
    const calls = this.#calls
    this.#calls = []
    if (calls.length > 0) this.#send(calls)
  }

  #send(calls: readonly StoreCall[]): void {
    try {
      this.worker.postMessage({ kind: 'calls', calls } satisfies MessageToThread)
    } catch (cause) {
      // A value in one of the calls cannot be copied: only that call is refused.
      if (calls.length > 1) for (const call of calls) this.#send([call])
      else for (const { id } of calls) this.#take(id)?.reject(new StorageError('other', UNCOPIED, { cause }))
    }
  }

  #receive(message: MessageFromThread): void {
    if (message.kind === 'opened') return this.opened.resolve(message.methods)
    if (message.kind === 'failed') return this.fail(toError(message.error))
    for (const reply of message.replies) {
      const call = this.#take(reply.id)
      if ('error' in reply) call?.reject(toError(reply.error))
      else call?.resolve(reply.value)
    }
  }

  #take(id: number): Deferred<unknown> | undefined {
    const call = this.#pending.get(id)
    this.#pending.delete(id)
    return call
  }
}

const toError = ({ reason, reading, message, cause }: SerializedError): StorageError =>
  new StorageError(reason, message, cause === '' ? { reading } : { reading, cause })
