import { addressBits } from '../../lib/network.ts'
import { skeleton } from '../../lib/text/names.ts'
import type { RoomName } from '../entry.ts'
import type { Fingerprint, Person, PersonId } from '../people/person.ts'
import type { Peers } from '../peers.ts'
import type { Clock, RoomStore } from '../ports.ts'
import type { Sanction } from './ports.ts'
import { becauseOf, forHowLong, type Sanctions } from './sanctions.ts'

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

/** True for the people of a group. */
export const concernedBy =
  ({ people, keys, bits }: Group): Concerns =>
  ({ id, login }) =>
    people.includes(id) ||
    (login !== undefined &&
      (keys.includes(login.key) || (bits !== undefined && isWithin(bits, login.network))))

const isWithin = (bits: string, address: string): boolean => addressBits(address)?.startsWith(bits) === true

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

function concernsOf(whom: Whom): Concerns {
  if ('token' in whom) return ({ login }) => login?.token?.id === whom.token
  if ('person' in whom) return ({ id, login }) => id === whom.person && login?.key === whom.key
  return concernedBy(whom)
}

interface EnforcementParts {
  readonly sanctions: Sanctions
  readonly clients: Pick<OpenClients, 'end' | 'leave'>
  readonly clock: Clock
}

/** Puts all banned people out of the room of a ban, but its owner, or out of this server. Resolves when they are out. */
export async function putOut(
  { room, until, reason }: Sanction,
  owner: PersonId | null | undefined,
  { sanctions, clients, clock }: EnforcementParts,
): Promise<void> {
  const ms = until === null ? undefined : Math.max(0, until - clock.now())
  const how = `${forHowLong(ms)}${becauseOf(reason)}`
  if (room === null) {
    const why = `you were banned from this server${how}`
    return clients.end((person) => sanctions.whyOut(person) !== undefined, why)
  }
  const isOut = (person: Person): boolean =>
    !person.admin && person.id !== owner && sanctions.whyOutOf(room, person) !== undefined
  await clients.leave(room, isOut, `you were banned from ${room}${how}`)
}

/** Does what other servers decided to the clients of this one. */
export function createEnforcement(parts: EnforcementParts & { readonly rooms: Pick<RoomStore, 'find'> }) {
  const { sanctions, clients, rooms } = parts
  /** Bans whose people were not put out yet. */
  const fresh = new Set<Sanction>()
  return {
    /** Reads what changed and puts people out. Rejects with `StorageError`, and is to be called again then. */
    async sanctionsChanged(): Promise<void> {
      for (const one of await sanctions.readAgain()) if (one.kind === 'ban') fresh.add(one)
      for (const ban of fresh) {
        const owner = ban.room === null ? null : (await rooms.find(ban.room))?.owner
        void putOut(ban, owner, parts)
        fresh.delete(ban)
      }
    },
    /**
     * Takes `deleted` for all rooms that other servers are deleting, with the names of the people who do. Resolves when
     * everybody is out of them.
     */
    async closed(deleted: ReadonlyMap<RoomName, string>): Promise<void> {
      sanctions.closedByPeers(new Set(deleted.keys()))
      for (const [room, by] of deleted) await clients.leave(room, () => true, `${by} deleted ${room}`)
    },
  }
}
