import { addressBits } from '../../lib/network.ts'
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

/** True for a person whom an act concerns. */
export type Concerns = (person: Person) => boolean

export type OpenClients = ReturnType<typeof createOpenClients>

/** All clients of this server. */
export function createOpenClients() {
  const clients = new Set<OpenClient>()
  const matching = (concerns: Concerns): readonly OpenClient[] =>
    [...clients].filter(({ person }) => concerns(person))
  return {
    /** Counts one more; the function returned is to be called when it is over. */
    begin(client: OpenClient): () => void {
      clients.add(client)
      return () => clients.delete(client)
    },
    /** The people who are here, each as often as they have connections, sessions and commands. */
    people: (concerns: Concerns): readonly Person[] => matching(concerns).map(({ person }) => person),
    /** The number of sessions. */
    sessions: (): number => [...clients].filter(({ tell }) => tell !== undefined).length,
    /** Somebody who is here under a name that looks like this one. */
    called(name: string): Person | undefined {
      const wanted = skeleton(name)
      return [...clients].find(({ person }) => skeleton(person.name) === wanted)?.person
    },
    tell(concerns: Concerns, text: string): void {
      for (const client of matching(concerns)) client.tell?.(text)
    },
    end(concerns: Concerns, why: string): void {
      for (const client of matching(concerns)) client.end(why)
    },
    /** Resolves when all of them are out of the room. */
    async leave(room: RoomName, concerns: Concerns, why: string): Promise<void> {
      await Promise.all(matching(concerns).map(async (client) => await client.leave?.(room, why)))
    },
  }
}

/** These people, all who came in with one of the keys, and all whose address begins with the bits. */
export interface Group {
  readonly people: readonly PersonId[]
  readonly keys: readonly Fingerprint[]
  /** As `addressBits` of lib/network.ts. */
  readonly bits?: string | undefined
}

/** True if one of `people`, who came in by `login` from the address of `bits`, is in the group. */
export const isOf = (
  group: Group,
  people: readonly PersonId[],
  login: Person['login'],
  bits = login && addressBits(login.network),
): boolean =>
  people.some((id) => group.people.includes(id)) ||
  (login !== undefined && group.keys.includes(login.key)) ||
  (group.bits !== undefined && bits?.startsWith(group.bits) === true)

/** The people whom an act concerns, in a form that another server can be sent. */
export type Whom =
  | Group
  /** Somebody, if they came in with this key. */
  | { readonly person: PersonId; readonly key: string }
  /** All who came in with this token. */
  | { readonly token: number }

/** What is done to clients. `text` is what they are told. */
export type ClientAct =
  | { readonly act: 'tell' | 'end'; readonly whom: Whom; readonly text: string }
  | { readonly act: 'leave'; readonly room: RoomName; readonly whom: Whom; readonly text: string }

export type ClientsEverywhere = ReturnType<typeof createClientsEverywhere>

/** The clients of some people on all servers of the database. No method rejects. */
export function createClientsEverywhere(clients: OpenClients, peers: Pick<Peers, 'broadcast'>) {
  async function everywhere(act: ClientAct): Promise<void> {
    void peers.broadcast('clients', act)
    await applyClientAct(act, clients)
  }
  return {
    tell: (whom: Whom, text: string): void => void everywhere({ act: 'tell', whom, text }),
    end: (whom: Whom, text: string): void => void everywhere({ act: 'end', whom, text }),
    /** Resolves when all of them on this server are out of the room; the others soon are. */
    leave: (room: RoomName, whom: Whom, text: string): Promise<void> =>
      everywhere({ act: 'leave', room, whom, text }),
  }
}

/** Does it to the clients of this server. */
export async function applyClientAct(act: ClientAct, clients: OpenClients): Promise<void> {
  const concerns = concernsOf(act.whom)
  if (act.act === 'leave') await clients.leave(act.room, concerns, act.text)
  else clients[act.act](concerns, act.text)
}

const concernsOf =
  (whom: Whom): Concerns =>
  ({ id, login }) => {
    if ('token' in whom) return login?.token?.id === whom.token
    if ('person' in whom) return id === whom.person && login?.key === whom.key
    return isOf(whom, [id], login)
  }
