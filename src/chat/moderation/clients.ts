import { skeleton } from '../../lib/text/skeleton.ts'
import type { RoomName } from '../entry.ts'
import type { Fingerprint, Person, PersonId } from '../people/person.ts'
import type { Peers } from '../peers.ts'

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

/** The people whom an act concerns, in a form that another server can be sent. */
export type Whom =
  /** These people, and all who came in with one of these keys. */
  | { readonly people: readonly PersonId[]; readonly keys: readonly Fingerprint[] }
  /** Somebody, where they came in with this key. */
  | { readonly person: PersonId; readonly key: string }
  /** All who came in with this token. */
  | { readonly token: number }

/** What is done to clients. `text` is what they are told. */
export type ClientAct =
  | { readonly act: 'tell' | 'end'; readonly whom: Whom; readonly text: string }
  | { readonly act: 'leave'; readonly room: RoomName; readonly whom: Whom; readonly text: string }

/** The clients of some people, on whichever server of the database. No method rejects. */
export interface ClientsEverywhere {
  tell(whom: Whom, text: string): void
  end(whom: Whom, why: string): void
  /** Resolves when all of them on this server are out of the room; the others soon are. */
  leave(room: RoomName, whom: Whom, why: string): Promise<void>
}

export function createClientsEverywhere(
  clients: OpenClients,
  peers: Pick<Peers, 'broadcast'>,
): ClientsEverywhere {
  async function everywhere(act: ClientAct): Promise<void> {
    void peers.broadcast('clients', act)
    await applyClientAct(act, clients)
  }
  return {
    tell: (whom, text) => void everywhere({ act: 'tell', whom, text }),
    end: (whom, text) => void everywhere({ act: 'end', whom, text }),
    leave: (room, whom, text) => everywhere({ act: 'leave', room, whom, text }),
  }
}

/** Does it to the clients of this server. */
export async function applyClientAct(act: ClientAct, clients: OpenClients): Promise<void> {
  const concerns = concernsOf(act.whom)
  if (act.act === 'leave') await clients.leave(act.room, concerns, act.text)
  else if (act.act === 'tell') clients.tell(concerns, act.text)
  else clients.end(concerns, act.text)
}

function concernsOf(whom: Whom): Concerns {
  if ('token' in whom) return ({ login }) => login?.token?.id === whom.token
  if ('person' in whom) return ({ id, login }) => id === whom.person && login?.key === whom.key
  const [people, keys] = [new Set(whom.people), new Set(whom.keys)]
  return ({ id, login }: Person) => people.has(id) || (login !== undefined && keys.has(login.key))
}
