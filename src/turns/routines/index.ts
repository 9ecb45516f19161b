/** What runs by itself, for a person, in a room. */
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
