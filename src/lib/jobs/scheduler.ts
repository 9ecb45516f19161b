/** Shares the thread between all connections. A job is any function; this file must not know what it does. */
import { fullAfter } from '../token-bucket.ts'

export interface SchedulerTimers {
  /** Milliseconds that never go back. */
  now(): number
  soon(run: () => void): void
}

/**
 * Each connection divides what it makes the server do into pieces of a fraction of a millisecond, and runs
 * them on its account. Between two looks at the event loop there is one slice of `SLICE_MS`: pieces of cheap
 * accounts run in order while it lasts, and one piece of all others, of the cheapest of them. So a flood
 * takes all the time that nobody else wants, and no more.
 */
export interface Scheduler {
  open(): Account
}

/** All methods settle as the work does. */
export interface Account {
  /** Runs a piece at once if the account is cheap, the slice lasts and no cheap piece waits; else in turn. */
  run<T>(work: () => T): Promise<T>
  /** Runs a piece in turn, after the event loop was looked at once more. */
  runLater<T>(work: () => T): Promise<T>
  /** As `runLater`, before work that is asynchronous and may never wait. */
  rest(): Promise<void>
  /**
   * As `rest`, before long work that cannot be measured, such as making a page: `ms` are charged for it, and
   * it takes the place of a dear piece.
   */
  restBefore(ms: number): Promise<void>
}

/** Of cheap pieces, between two looks at the event loop; the last one may pass it. */
export const SLICE_MS = 5

/** An account that cost less than this lately is cheap. */
const CREDIT_MS = 8

/** Of a cost, forgotten in each ms: an account that costs less than this share is never dear. */
const FORGOTTEN_SHARE = 0.2

/** A higher cost is cut to this, so that it is forgotten in a few seconds. */
const MAX_COST_MS = 800

interface Waiting {
  readonly payer: Payer
  readonly run: () => void
}

/** `forgottenAt`: when all costs will be forgotten, a token bucket of milliseconds. The later, the dearer. */
interface Payer {
  forgottenAt: number
}

/** One for a process: a slice is only short if all share it. */
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

  /** Pieces that are asked for meanwhile come after those that wait now. */
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
      // Others do not wait longer because a dear piece ran.
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
      at + MAX_COST_MS / FORGOTTEN_SHARE,
      fullAfter(payer.forgottenAt, at, ms / FORGOTTEN_SHARE),
    )
  }

  #hasTime(): boolean {
    return this.#used < SLICE_MS
  }

  #isCheap({ forgottenAt }: Payer): boolean {
    return forgottenAt - this.#timers.now() < CREDIT_MS / FORGOTTEN_SHARE
  }
}

/** Of equals, the one that waits longest. */
function cheapest(waiting: ReadonlySet<Waiting>): Waiting | undefined {
  let best: Waiting | undefined
  for (const one of waiting) if (!best || one.payer.forgottenAt < best.payer.forgottenAt) best = one
  return best
}
