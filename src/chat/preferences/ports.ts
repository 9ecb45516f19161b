/**
 * chat/preferences/ is how each person wants their sessions: which options there are, what somebody has set, and what they
 * have seen of a room. It must not know what a terminal is, nor how an option changes what is drawn.
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
  /** Takes the place of what was set before. Rejects for who is not registered. */
  put(person: PersonId, preference: StoredPreference): Promise<void>
  /** Who has set an option, by the names of now. */
  everyone(option: string): Promise<readonly { readonly name: string; readonly value: string }[]>
}

/** How far registered people have read the rooms. All methods reject with `StorageError` only. */
export interface LastSeenStore {
  /** Undefined where they were never there. */
  find(person: PersonId, room: RoomName): Promise<EntryId | undefined>
  /** Nothing changes where a newer one is stored. Rejects for who is not registered, and where there is no such room. */
  put(person: PersonId, room: RoomName, entry: EntryId): Promise<void>
}
