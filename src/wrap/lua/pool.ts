import { join } from 'node:path'
import { createHash } from 'node:crypto'
import type { Log } from '../../base/environment.ts'
import { createDeferred, type Deferred } from '../../base/jobs/waiting.ts'
import { WrapError } from '../ports.ts'
import type { CatalogueTool, HistoryRow } from '../snapshot.ts'
import { Sender } from './deduplicate.ts'
import { type FairJob, FairQueue, Suspects } from './fair-queue.ts'
import { listLua, type LuaFiles } from './bundle.ts'
import type { Response } from './process/protocol.ts'
import type { EngineName } from './engines.ts'
import type { Watch } from './watchdog.ts'
import { WrapProcess } from './wrap-process.ts'

export interface ComposerLimits {
  /** The time that a script may run; the engine stops it. */
  readonly timeMs: number
  /** CPU time of one composition, counting included; above it, the process is killed. */
  readonly cpuMs: number
  /** Wall-clock time; long, because honest work takes long on a busy machine. */
  readonly wallMs: number
  readonly memoryBytes: number
  readonly heapMiB: number
  /** The number of compositions that may wait for one room. */
  readonly queued: number
}

export const DEFAULT_COMPOSER_LIMITS: ComposerLimits = {
  timeMs: 250,
  cpuMs: 1000,
  wallMs: 15_000,
  memoryBytes: 64 * 1024 * 1024,
  heapMiB: 384,
  queued: 32,
}

export interface ComposerOptions {
  /** The built process/main.ts. */
  readonly entry: string
  /** The directory that has `dist`, `lua` and `node_modules`. */
  readonly packageRoot: string
  /** The maximum number of processes; default: 2, so that a room whose script hangs leaves one free. */
  readonly size?: number
  readonly engine: EngineName
  /** Encodings to load at the start; others are loaded when a prompt first needs them. */
  readonly encodings?: readonly string[]
  readonly limits?: Partial<ComposerLimits>
  /** Watches for a process that works too long; default: `watch`. */
  readonly watch?: Watch
  readonly log: Log
}

/** Writes a request's JSON; `senders` know the data that the process already has. */
export type RequestWriter = (senders: Senders) => string

type Senders = ReturnType<typeof createSenders>

const createSenders = () => ({
  tools: new Sender<CatalogueTool>(hashOf),
  history: new Sender<HistoryRow>(({ entry }) => `${entry.room} ${entry.id}`, isSameRow),
})

/** Caches hashes by object, because many requests have the same objects. */
const hashes = new WeakMap<CatalogueTool, string>()

function hashOf(tool: CatalogueTool): string {
  const hash = hashes.get(tool) ?? createHash('sha256').update(JSON.stringify(tool)).digest('base64url')
  hashes.set(tool, hash)
  return hash
}

/** Compares the content, because an entry can be changed or deleted under its id. */
const isSameRow = (old: HistoryRow, row: HistoryRow): boolean =>
  old.entry.text === row.entry.text && old.entry.author === row.entry.author

/** The number of failed starts in a row after which the next start waits for a request. */
const MAX_FAILED_STARTS = 3

interface Job extends FairJob {
  readonly write: RequestWriter
  readonly outcome: Deferred<Response>
}

interface Slot {
  readonly process: WrapProcess
  senders: Senders
  ready: boolean
  current: Job | undefined
  /** The job that ended the previous process: its payers wait until this process is ready. */
  readonly lostBy: FairJob | undefined
}

type PoolOptions = Required<ComposerOptions> & { readonly limits: ComposerLimits }

/**
 * Runs requests on wrap processes: one at first, up to `size` once as many rooms had work at the same time.
 * Serves people in turn; a room or person uses one process at a time. Kills and replaces a slow process.
 * Requests of `Suspects` never occupy all of several processes.
 */
export class ProcessPool implements AsyncDisposable {
  readonly #options: PoolOptions
  readonly #lua: LuaFiles
  readonly #queue = new FairQueue<Job>()
  readonly #suspects = new Suspects()
  readonly #slots = new Set<Slot>()
  /** The number of processes. It never falls, because earlier demand is likely to return. */
  #wanted = 1
  #failedStarts = 0
  #closed = false

  /** Throws `WrapError` if there is no Lua. */
  constructor(options: PoolOptions) {
    this.#options = options
    this.#lua = listLua(join(options.packageRoot, 'lua'))
  }

