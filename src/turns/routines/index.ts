/** What runs by itself, for a person, in a room. */
export { type Spec, specText, timeText } from './calendar.ts'
export { parseSpec, parseUntil, parseWhen } from './parse-when.ts'
export type {
  Condition,
  DaySpending,
  ListenCondition,
  NewRoutine,
  Routine,
  RoutineCounts,
  RoutineId,
  RoutinePlace,
  RoutineProgress,
  RoutineStore,
  RunClaim,
  WatchCondition,
} from './ports.ts'
