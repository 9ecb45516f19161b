import { join } from 'node:path'
import type { Log } from '../../chat/ports.ts'
import { createDeferred, type Deferred } from '../../lib/deferred.ts'
import { type Composer, WrapError } from '../../prompt/ports.ts'
import type { Prompt } from '../../prompt/prompt.ts'
import type { Snapshot } from '../../prompt/snapshot.ts'
import type { EngineName } from './engines.ts'
import { createFairQueue } from './fair-queue.ts'
import type { Reply, ToolParcel } from './process/protocol.ts'
import { createPacker, createToolHashes, type HashedTool } from './tool-parcels.ts'
import { watch } from './watchdog.ts'
import { type Asked, WrapProcess } from './wrap-process.ts'

/** What composing may use. */
export interface ComposerLimits {
  /** Milliseconds that a script may run; the engine stops it. */
  readonly timeMs: number
  /** Milliseconds of processor time that one composition may take, counting included; then its process is killed. */
  readonly cpuMs: number
  /** The same by the clock on the wall: long, for on a busy machine honest work takes long. */
  readonly wallMs: number
  readonly memoryBytes: number
  /** MiB of JavaScript heap in each process. */
  readonly heapMiB: number
  /** Compositions that one room may have in line. */
  readonly queued: number
}

/** Limits for a server of any size. */
export const defaultComposerLimits: ComposerLimits = {
  timeMs: 250,
  cpuMs: 1000,
  wallMs: 15_000,
  memoryBytes: 64 * 1024 * 1024,
  heapMiB: 384,
  queued: 32,
}

/** How to make a composer. */
export interface ComposerOptions {
  /** The built `adapters/lua/process/main.js`. */
  readonly entry: string
  /** The directory that has `dist`, `lua` and `node_modules`. */
  readonly packageRoot: string
  /** Processes: two, so that a room whose script hangs leaves one to all the others. */
  readonly size?: number
  readonly engine: EngineName
  /** Encodings to load at the start; others are loaded when a prompt first needs them. */
  readonly encodings?: readonly string[]
  readonly limits?: Partial<ComposerLimits>
  readonly log: Log
}

/** After so many starts in a row that came to nothing, the next is made only when somebody asks for a prompt. */
const startsTried = 3

interface Job {
  /** The request, for a process whose tools are packed by this function. */
  readonly write: (pack: Pack) => Asked
  readonly outcome: Deferred<Reply>
}

type Pack = (tools: readonly HashedTool[]) => ToolParcel

interface Slot {
  readonly process: WrapProcess
  readonly pack: Pack
  ready: boolean
  current: { readonly owner: string; readonly job: Job } | undefined
  /** The room that cost the process before this one; served again when this one is ready, not before. */
  readonly blamed: string | undefined
}

/** A composer on a pool of wrap processes, which are warm when the first prompt is asked for. */
export function createComposer(options: ComposerOptions): Composer {
  return new ProcessPool(options)
}

class ProcessPool implements Composer {
  readonly #options: ComposerOptions
  readonly #limits: ComposerLimits
  readonly #queue = createFairQueue<Job>()
  readonly #slots = new Set<Slot>()
  readonly #hashed = createToolHashes()
  /** Rooms whose last composition cost a process; together they never have all of the processes. */
  readonly #suspects = new Set<string>()
  #ids = 0
  #failedStarts = 0
  #closed = false

  constructor(options: ComposerOptions) {
    this.#options = options
    this.#limits = { ...defaultComposerLimits, ...options.limits }
    this.#fill()
  }

