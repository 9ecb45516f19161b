/** What runs by itself, for a person, in a room. */
export { conditionText, routineText } from './describe.ts'
export { type Spec, specText, timeText } from './calendar.ts'
export { RoutineEngine, type RoutineEngineParts } from './engine.ts'
export { parseSpec, parseUntil, parseWhen } from './parse-when.ts'
export type {
  Condition,
  NewRoutine,
  Routine,
  RoutineId,
  RoutinePlace,
  RoutineProgress,
  RoutineStore,
} from './ports.ts'
export { type AllowedPeople, type RoutinePolicy, type RoutineVerb, allowedPeople } from './rights.ts'
export { type ListedRoutine, type RoutineDraft, type RoutineLimits, Routines } from './service.ts'
export { isSilence, type RoutineRun, SILENCE_HINT } from './run.ts'
