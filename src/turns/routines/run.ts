import type { RoutineId } from './ports.ts'

/** A run of a routine, or of a hook that speaks: a line and the turns that answer it. */
export interface RoutineRun {
  /** Absent for a hook. */
  readonly id?: RoutineId
  /** The routine's number in the room; 0 for a hook. */
  readonly number: number
  /** Patterns of tools that a run may call, within the scopes of room and model; null for all of these. */
  readonly scope: readonly string[] | null
  /** `person`: the requester's rights; `member`: a plain member's here, who reads no other private room. */
  readonly rights: 'person' | 'member'
  /** Counts the tokens of one request, also of side turns. Rejects with `StorageError`. */
  spent(tokens: number): Promise<void>
  /** Returns why no further request may be made; undefined if one may. Rejects with `StorageError`. */
  whyNoTokens(): Promise<string | undefined>
}

/** True for an answer of a run that is not shown. */
export const isSilence = (text: string): boolean => ['', '-'].includes(text.trim())

/** Text for the model after the line that it answers in a run. */
export const SILENCE_HINT =
  '(A routine asks this. If there is nothing to say, answer only "-": that is not shown.)'
