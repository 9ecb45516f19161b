// The port for what talk needs of the other servers of the same database.

import type { Person, PersonId } from '../people/person.ts'
import type { DirectMessage } from './ports.ts'

/** What somebody wrote to another one, as other servers are told. */
export interface ToldMessage {
  readonly message: DirectMessage
  /** Who is to read it, by the name of now. */
  readonly to: Pick<Person, 'id' | 'name' | 'guest'>
}

/** People who are there through other servers, and what those are told. No method rejects: what could not be told is in the log. */
export interface TalkElsewhere {
  /** Somebody who is in a room there. */
  find(person: PersonId): Person | undefined
  /** A guest who is in a room there. */
  guestCalled(name: string): Person | undefined
  /** The sessions there show it. */
  message(told: ToldMessage): Promise<void>
  /** A guest, who is stored nowhere, is away with this text, or came back. */
  guestAway(person: PersonId, text: string | null): Promise<void>
}

/** Of a server that is alone. */
export const NOBODY_TO_TALK_TO: TalkElsewhere = {
  find: () => undefined,
  guestCalled: () => undefined,
  message: () => Promise.resolve(),
  guestAway: () => Promise.resolve(),
}
