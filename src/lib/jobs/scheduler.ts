/**
 * When and how long jobs run: in slices of the thread, one after the other, until a deadline or an abort. A job is any
 * function; these files must not know what it does, and get their clocks from who uses them.
 */
import { fullAfter } from '../token-bucket.ts'

/** What `createScheduler` needs of the outside. */
export interface SchedulerTimers {
  /** Milliseconds that never go back. */
  now(): number
  /** Calls back once the event loop has looked at sockets and timers: Node's `setImmediate`. */
  soon(run: () => void): void
}

/**
 * Shares the thread between all connections. Each divides what it makes the server do (its bytes, its keys, its screens,
 * its pages of output) into pieces of a fraction of a millisecond, and runs each piece on its own account. Between two
 * looks at the event loop there is one slice of `SLICE_MS`: pieces of accounts that cost little lately are run in the
 * order of asking while it lasts, and of all others one piece, that of the account which cost the least. So a flood
 * takes all the time that nobody else wants, and no more.
 */
export interface Scheduler {
  /** The account of one connection. It holds nothing that must be closed. */
  open(): Account
}

/** What somebody has cost the thread lately. All methods settle as the work does. */
export interface Account {
  /** Runs a piece: at once where the account cost little lately, the slice lasts and nobody such waits; else in turn. */
  run<T>(work: () => T): Promise<T>
  /** Runs a piece in turn, and never before the event loop was looked at once more. */
  runLater<T>(work: () => T): Promise<T>
  /** Resolves in turn, after the event loop was looked at once more: for work that is asynchronous and may never wait. */
  rest(): Promise<void>
  /**
   * As `rest`, for work that follows and is long, and cannot be measured, such as making a page: `ms` are counted for
   * it, and it takes the place of a dear piece, whoever asks.
   */
  restBefore(ms: number): Promise<void>
}

/** Cheap work between two looks at the event loop, in milliseconds; its last piece may pass it. */
export const SLICE_MS = 5

/** Who cost less than this lately is cheap. */
const CREDIT_MS = 8

/** How much of a cost is forgotten in each millisecond: nobody who costs less than this share is ever dear. */
const FORGOTTEN_SHARE = 0.2

/** More than this is not held against anybody, so that it is forgotten in a few seconds. */
const MAX_COST_MS = 800

/** A piece that waits. */
interface Waiting {
  readonly payer: Payer
  readonly run: () => void
}

/** Of an account: when all that it cost will be forgotten, a token bucket of milliseconds. The later, the dearer. */
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

  /** What those who are served want next comes after those who wait now. */
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
      // The slice is for the others: they do not wait longer because a dear piece ran.
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

/** Of those that cost as much, the one that waits longest. */
function cheapest(waiting: ReadonlySet<Waiting>): Waiting | undefined {
  let best: Waiting | undefined
  for (const one of waiting) if (!best || one.payer.forgottenAt < best.payer.forgottenAt) best = one
  return best
}
