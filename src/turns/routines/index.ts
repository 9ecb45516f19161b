/** Routines: instructions that run by themselves for a person in a room. */
export { conditionText, routineText } from './describe.ts'
export { timeText } from './calendar.ts'
export { RoutineEngine } from './engine.ts'
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
export { type AllowedPeople, isAmong, type RoutinePolicy } from './rights.ts'
export { type ListedRoutine, Routines, type ShownRoutines } from './service.ts'
export { isSilence, type RoutineRun, SILENCE_HINT } from './run.ts'
