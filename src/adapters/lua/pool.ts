import { join } from 'node:path'
import { createDeferred, type Deferred } from '../../lib/jobs/waiting.ts'
import { WrapError } from '../../prompt/ports.ts'
import type { ComposerLimits, ComposerOptions } from './composer-options.ts'
import { createHistorySender } from './sent-history.ts'
import { createToolSender } from './sent-once.ts'
import { createAccounts, type ComposerAccount } from './accounts.ts'
import { createFairQueue } from './fair-queue.ts'
import type { LuaFiles } from './bundle.ts'
import { listLua } from './list-lua.ts'
import type { Response } from './process/protocol.ts'
import { WrapProcess, type WrittenRequest } from './wrap-process.ts'

/** Writes a request for one process; `send` packs for that process what it may have already. */
export type RequestWriter = (send: Senders) => WrittenRequest

type Senders = ReturnType<typeof createSenders>

const createSenders = () => ({ tools: createToolSender(), history: createHistorySender() })

/** After so many failed starts in a row, the next start is made only when somebody asks for a prompt. */
const MAX_FAILED_STARTS = 3

interface Job extends ComposerAccount {
  readonly write: RequestWriter
  readonly outcome: Deferred<Response>
}

interface Slot {
  readonly process: WrapProcess
  readonly send: Senders
  ready: boolean
  current: Job | undefined
  /** The account whose job ended the process before this one: its next job waits until this one is ready. */
  readonly blamed: ComposerAccount | undefined
}

/**
 * Gives requests to wrap processes: one, and up to `size` as soon as so many owners have work at the same
 * time. Who has used least processor time of late is served first, no owner has more than one process at a
 * time, and a process that works too long is killed and replaced. Those who cost a process never have all of
 * them together.
 */
export class ProcessPool implements AsyncDisposable {
  readonly #options: Required<ComposerOptions> & { readonly limits: ComposerLimits }
  readonly #lua: LuaFiles
  readonly #accounts = createAccounts()
  readonly #queue = createFairQueue<Job>((job) => this.#accounts.load(job))
  readonly #slots = new Set<Slot>()
  /** How many processes there should be; it never falls, as what was needed once is needed again. */
  #wanted = 1
  #failedStarts = 0
  #closed = false

  /** Throws `WrapError` if there is no Lua. */
  constructor(options: Required<ComposerOptions> & { readonly limits: ComposerLimits }) {
    this.#options = options
    this.#lua = listLua(join(options.packageRoot, 'lua'))
  }

  /** Resolves with the response, trouble included. Rejects with `WrapError`, or with the signal's reason. */
  async ask(account: ComposerAccount, write: RequestWriter, signal?: AbortSignal): Promise<Response> {
    signal?.throwIfAborted()
    this.#admit(account)
    const job: Job = { ...account, write, outcome: createDeferred<Response>() }
    const cancel = (): void => {
      this.#queue.remove(job)
      job.outcome.reject(signal?.reason)
    }
    signal?.addEventListener('abort', cancel, { once: true })
    this.#queue.add(job)
    this.#wanted = Math.max(this.#wanted, Math.min(this.#options.size, this.#owners().size))
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

  #admit({ owner }: ComposerAccount): void {
    if (this.#closed) throw new WrapError('process', 'wrap: the server is stopping')
    const waiting = this.#queue.waiting(owner)
    if (waiting < this.#options.limits.queued) return
    throw new WrapError('limit', `wrap: ${waiting} prompts are waiting here already; try again later`)
  }

  /** Starts processes until there are enough. */
  fill(blamed?: ComposerAccount): void {
    while (!this.#closed && this.#slots.size < this.#wanted) this.#start(blamed)
  }

  /** All who are served or wait. */
  #owners(): ReadonlySet<string> {
    const served = [...this.#slots].flatMap(({ current }) => current?.owner ?? [])
    return new Set([...served, ...this.#queue.owners()])
  }

  #start(blamed: ComposerAccount | undefined): void {
    const { entry, packageRoot, engine, encodings, limits } = this.#options
    const { timeMs, memoryBytes, heapMiB } = limits
    const settings = { engine, lua: this.#lua, timeMs, memoryBytes, warm: encodings }
    const slot: Slot = {
      process: new WrapProcess({ entry, packageRoot, settings, heapMiB }),
      send: createSenders(),
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

  /** Gives work to idle processes. */
  #dispatch(): void {
    for (const slot of this.#slots) {
      if (!slot.ready || slot.current) continue
      const next = this.#queue.take(this.#mayServe())
      if (!next) return
      slot.current = next
      void this.#run(slot, next)
    }
  }

  /** Owners that have a process get no further one now, nor do suspects while too few are left for others. */
  #mayServe(): (job: ComposerAccount) => boolean {
    const served = [...this.#slots].flatMap((slot) => (slot.ready ? slot.current : slot.blamed) ?? [])
    const busy = new Set(served.map(({ owner }) => owner))
    const lost = served.filter((account) => this.#accounts.isSuspect(account)).length
    const tooFewLeft = lost >= Math.max(1, this.#options.size - 1)
    return (job) => !busy.has(job.owner) && !(tooFewLeft && this.#accounts.isSuspect(job))
  }

  async #run(slot: Slot, job: Job): Promise<void> {
    const { process, send } = slot
    const { limits, watch } = this.#options
    const usedUntilNow = watch(process.pid, limits, () => {
      job.outcome.reject(new WrapError('limit', tooLong(limits)))
      process.kill()
    })
    const response = await process.ask(job.write(send))
    this.#accounts.spend(job, usedUntilNow())
    if (!response) return
    job.outcome.resolve(response)
    // An error that nobody foresaw may have left anything behind; the process says why on its standard error.
    if (response.kind === 'failed' && response.reason === 'process') return process.kill()
    slot.current = undefined
    this.#dispatch()
  }

  #onGone(slot: Slot, why: string): void {
    this.#slots.delete(slot)
    if (this.#closed) return
    if (slot.current) this.#accounts.suspect(slot.current)
    slot.current?.outcome.reject(
      new WrapError('process', 'wrap: the process that composes prompts has died; try again'),
    )
    this.#options.log.warn({ why, ready: slot.ready }, 'a wrap process ended')
    if (!slot.ready) this.#failedStarts += 1
    if (this.#failedStarts < MAX_FAILED_STARTS) this.fill(slot.current ?? slot.blamed)
    else if (this.#slots.size === 0) this.#giveUp(why)
    this.#dispatch()
  }

  #giveUp(why: string): void {
    this.#options.log.error({ why, starts: this.#failedStarts }, 'the wrap process does not start')
    this.#failAll(`the wrap process does not start (${lastLine(why)}); see the server's log`)
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
