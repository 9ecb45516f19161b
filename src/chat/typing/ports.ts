/**
 * typing/ keeps for each person, and for nobody else, what they typed: their last lines, for the next login, and the draft
 * that was cut off when their connection broke.
 *
 * It must not know how a line is edited or what it does. What it needs on disk is in this file; nothing that reads a room's
 * log finds it, no command shows it, and secrets are not kept (secrets.ts).
 */
import type { PersonId } from '../people/person.ts'

/** How much is kept for one person: so many lines, and so many characters in all of them. The newest stay. */
export interface TypedLimits {
  readonly lines: number
  readonly characters: number
}

/**
 * What registered people typed. Nothing is stored of those who want nothing kept by then (the option `history` is `off`), and that
 * is no error: another server may know it first. All methods reject with `StorageError` only.
 */
export interface TypedStore {
  /** Oldest first. */
  lines(person: PersonId): Promise<readonly string[]>
  /** Puts lines behind those that there are, and deletes what is too old then. */
  addLines(person: PersonId, lines: readonly string[], limits: TypedLimits): Promise<void>
  /** One that was kept since `notBefore`, in milliseconds since the epoch. */
  draft(person: PersonId, notBefore: number): Promise<string | undefined>
  /**
   * Takes the place of another draft, but of none that is newer and not of the future. Resolves to the text of the one of the two that
   * is nowhere now, if they differ. Whatever is older than `notBefore`, of anybody, is deleted.
   */
  keepDraft(
    person: PersonId,
    draft: { readonly text: string; readonly at: number },
    notBefore: number,
  ): Promise<string | undefined>
  /** Deletes one that was kept until `notAfter`, or in the future: a newer one stays. */
  dropDraft(person: PersonId, notAfter: number): Promise<void>
  /** Deletes all that the person typed. */
  forget(person: PersonId): Promise<void>
}
