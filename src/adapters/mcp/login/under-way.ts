import { once } from 'node:events'
import type { Attempt } from './attempt.ts'
import { LoginError } from './login.ts'

/** How long a person has to log in, in ms. */
export const HOLDS_MS = 10 * 60_000

/** Logins that are under way: the one that was begun last, and those whose answer is being exchanged for tokens. */
export interface UnderWay {
  /** Aborted when somebody leaves: what was begun before counts no more. */
  left(): AbortSignal
  /** From now on, this one can be ended. `left` is from before. Throws `LoginError` where somebody left since. */
  begin(attempt: Attempt, left: AbortSignal): void
  /** Whether this `state` is of the one that can be ended. */
  isBegun(state: string): boolean
  hasAny(): boolean
  /** Takes the one that this `state` is of; no other answer counts for it. Throws `LoginError`. */
  take(state: string): BegunAttempt
  /** As the exchange of an attempt, but whoever waits has an answer at once when somebody leaves. */
  exchange(left: AbortSignal, work: Promise<void>): Promise<void>
  /** Ends all. */
  leave(): void
}

export interface BegunAttempt {
  readonly attempt: Attempt
  /** Aborted when somebody leaves. */
  readonly left: AbortSignal
}

/** `how` begins a login. */
export function createUnderWay(how: string): UnderWay {
  let begun: (BegunAttempt & { readonly until: number }) | undefined
  let exchanging = 0
  let leaving = new AbortController()
  const live = (): BegunAttempt | undefined => (begun && begun.until > performance.now() ? begun : undefined)

  return {
    left: () => leaving.signal,
    begin(attempt, left) {
      if (left.aborted) throw new LoginError(LEFT)
      begun = { attempt, left, until: performance.now() + HOLDS_MS }
    },
    isBegun: (state) => live()?.attempt.isOf(state) ?? false,
    hasAny: () => exchanging > 0 || live() !== undefined,
    take(state) {
      const taken = live()
      if (!taken) throw new LoginError(`no login of it is under way, or it took too long: ${how} begins one`)
      if (!taken.attempt.isOf(state))
        throw new LoginError('that is no answer to the login that was begun last: give the whole address')
      begun = undefined
      return taken
    },
    async exchange(left, work) {
      exchanging++
      const over = new AbortController()
      const ended = once(left, 'abort', { signal: over.signal }).then(() => {
        throw new LoginError(LEFT)
      })
      try {
        await Promise.race([work, ended])
      } finally {
        over.abort()
        exchanging--
      }
    },
    leave() {
      begun = undefined
      leaving.abort()
      leaving = new AbortController()
    },
  }
}

const LEFT = 'somebody logged out or disconnected it meanwhile, so nothing of it is kept'
