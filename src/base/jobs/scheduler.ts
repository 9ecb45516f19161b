// Divides the thread's time between all connections. Must not know the purpose of a job, which is a function.
import { fullAfter } from '../token-bucket.ts'

export interface SchedulerTimers {
  /** Returns monotonic ms. */
  now(): number
  soon(run: () => void): void
}

/**
 * Each connection runs its work in pieces of less than 1 ms on its own account. Between two rounds of the
 * event loop, one slice of `SLICE_MS` runs the pieces of cheap accounts in order, then one piece of the
 * cheapest other account. So a flood gets only the time that no other connection needs.
 */
export interface Scheduler {
  open(): Account
}

/** An account of CPU time. Each method settles as its work does. */
export interface Account {
  /** Runs a piece now if the account is cheap, the slice has time and no cheap piece waits, or queues it. */
  run<T>(work: () => T): Promise<T>
  /** Queues a piece until the event loop has handled events once more. */
  runLater<T>(work: () => T): Promise<T>
  /** Waits like `runLater`, before asynchronous work that must not be queued itself. */
  rest(): Promise<void>
  /** Waits before unmeasurable work, such as rendering. Charges `ms`, as a piece of an expensive account. */
  restBefore(ms: number): Promise<void>
}

/** Ms for cheap pieces between two rounds of the event loop. The last piece may exceed this time. */
export const SLICE_MS = 5

/** An account with a lower recent cost in ms is cheap. */
const CREDIT_MS = 8

/** Ms of cost forgotten per ms: an account that uses a smaller fraction of the time always stays cheap. */
const DECAY_PER_MS = 0.2

/** Limits an account's cost in ms, so that the cost is forgotten within a few seconds. */
const MAX_COST_MS = 800

interface Waiting {
  readonly payer: Payer
  readonly run: () => void
}

/** `forgottenAt` is the monotonic ms at which all cost is forgotten: the later, the more expensive. */
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

  /** Runs one slice. Pieces that are added meanwhile are queued behind the waiting pieces. */
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
      // Does not count an expensive account's piece, so that the other accounts get their whole slice.
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

/** Returns the payer with the lowest cost; of equal payers, the first in the queue. */
function cheapest(waiting: ReadonlySet<Waiting>): Waiting | undefined {
  let best: Waiting | undefined
  for (const one of waiting) if (!best || one.payer.forgottenAt < best.payer.forgottenAt) best = one
  return best
}
