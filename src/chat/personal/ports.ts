/**
 * personal/ is what is kept for each person: how they want their sessions, how far they have read a room, invitations
 * that they were not told of, and what they typed. It must not know what a terminal is or how a line is drawn or
 * edited, and nothing that reads a log finds what people typed.
 */
import type { EntryId, RoomName } from '../entry.ts'
import type { PersonId } from '../people/person.ts'

/** What was set for an option, as it is stored. */
export interface StoredPreference {
  readonly option: string
  readonly value: string
}

/** What registered people have set. All methods reject with `StorageError` only. */
export interface PreferenceStore {
  /** In order of option; may have options and values that this version does not know. */
  of(person: PersonId): Promise<readonly StoredPreference[]>
  /** Replaces what was set before. Rejects for a person who is not registered. */
  put(person: PersonId, preference: StoredPreference): Promise<void>
  /** All who have set an option, by their present names. */
  everyone(option: string): Promise<readonly { readonly name: string; readonly value: string }[]>
}

/** How far registered people have read the rooms. All methods reject with `StorageError` only. */
export interface LastSeenStore {
  /** Undefined if they were never there. */
  find(person: PersonId, room: RoomName): Promise<EntryId | undefined>
  /** Changes nothing if a newer one is stored. Rejects for a person who is not registered, and without such a room. */
  put(person: PersonId, room: RoomName, entry: EntryId): Promise<void>
}

/** An invitation to a private room that its person was not told of. */
export interface InvitationNotice {
  readonly room: RoomName
  readonly person: PersonId
  /** A name. */
  readonly inviter: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** All methods reject with `StorageError` only. */
export interface InvitationNoticeStore {
  /** Replaces another one for this person and room. */
  put(notice: InvitationNotice): Promise<void>
  /** Removes and returns those of one person who is still invited, oldest first. */
  take(person: PersonId): Promise<readonly InvitationNotice[]>
}

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