  async compose(snapshot: Snapshot, signal?: AbortSignal): Promise<Prompt> {
    const id = this.#nextId()
    const write = plainly(() => composeRequest(id, snapshot, this.#hashed(snapshot.tools)))
    const reply = await this.#do(snapshot.room.name, write, signal)
    if (reply.kind === 'prompt') return reply.prompt
    throw unexpected(reply)
  }

  async check(source: string, trial: Snapshot): Promise<void> {
    await this.compose({ ...trial, script: { source, version: trial.script?.version ?? 0 } })
  }

  async count(encoding: string, texts: readonly string[]): Promise<readonly number[]> {
    const id = this.#nextId()
    const json = JSON.stringify({ id, kind: 'count', encoding, texts })
    const reply = await this.#do(`count ${encoding}`, () => ({ id, json }))
    if (reply.kind === 'counts') return reply.counts
    throw unexpected(reply)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#failAll('the server is stopping')
    const slots = [...this.#slots]
    for (const slot of slots) slot.process.kill()
    await Promise.all(slots.map((slot) => slot.process.gone))
  }

  #nextId(): number {
    return (this.#ids += 1)
  }

  async #do(owner: string, write: Job['write'], signal?: AbortSignal): Promise<Reply> {
    signal?.throwIfAborted()
    this.#admit(owner)
    const job: Job = { write, outcome: createDeferred<Reply>() }
    const cancel = (): void => {
      this.#queue.remove(owner, job)
      job.outcome.reject(signal?.reason)
    }
    signal?.addEventListener('abort', cancel, { once: true })
    this.#queue.add(owner, job)
    this.#fill()
    this.#dispatch()
    try {
      return await job.outcome.promise
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  #admit(owner: string): void {
    if (this.#closed) throw new WrapError('process', 'wrap: the server is stopping')
    const waiting = this.#queue.waiting(owner)
    if (waiting >= this.#limits.queued) {
      throw new WrapError(
        'limit',
        `wrap: ${waiting} prompts of this room are waiting already; try again later`,
      )
    }
  }

  /** Starts processes until there are enough. */
  #fill(blamed?: string): void {
    while (!this.#closed && this.#slots.size < this.#size) this.#start(blamed)
  }

  get #size(): number {
    return this.#options.size ?? 2
  }

  #start(blamed: string | undefined): void {
    const { entry, packageRoot, engine, encodings = ['o200k_base'] } = this.#options
    const { timeMs, memoryBytes, heapMiB } = this.#limits
    const settings = { engine, lua: join(packageRoot, 'lua'), timeMs, memoryBytes, warm: encodings }
    const slot: Slot = {
      process: new WrapProcess({ entry, packageRoot, settings, heapMiB }),
      pack: createPacker(),
      ready: false,
      current: undefined,
      blamed,
    }
    this.#slots.add(slot)
    void slot.process.ready.then(() => this.#onReady(slot))
    void slot.process.gone.then((why) => this.#onGone(slot, why))
  }

  #onReady(slot: Slot): void {
    slot.ready = true
    this.#failedStarts = 0
    this.#dispatch()
  }

  /** Gives work to idle processes; a room never has more than one of them, its restart included. */
  #dispatch(): void {
    for (const slot of this.#slots) {
      if (!slot.ready || slot.current) continue
      const next = this.#queue.take(this.#busyOwners())
      if (!next) return
      slot.current = next
      void this.#run(slot, next.job)
    }
  }

  #busyOwners(): ReadonlySet<string> {
    const busy = [...this.#slots].flatMap((slot) => (slot.ready ? slot.current?.owner : slot.blamed) ?? [])
    const lost = busy.filter((owner) => this.#suspects.has(owner)).length
    const enough = lost >= Math.max(1, this.#size - 1)
    return new Set(enough ? [...busy, ...this.#suspects] : busy)
  }

  async #run(slot: Slot, job: Job): Promise<void> {
    const { process, pack } = slot
    const unwatch = watch(process.pid, this.#limits, () => {
      job.outcome.reject(new WrapError('limit', tooLong(this.#limits)))
      process.kill()
    })
    const reply = await Promise.race([process.ask(job.write(pack)), process.gone])
    unwatch()
    if (typeof reply === 'string') return
    job.outcome.resolve(reply)
    if (reply.kind === 'prompt') this.#suspects.delete(slot.current!.owner)
    // What nobody foresaw may have left anything behind; the process says why on its standard error.
    if (reply.kind === 'failed' && reply.reason === 'process') return slot.process.kill()
    slot.current = undefined
    this.#dispatch()
  }

  #onGone(slot: Slot, why: string): void {
    this.#slots.delete(slot)
    if (this.#closed) return
    if (slot.current) this.#suspects.add(slot.current.owner)
    slot.current?.job.outcome.reject(
      new WrapError('process', 'wrap: the process that composes prompts has died; try again'),
    )
    this.#options.log.warn({ why, ready: slot.ready }, 'a wrap process ended')
    if (!slot.ready) this.#failedStarts += 1
    if (this.#failedStarts < startsTried) this.#fill(slot.current?.owner ?? slot.blamed)
    else if (this.#slots.size === 0) this.#giveUp(why)
    this.#dispatch()
  }

  #giveUp(why: string): void {
    this.#options.log.error({ why, starts: this.#failedStarts }, 'the wrap process does not start')
    this.#failAll(`the wrap process does not start (${lastLine(why)}); see the server's log`)
  }

  #failAll(reason: string): void {
    const running = [...this.#slots].flatMap((slot) => (slot.current ? [slot.current.job] : []))
    for (const job of [...running, ...this.#queue.drain()]) {
      job.outcome.reject(new WrapError('process', `wrap: ${reason}`))
    }
  }
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)!.slice(0, 200)

function unexpected(reply: Reply): WrapError {
  if (reply.kind === 'failed') return new WrapError(reply.reason, reply.message)
  return new WrapError('process', `wrap: the wrap process answered ${reply.kind}`)
}

const tooLong = ({ cpuMs }: ComposerLimits): string =>
  `wrap: composing takes longer than ${cpuMs} ms of processor time`

/** A request with all but the tools written out: which of those must go along is known when it is sent. */
function composeRequest(id: number, given: Snapshot, tools: readonly HashedTool[]): Job['write'] {
  const { tools: _, ...rest } = given
  const snapshot = JSON.stringify(rest)
  return (pack) => ({
    id,
    json: `{"id":${id},"kind":"compose","snapshot":${snapshot},"parcel":${JSON.stringify(pack(tools))}}`,
  })
}

/** Throws `WrapError('argument')` for a snapshot that is not plain data. */
function plainly<T>(write: () => T): T {
  try {
    return write()
  } catch (error) {
    throw new WrapError('argument', `wrap: the snapshot cannot be sent: ${String(error).split('\n', 1)[0]}`)
  }
}
