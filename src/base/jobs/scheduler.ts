/**
 * Divides the thread's time between all connections. A job is any function; this file must not know its
 * purpose.
 */
import { fullAfter } from '../token-bucket.ts'

export interface SchedulerTimers {
  /** Monotonic milliseconds. */
  now(): number
  soon(run: () => void): void
}

/**
 * Each connection divides its work into pieces of a fraction of a millisecond, and runs them on its account.
 * Between two rounds of the event loop there is one slice of `SLICE_MS`, in which pieces of cheap accounts
 * run in order, and one piece of the cheapest of all other accounts. So a flood gets all the time that nobody
 * else needs, and no more.
 */
export interface Scheduler {
  open(): Account
}

/** An account of CPU time. All methods settle as the work does. */
export interface Account {
  /**
   * Runs a piece at once if the account is cheap, the slice is not over and no cheap piece waits; else queues
   * it.
   */
  run<T>(work: () => T): Promise<T>
  /** Queues a piece until the event loop has handled events once more. */
  runLater<T>(work: () => T): Promise<T>
  /** Waits like `runLater`, before asynchronous work that must not be queued itself. */
  rest(): Promise<void>
  /**
   * Waits like `rest` before long work that cannot be measured, such as rendering a page. Charges `ms` for
   * it, and counts it as the piece of an expensive account.
   */
  restBefore(ms: number): Promise<void>
}

/** Time in ms for cheap pieces between two rounds of the event loop. The last piece may exceed it. */
export const SLICE_MS = 5

/** An account with a lower recent cost in ms is cheap. */
const CREDIT_MS = 8

/**
 * Milliseconds of cost forgotten per ms: an account that uses less than this fraction of the time always
 * stays cheap.
 */
const DECAY_PER_MS = 0.2

/** Limit of an account's cost, so that it is forgotten within a few seconds. */
const MAX_COST_MS = 800

interface Waiting {
  readonly payer: Payer
  readonly run: () => void
}

/**
 * `forgottenAt` is the time at which all costs will be forgotten, as in a token bucket of milliseconds. A
 * later time means a more expensive account.
 */
interface Payer {
  forgottenAt: number
}

/** One per process, because slices are short only if all connections share them. */
export const createScheduler = (timers: SchedulerTimers): Scheduler => new Slices(timers)

class Slices implements Scheduler {
  readonly #timers: SchedulerTimers
  readonly #dear = new Set<Waiting>()
  #cheap: Waiting[] = []
  #used = 0
  #isScheduled = false

  constructor(timers: SchedulerTimers) {
    this.#timers = timers
  }

  open(): Account {
    const payer: Payer = { forgottenAt: 0 }
    return {
      run: async (work) => {
        const isNext = this.#cheap.length === 0 && this.#hasTime() && this.#isCheap(payer)
        return isNext ? this.#measured(payer, work) : await this.#whenDue(payer, work)
      },
      runLater: (work) => this.#whenDue(payer, work),
      rest: () => this.#whenDue(payer, () => undefined),
      restBefore: (ms) => this.#whenDue(payer, () => this.#charge(payer, ms), true),
    }
  }

  #whenDue<T>(payer: Payer, work: () => T, isLong = false): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = (): void => {
        try {
          resolve(this.#measured(payer, work))
        } catch (error) {
          reject(error)
        }
      }
      if (this.#isCheap(payer) && !isLong) this.#cheap.push({ payer, run })
      else this.#dear.add({ payer, run })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#timers.soon(() => this.#serve())
  }

  /** Runs one slice. Pieces that are added meanwhile come after those in the queue. */
  #serve(): void {
    this.#isScheduled = false
    this.#used = 0
    let served = 0
    for (const one of this.#cheap) {
      if (!this.#hasTime()) break
      served++
      if (this.#isCheap(one.payer)) one.run()
      else this.#dear.add(one)
    }
    this.#cheap = this.#cheap.slice(served)
    const next = cheapest(this.#dear)
    if (next) {
      this.#dear.delete(next)
      // The piece of an expensive account does not count, so that others get their whole slice.
      const usedByOthers = this.#used
      next.run()
      this.#used = usedByOthers
    }
    if (this.#cheap.length > 0 || this.#dear.size > 0) this.#schedule()
  }

  #measured<T>(payer: Payer, work: () => T): T {
    const begun = this.#timers.now()
    try {
      return work()
    } finally {
      this.#charge(payer, this.#timers.now() - begun)
    }
  }

  #charge(payer: Payer, ms: number): void {
    const at = this.#timers.now()
    this.#used += ms
    payer.forgottenAt = Math.min(
      at + MAX_COST_MS / DECAY_PER_MS,
      fullAfter(payer.forgottenAt, at, ms / DECAY_PER_MS),
    )
  }

  #hasTime(): boolean {
    return this.#used < SLICE_MS
  }

  #isCheap({ forgottenAt }: Payer): boolean {
    return forgottenAt - this.#timers.now() < CREDIT_MS / DECAY_PER_MS
  }
}

/** Returns the payer with the lowest cost; among equals the one that has waited longest. */
function cheapest(waiting: ReadonlySet<Waiting>): Waiting | undefined {
  let best: Waiting | undefined
  for (const one of waiting) if (!best || one.payer.forgottenAt < best.payer.forgottenAt) best = one
  return best
}
