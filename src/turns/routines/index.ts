/** What runs by itself, for a person, in a room. */
export { type Spec, specText, timeText } from './calendar.ts'
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