  /** Resolves to the response, even a failure. Rejects with `WrapError`, or with the signal's reason. */
  async ask(payer: FairJob, write: RequestWriter, signal?: AbortSignal): Promise<Response> {
    signal?.throwIfAborted()
    this.#admit(payer)
    const job: Job = { ...payer, write, outcome: createDeferred<Response>() }
    const cancel = (): void => {
      this.#queue.remove(job)
      job.outcome.reject(signal?.reason)
    }
    signal?.addEventListener('abort', cancel, { once: true })
    this.#queue.add(job)
    this.#wanted = Math.max(this.#wanted, Math.min(this.#options.size, this.#rooms().size))
    this.fill()
    this.#dispatch()
    try {
      return await job.outcome.promise
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#failAll('the server is stopping')
    const slots = [...this.#slots]
    for (const slot of slots) slot.process.kill()
    await Promise.all(slots.map((slot) => slot.process.gone))
  }

  #admit({ payers: [room] }: FairJob): void {
    if (this.#closed) throw new WrapError('process', 'wrap: the server is stopping')
    const waiting = this.#queue.all().filter(({ payers }) => payers[0] === room).length
    if (waiting < this.#options.limits.queued) return
    throw new WrapError('limit', `wrap: ${waiting} prompts are waiting here already; try again later`)
  }

  fill(lostBy?: FairJob): void {
    while (!this.#closed && this.#slots.size < this.#wanted) this.#start(lostBy)
  }

  #rooms(): ReadonlySet<string | undefined> {
    const served = [...this.#slots].flatMap(({ current }) => current ?? [])
    return new Set([...served, ...this.#queue.all()].map(({ payers }) => payers[0]))
  }

  #start(lostBy: FairJob | undefined): void {
    const { entry, packageRoot, engine, encodings, limits } = this.#options
    const { timeMs, memoryBytes, heapMiB } = limits
    const settings = { engine, lua: this.#lua, timeMs, memoryBytes, warm: encodings }
    const slot: Slot = {
      process: new WrapProcess({ entry, packageRoot, settings, heapMiB }),
      senders: createSenders(),
      ready: false,
      current: undefined,
      lostBy,
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

  #dispatch(): void {
    for (const slot of this.#slots) {
      if (!slot.ready || slot.current) continue
      const next = this.#queue.take(this.#mayServe())
      if (!next) return
      slot.current = next
      void this.#run(slot, next)
    }
  }

  #mayServe(): (job: FairJob) => boolean {
    const served = [...this.#slots].flatMap((slot) => (slot.ready ? slot.current : slot.lostBy) ?? [])
    const busy = new Set(served.flatMap(({ payers }) => payers))
    const suspects = served.filter((job) => this.#suspects.has(job)).length
    const tooFewLeft = suspects >= Math.max(1, this.#options.size - 1)
    return (job) => !job.payers.some((payer) => busy.has(payer)) && !(tooFewLeft && this.#suspects.has(job))
  }

  async #run(slot: Slot, job: Job): Promise<void> {
    const request = this.#write(slot, job)
    if (request === undefined) return this.#release(slot)
    const { process } = slot
    const { limits, watch } = this.#options
    const stopWatching = watch(process.pid, limits, () => {
      job.outcome.reject(new WrapError('limit', tooLong(limits)))
      process.kill()
    })
    const response = await process.ask(request)
    stopWatching()
    if (!response) return
    job.outcome.resolve(response)
    // An unexpected error may leave any state; the process reports the reason on its standard error.
    if (response.kind === 'failed' && response.reason === 'process') return process.kill()
    this.#release(slot)
  }

  /** Returns the request in JSON; undefined if writing fails, which fails the job. */
  #write(slot: Slot, job: Job): string | undefined {
    try {
      return job.write(slot.senders)
    } catch (error) {
      const [reason] = String(error).split('\n', 1)
      job.outcome.reject(new WrapError('argument', `wrap: the snapshot cannot be sent: ${reason}`))
      // A part of the request counts as sent.
      slot.senders = createSenders()
      return undefined
    }
  }

  #release(slot: Slot): void {
    slot.current = undefined
    this.#dispatch()
  }

  #onGone(slot: Slot, why: string): void {
    this.#slots.delete(slot)
    if (this.#closed) return
    if (slot.current) this.#suspects.add(slot.current)
    slot.current?.outcome.reject(
      new WrapError('process', 'wrap: the process that composes prompts has died; try again'),
    )
    this.#options.log.warn({ why, ready: slot.ready }, 'a wrap process ended')
    if (!slot.ready) this.#failedStarts += 1
    if (this.#failedStarts < MAX_FAILED_STARTS) this.fill(slot.current ?? slot.lostBy)
    else if (this.#slots.size === 0) this.#giveUp(why)
    this.#dispatch()
  }

  #giveUp(why: string): void {
    this.#options.log.error({ why, starts: this.#failedStarts }, 'the wrap process does not start')
    this.#failAll(
      `no model can answer now: the server cannot compose prompts (${lastLine(why)}); its log says why`,
    )
  }

  #failAll(reason: string): void {
    const running = [...this.#slots].flatMap((slot) => slot.current ?? [])
    for (const job of [...running, ...this.#queue.drain()]) {
      job.outcome.reject(new WrapError('process', `wrap: ${reason}`))
    }
  }
}

const lastLine = (text: string): string => (text.trim().split('\n').at(-1) ?? '').slice(0, 200)

const tooLong = ({ cpuMs }: ComposerLimits): string =>
  `wrap: composing takes longer than ${cpuMs} ms of processor time`
