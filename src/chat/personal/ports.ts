// personal/ is what is stored for each person. It must not know terminals; nothing that reads a log may find
// what people typed. Stores reject with `StorageError` only; times are in milliseconds since the epoch.
import type { EntryId, RoomName } from '../../words/entry.ts'
import type { PersonId } from '../../words/person.ts'

export interface StoredPreference {
  readonly option: string
  readonly value: string
}

export interface PreferenceStore {
  /** In order of option; may have options and values that this version does not know. */
  of(person: PersonId): Promise<readonly StoredPreference[]>
  /** Replaces the earlier value. Rejects for a person who is not registered. */
  put(person: PersonId, preference: StoredPreference): Promise<void>
  /** Resolves to the values of all who have set an option, by their current names. */
  everyone(option: string): Promise<readonly { readonly name: string; readonly value: string }[]>
}

/** How far somebody has read a room that they follow. */
export interface SeenRoom {
  readonly room: RoomName
  readonly entry: EntryId
  /** When they were last there at a terminal; 0 for never. */
  readonly at: number
}

/** How far people have read the rooms, and which rooms they follow. People follow rooms that they join. */
export interface LastSeenStore {
  find(person: PersonId, room: RoomName): Promise<EntryId | undefined>
  /** Keeps newer stored values. With `at`, they follow the room. Rejects for an unknown person or room. */
  put(person: PersonId, room: RoomName, entry: EntryId, at?: number): Promise<void>
  /** The rooms that the person follows, the last visited first. */
  mine(person: PersonId, limit: number): Promise<readonly SeenRoom[]>
  /** Stops following the room; how far they have read it stays stored. */
  drop(person: PersonId, room: RoomName): Promise<void>
}

/** An invitation to a private room that its person has not seen yet. */
export interface InvitationNotice {
  readonly room: RoomName
  readonly person: PersonId
  readonly inviter: string
  readonly at: number
}

export interface InvitationNoticeStore {
  /** Replaces an earlier notice for this person and room. */
  put(notice: InvitationNotice): Promise<void>
  /** Removes and returns the notices of a person who is still invited, oldest first. */
  take(person: PersonId): Promise<readonly InvitationNotice[]>
}

/** Limits of one person's stored lines, all together. The newest lines stay. */
export interface TypedLimits {
  readonly lines: number
  readonly characters: number
}

/** What registered people typed. Silently stores nothing of people whose option `history` is `off`. */
export interface TypedStore {
  lines(person: PersonId): Promise<readonly string[]>
  addLines(person: PersonId, lines: readonly string[], limits: TypedLimits): Promise<void>
  draft(person: PersonId, notBefore: number): Promise<string | undefined>
  /** Replaces the person's draft. Deletes everybody's drafts from before `notBefore`. */
  keepDraft(
    person: PersonId,
    draft: { readonly text: string; readonly at: number },
    notBefore: number,
  ): Promise<void>
  dropDraft(person: PersonId, text: string): Promise<void>
  forget(person: PersonId): Promise<void>
}
