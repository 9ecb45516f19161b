import { DAY_MS } from '../../base/amounts.ts'
import type { Clock } from '../../base/environment.ts'
import type { Routine, RoutineStore } from './ports.ts'
import type { RoutineRun } from './run.ts'

/** Keys of `[limits]`; 0 for no limit. */
export interface TokenLimits {
  readonly routine_tokens_day: number
  readonly routines_tokens_day_server: number
}

export interface BudgetParts {
  readonly store: Pick<RoutineStore, 'byId' | 'list' | 'spend'>
  readonly limits: TokenLimits
  readonly clock: Clock
}

/** Creates a run of a routine, which counts its tokens. */
export function createRun(
  { id, number, scope, condition }: Routine,
  { store, limits, clock }: BudgetParts,
): RoutineRun {
  const today = (): number => Math.floor(clock.now() / DAY_MS)
  const usedToday = ({ spent }: Routine): number => (spent.day === today() ? spent.tokens : 0)
  return {
    id,
    number,
    scope,
    rights: condition.kind === 'line' ? 'member' : 'person',
    spent: (tokens) => store.spend(id, { day: today(), tokens }),
    async whyNoTokens() {
      const routine = await store.byId(id)
      if (!routine || routine.state === 'ended') return `routine ${number} has ended`
      const { routine_tokens_day: usual, routines_tokens_day_server: ofAll } = limits
      const most = Math.min(routine.tokens ?? Infinity, usual === 0 ? Infinity : usual)
      if (usedToday(routine) >= most)
        return `routine ${number} has used its ${most} tokens of today (routine_tokens_day, or --tokens)`
      if (ofAll === 0) return undefined
      const used = (await store.list({})).reduce((sum, one) => sum + usedToday(one), 0)
      return used < ofAll ? undefined : `all routines have used their ${ofAll} tokens of today`
    },
  }
}
