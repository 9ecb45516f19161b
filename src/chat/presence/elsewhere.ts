// The port for who is in the rooms through other servers (src/cluster).

import type { RoomName } from '../entry.ts'
import type { Person, PersonId } from '../people/person.ts'

/**
 * Whether the room is to be told of a coming or going. `held`: it is on disk already, and waits to be summed up
 * (held-presence.ts). `nothing`: they were, or are, in the room through another server, or it is not known yet.
 */
export type ToTell = 'line' | 'held' | 'nothing'

/** Who is in the rooms through other servers of the same database. No method rejects. */
export interface Elsewhere {
  /** Somebody's first participant here came in. */
  came(room: RoomName, person: Person): Promise<ToTell>
  /** Somebody's last participant here went. */
  went(room: RoomName, person: Person): Promise<ToTell>
  /** Each person once, in any order; the same list as long as nothing changes. */
  peopleIn(room: RoomName): readonly Person[]
  /** Somebody who is in any room through another server, as they came. */
  find(person: PersonId): Person | undefined
  /** A guest who is there, by a name that looks like theirs. */
  guestCalled(name: string): Person | undefined
  /** Whether somebody is in any room through another server. */
  isPresent(person: PersonId): boolean
  /**
   * Whether somebody who went from the room a moment ago may be on their way to another server. Whoever watches the room is told when
   * that moment is over.
   */
  mayComeBack(room: RoomName, person: PersonId): boolean
  /** Those that somebody is in. */
  rooms(): readonly RoomName[]
  /**
   * The number of servers on which a person, a key or a network is in a room, this one included: each gives its share of
   * their limits. `quotaKey` is a name of limits/payers.ts.
   */
  serversOf(quotaKey: string): number
  /** From now on `changed` is called after the list of a room has changed. Returns the function that ends it. */
  watch(room: RoomName, changed: () => void): () => void
}

/** Of a server that is alone. */
export const NOBODY_ELSEWHERE: Elsewhere = {
  came: () => Promise.resolve('line'),
  went: () => Promise.resolve('line'),
  peopleIn: () => NOBODY,
  find: () => undefined,
  guestCalled: () => undefined,
  isPresent: () => false,
  mayComeBack: () => false,
  rooms: () => [],
  serversOf: () => 1,
  watch: () => () => undefined,
}

const NOBODY: readonly Person[] = []
