import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { StorageError } from '../../../../chat/errors.ts'
import type { Log } from '../../../../chat/ports.ts'
import { createDeferred, type Deferred } from '../../../../lib/deferred.ts'
import { type StoreCall, type FromThread, fromTrouble, type ThreadData, type ToThread } from './protocol.ts'

/** A thread that has the database open. */
export interface StorageThread extends AsyncDisposable {
  /** Starts the thread, unless it runs, without the database. */
  start(): void
  /** Starts it, unless it runs, with the database open. Rejects with `StorageError` if it cannot be opened. */
  open(): Promise<void>
  /** Runs a method there; a thread that is not running is started. Rejects with `StorageError` only. */
  call(call: Omit<StoreCall, 'id'>): Promise<unknown>
}

/** One run of the thread, from its start to its end. */
interface Run {
  readonly worker: Worker
  readonly opened: Deferred<void>
  readonly pending: Map<number, Deferred<unknown>>
  /** The calls of this tick. */
  calls: StoreCall[]
}

/** A thread for one lane. It is started when it is first needed, and again after it died. */
export function createStorageThread(entry: string, data: ThreadData, log: Log): StorageThread {
  let run: Run | undefined
  let closed = false
  let lastId = 0

  function startRun(): Run {
    const worker = new Worker(entry, { workerData: data, execArgv: [] })
    const started: Run = { worker, opened: createDeferred(), pending: new Map(), calls: [] }
    // Whoever asked for `opened` hears of a failure, and so does every call.
    started.opened.promise.catch(() => {})
    worker.on('message', (message: FromThread) => {
      // It ends by itself; the next call tries again.
      if (message.kind === 'failed' && run === started) run = undefined
      hear(started, message)
    })
    worker.on('error', (error) => log.error({ error, lane: data.lane }, 'a storage thread threw'))
    worker.once('exit', (code) => end(started, code))
    return started
  }

  function end(ended: Run, code: number): void {
    if (run !== ended) return
    run = undefined
    if (!closed) log.error({ lane: data.lane, code }, 'a storage thread ended; the next call starts another')
    fail(ended, new StorageError('other', closed ? STOPPING : DIED))
  }

  function send(to: Run): void {
    const { calls } = to
    to.calls = []
    try {
      to.worker.postMessage({ kind: 'calls', calls } satisfies ToThread)
    } catch (cause) {
      // Something in one of them cannot be copied: the others must not suffer for it.
      if (calls.length > 1) for (const call of calls) send({ ...to, calls: [call] })
      else for (const { id } of calls) settle(to, id)?.reject(uncopied(cause))
    }
  }

  function running(): Run {
    if (closed) throw new StorageError('other', STOPPING)
    return (run ??= startRun())
  }

  return {
    start: () => void running(),
    async open() {
      const { worker, opened } = running()
      worker.postMessage({ kind: 'open' } satisfies ToThread)
      await opened.promise
    },
    async call(call) {
      const to = running()
      const id = ++lastId
      const outcome = createDeferred<unknown>()
      to.pending.set(id, outcome)
      if (to.calls.push({ ...call, id }) === 1) setImmediate(() => send(to))
      return await outcome.promise
    },
    async [Symbol.asyncDispose]() {
      if (closed) return
      closed = true
      if (!run) return
      const ended = once(run.worker, 'exit')
      if (run.calls.length > 0) send(run)
      run.worker.postMessage({ kind: 'close' } satisfies ToThread)
      await ended
    },
  }
}

function hear(run: Run, message: FromThread): void {
  switch (message.kind) {
    case 'opened':
      return run.opened.resolve()
    case 'failed':
      return fail(run, fromTrouble(message.trouble))
    case 'outcomes':
      for (const outcome of message.outcomes) {
        const call = settle(run, outcome.id)
        if ('trouble' in outcome) call?.reject(fromTrouble(outcome.trouble))
        else call?.resolve(outcome.value)
      }
  }
}

function settle({ pending }: Run, id: number): Deferred<unknown> | undefined {
  const call = pending.get(id)
  pending.delete(id)
  return call
}

function fail({ opened, pending }: Run, error: StorageError): void {
  opened.reject(error)
  for (const call of pending.values()) call.reject(error)
  pending.clear()
}

const STOPPING = 'the server is stopping; nothing was stored'
const DIED =
  'the part of the server that has the database failed and is started again; look whether it was stored, and try again'
const uncopied = (cause: unknown): StorageError =>
  new StorageError('other', 'the database refused: a value that cannot be stored', { cause })
