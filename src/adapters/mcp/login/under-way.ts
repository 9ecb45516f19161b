import { once } from 'node:events'
import type { Attempt } from './attempt.ts'
import { LoginError } from './login.ts'

/** How long a person has to log in, in ms. */
export const HOLDS_MS = 10 * 60_000

/** Logins that are under way: the one that was begun last, and those whose answer is being exchanged for tokens. */
export interface UnderWay {
  /** For an attempt that is to be begun. */
  over(): AttemptEnd
  /**
   * From now on, this one can be ended, and no other: what is being exchanged ends. `over` is from before. Throws `LoginError`
   * where somebody left since.
   */
  begin(attempt: Attempt, over: AttemptEnd): void
  /** Whether this `state` is of the one that can be ended. */
  isBegun(state: string): boolean
  hasAny(): boolean
  /** Takes the one that this `state` is of; no other answer counts for it. Throws `LoginError`. */
  take(state: string): BegunAttempt
  /** As the exchange of an attempt, but whoever waits has an answer at once when it counts no more. */
  exchange(over: AttemptEnd, work: Promise<void>): Promise<void>
  /** Ends all. */
  leave(): void
}

export interface BegunAttempt {
  readonly attempt: Attempt
  readonly over: AttemptEnd
}

/** How an attempt comes to count no more. */
export interface AttemptEnd {
  /** Aborted with a `LoginError` when somebody leaves, or when another one is begun while this one is being exchanged. */
  readonly signal: AbortSignal
  /** Another one was begun. */
  replaced(): void
}

/** `how` begins a login. */
export function createUnderWay(how: string): UnderWay {
  let begun: (BegunAttempt & { readonly until: number }) | undefined
  const exchanging = new Set<AttemptEnd>()
  let leaving = new AbortController()
  const live = (): BegunAttempt | undefined => (begun && begun.until > performance.now() ? begun : undefined)

  return {
    over() {
      const other = new AbortController()
      return {
        signal: AbortSignal.any([leaving.signal, other.signal]),
        replaced: () => other.abort(new LoginError(REPLACED)),
      }
    },
    begin(attempt, over) {
      over.signal.throwIfAborted()
      for (const one of exchanging) one.replaced()
      begun = { attempt, over, until: performance.now() + HOLDS_MS }
    },
    isBegun: (state) => live()?.attempt.isOf(state) ?? false,
    hasAny: () => exchanging.size > 0 || live() !== undefined,
    take(state) {
      const taken = live()
      if (!taken) throw new LoginError(`no login of it is under way, or it took too long: ${how} begins one`)
      if (!taken.attempt.isOf(state))
        throw new LoginError('that is no answer to the login that was begun last: give the whole address')
      begun = undefined
      return taken
    },
    async exchange(over, work) {
      exchanging.add(over)
      const done = new AbortController()
      const ended = once(over.signal, 'abort', { signal: done.signal }).then(() =>
        over.signal.throwIfAborted(),
      )
      try {
        await Promise.race([work, ended])
      } finally {
        done.abort()
        exchanging.delete(over)
      }
    },
    leave() {
      begun = undefined
      leaving.abort(new LoginError(LEFT))
      leaving = new AbortController()
    },
  }
}

const LEFT = 'somebody logged out or disconnected it meanwhile, so nothing of it is kept'
const REPLACED = 'another login was begun meanwhile, and that one counts'
