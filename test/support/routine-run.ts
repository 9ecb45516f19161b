import type { RoutineRun } from '../../src/turns/routines/run.ts'
import type { RoutineId } from '../../src/turns/routines/ports.ts'

/**
 * The run of routine 3, with all rights of its person and no limit, unless changed. `tokens` has what `spent`
 * was told.
 */
export function routineRun(change: Partial<RoutineRun> = {}): RoutineRun & { readonly tokens: number[] } {
  const tokens: number[] = []
  return {
    id: '01R' as RoutineId,
    number: 3,
    scope: null,
    rights: 'person',
    spent: async (more) => void tokens.push(more),
    whyNoTokens: async () => undefined,
    tokens,
    ...change,
  }
}
