import { skeleton } from '../../lib/text/skeleton.ts'
import type { RoomName } from '../entry.ts'
import type { Person } from '../people/person.ts'

/** A connection, a session or a command of somebody who is on the server now. No method throws. */
export interface OpenClient {
  readonly person: Person
  /** Ends it, and says why. */
  end(why: string): void
  /** Tells something. Absent for connections and commands. */
  tell?(text: string): void
  /** Takes it out of a room, if it is there, and says why. Absent for connections and commands, which are in no room. */
  leave?(room: RoomName, why: string): Promise<void>
}

/** Whom an act concerns. */
export type Concerns = (person: Person) => boolean

/** All who are on the server now. */
export interface OpenClients {
  /** Counts one more; the function returned is to be called when it is over. */
  begin(client: OpenClient): () => void
  /** The people who are here, each as often as they have connections, sessions and commands. */
  people(concerns: Concerns): readonly Person[]
  /** How many sessions there are. */
  sessions(): number
  /** Somebody who is here under a name that looks like this one. */
  called(name: string): Person | undefined
  tell(concerns: Concerns, text: string): void
  end(concerns: Concerns, why: string): void
  /** Resolves when all of them are out of the room. */
  leave(room: RoomName, concerns: Concerns, why: string): Promise<void>
}

export function createOpenClients(): OpenClients {
  const clients = new Set<OpenClient>()
  const those = (concerns: Concerns): readonly OpenClient[] =>
    [...clients].filter(({ person }) => concerns(person))
  return {
    begin(client) {
      clients.add(client)
      return () => clients.delete(client)
    },
    people: (concerns) => those(concerns).map(({ person }) => person),
    sessions: () => [...clients].filter(({ tell }) => tell !== undefined).length,
    called(name) {
      const wanted = skeleton(name)
      return [...clients].find(({ person }) => skeleton(person.name) === wanted)?.person
    },
    tell(concerns, text) {
      for (const client of those(concerns)) client.tell?.(text)
    },
    end(concerns, why) {
      for (const client of those(concerns)) client.end(why)
    },
    async leave(room, concerns, why) {
      await Promise.all(those(concerns).map(async (client) => await client.leave?.(room, why)))
    },
  }
}
