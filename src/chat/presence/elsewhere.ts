// The port for who is in the rooms through other servers (src/cluster).

import type { RoomName } from '../entry.ts'
import type { Person, PersonId } from '../people/person.ts'

/** Who is in the rooms through other servers of the same database. No method rejects. */
export interface Elsewhere {
  /** Somebody's first participant here came in; resolves to whether they were in the room through no other server. */
  came(room: RoomName, person: Person): Promise<boolean>
  /** Somebody's last participant here went; resolves to whether they are in the room through no other server. */
  went(room: RoomName, person: Person): Promise<boolean>
  /** Each person once, in any order; the same list as long as nothing changes. */
  peopleIn(room: RoomName): readonly Person[]
  /** Somebody who is in any room through another server, as they came. */
  find(person: PersonId): Person | undefined
  /** A guest who is there, by a name that looks like theirs. */
  guestCalled(name: string): Person | undefined
  /** Whether somebody is in any room through another server. */
  isPresent(person: PersonId): boolean
  /** From now on `changed` is called after the list of a room has changed. Returns the function that ends it. */
  watch(room: RoomName, changed: () => void): () => void
}

/** Of a server that is alone. */
export const NOBODY_ELSEWHERE: Elsewhere = {
  came: () => Promise.resolve(true),
  went: () => Promise.resolve(true),
  peopleIn: () => NOBODY,
  find: () => undefined,
  guestCalled: () => undefined,
  isPresent: () => false,
  watch: () => () => undefined,
}

const NOBODY: readonly Person[] = []
