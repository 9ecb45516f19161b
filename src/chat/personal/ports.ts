/**
 * personal/ keeps what people typed, each for themselves: their last lines, and the draft that was cut off when their
 * connection broke. It must not know how a line is edited or what it does, and nothing that reads a log finds it.
 */
import type { PersonId } from '../people/person.ts'

/** How much is kept for one person: lines, and characters in all of them. The newest stay. */
export interface TypedLimits {
  readonly lines: number
  readonly characters: number
}

/**
 * What registered people typed. Nothing is stored of those whose option `history` is `off` by then, and that is no
 * error: another server may know it first. All methods reject with `StorageError` only.
 */
export interface TypedStore {
  /** Oldest first. */
  lines(person: PersonId): Promise<readonly string[]>
  /** Adds the newest lines, and deletes what is over the limits then. */
  addLines(person: PersonId, lines: readonly string[], limits: TypedLimits): Promise<void>
  /** The draft that was kept since `notBefore`, in milliseconds since the epoch. */
  draft(person: PersonId, notBefore: number): Promise<string | undefined>
  /** Replaces the person's draft; `at` in milliseconds since the epoch. Deletes those of anybody from before `notBefore`. */
  keepDraft(
    person: PersonId,
    draft: { readonly text: string; readonly at: number },
    notBefore: number,
  ): Promise<void>
  /** Deletes the draft if it has this text. */
  dropDraft(person: PersonId, text: string): Promise<void>
  /** Deletes all that the person typed. */
  forget(person: PersonId): Promise<void>
}
