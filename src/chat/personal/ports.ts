/**
 * personal/ is what is kept for each person. It must not know terminals; nothing that reads a log finds what
 * people typed. Stores reject with `StorageError` only; times are in milliseconds since the epoch.
 */
import type { EntryId, RoomName } from '../entry.ts'
import type { PersonId } from '../people/person.ts'

export interface StoredPreference {
  readonly option: string
  readonly value: string
}

export interface PreferenceStore {
  /** In order of option; may have options and values that this version does not know. */
  of(person: PersonId): Promise<readonly StoredPreference[]>
  /** Replaces what was set before. Rejects for a person who is not registered. */
  put(person: PersonId, preference: StoredPreference): Promise<void>
  /** All who have set an option, by their present names. */
  everyone(option: string): Promise<readonly { readonly name: string; readonly value: string }[]>
}

/** How far somebody has read a room of theirs. */
export interface SeenRoom {
  readonly room: RoomName
  readonly entry: EntryId
}

/** How far people have read the rooms, and which of these are theirs: where they were at a terminal. */
export interface LastSeenStore {
  find(person: PersonId, room: RoomName): Promise<EntryId | undefined>
  /**
   * Keeps a newer entry that is stored. With `at`, when the person was there, the room is theirs. Rejects for
   * an unknown person or room.
   */
  put(person: PersonId, room: RoomName, entry: EntryId, at?: number): Promise<void>
  /** The person's rooms, those first in which they were last. */
  mine(person: PersonId, limit: number): Promise<readonly SeenRoom[]>
  /** The room is not theirs any more; how far they have read it stays stored. */
  drop(person: PersonId, room: RoomName): Promise<void>
}

/** An invitation to a private room that its person was not told of. */
export interface InvitationNotice {
  readonly room: RoomName
  readonly person: PersonId
  readonly inviter: string
  readonly at: number
}

export interface InvitationNoticeStore {
  /** Replaces another one for this person and room. */
  put(notice: InvitationNotice): Promise<void>
  /** Removes and returns those of one person who is still invited, oldest first. */
  take(person: PersonId): Promise<readonly InvitationNotice[]>
}

/** How much is kept for one person, all lines together. The newest stay. */
export interface TypedLimits {
  readonly lines: number
  readonly characters: number
}

/**
 * What registered people typed. Stores nothing of those whose option `history` is `off`, without an error.
 */
export interface TypedStore {
  lines(person: PersonId): Promise<readonly string[]>
  /** Adds the newest lines, and deletes those over the limits. */
  addLines(person: PersonId, lines: readonly string[], limits: TypedLimits): Promise<void>
  /** The draft that was kept since `notBefore`. */
  draft(person: PersonId, notBefore: number): Promise<string | undefined>
  /** Replaces the person's draft. Deletes those of anybody from before `notBefore`. */
  keepDraft(
    person: PersonId,
    draft: { readonly text: string; readonly at: number },
    notBefore: number,
  ): Promise<void>
  dropDraft(person: PersonId, text: string): Promise<void>
  forget(person: PersonId): Promise<void>
}
