import type { Clock } from '../../base/environment.ts'
import { addressBits } from '../../base/network.ts'
import { skeleton } from '../../base/text/names.ts'
import type { RoomName } from '../../words/entry.ts'
import type { Person, PersonId } from '../../words/person.ts'
import type { Peers } from '../peers.ts'
import type { RoomStore } from '../ports.ts'
import type { Room } from '../room.ts'
import type { ClientAct, Group, Sanction, ClientTarget } from './ports.ts'
import { reasonSuffix, durationSuffix, type Sanctions } from './sanctions.ts'

/** A connection, session or command of a person on this server. No method throws. */
export interface OpenClient {
  readonly person: Person
  end(why: string): void
  /** Only sessions can show a text. */
  tell?(text: string): void
  leave?(room: RoomName, why: string): Promise<void>
  /** Leaves the room, then resolves; enters the next room once `next` resolves. */
  follow?(room: RoomName, next: Promise<Room>): Promise<void>
}

export type Concerns = (person: Person) => boolean

export class Clients {
  readonly #peers: Pick<Peers, 'broadcast'>
  readonly #clients = new Set<OpenClient>()

  constructor(peers: Pick<Peers, 'broadcast'>) {
    this.#peers = peers
  }

  /** Registers a client. Call the returned function when the client ends. */
  begin(client: OpenClient): () => void {
    this.#clients.add(client)
    return () => this.#clients.delete(client)
  }

  /** Returns a person once for each of their connections, sessions and commands. */
  people(concerns: Concerns): readonly Person[] {
    return this.#matching(concerns).map(({ person }) => person)
  }

  sessions(): number {
    return [...this.#clients].filter(({ tell }) => tell !== undefined).length
  }

  called(name: string): Person | undefined {
    const wanted = skeleton(name)
    return [...this.#clients].find(({ person }) => skeleton(person.name) === wanted)?.person
  }

  end(concerns: Concerns, why: string): void {
    for (const client of this.#matching(concerns)) client.end(why)
  }

  async leave(room: RoomName, concerns: Concerns, why: string): Promise<void> {
    await Promise.all(this.#matching(concerns).map(async (client) => await client.leave?.(room, why)))
  }

  /** Moves sessions into the next room; other clients leave the room. Resolves when all are out. */
  async follow(room: RoomName, why: string, next: Promise<Room>): Promise<void> {
    const clients = this.#matching(() => true)
    await Promise.all(
      clients.map(async (one) => await (one.follow ? one.follow(room, next) : one.leave?.(room, why))),
    )
  }

  /** Acts on the clients of all servers. Resolves when it is done on this one. Never rejects. */
  async everywhere(act: ClientAct): Promise<void> {
    void this.#peers.broadcast('clients', act)
    await this.apply(act)
  }

  async apply(act: ClientAct): Promise<void> {
    const concerns = concernsOf(act.whom)
    if (act.act === 'leave') await this.leave(act.room, concerns, act.text)
    else if (act.act === 'end') this.end(concerns, act.text)
    else for (const client of this.#matching(concerns)) client.tell?.(act.text)
  }

  #matching(concerns: Concerns): readonly OpenClient[] {
    return [...this.#clients].filter(({ person }) => concerns(person))
  }
}

function concernsOf(whom: ClientTarget): Concerns {
  if ('token' in whom) return ({ login }) => login?.token?.id === whom.token
  if ('person' in whom) return ({ id, login }) => id === whom.person && login?.key === whom.key
  return inGroup(whom)
}

export const inGroup =
  ({ people, keys, bits }: Group): Concerns =>
  ({ id, login }) =>
    people.includes(id) ||
    (login !== undefined &&
      (keys.includes(login.key) || (bits !== undefined && isWithin(bits, login.network))))

const isWithin = (bits: string, address: string): boolean => addressBits(address)?.startsWith(bits) === true

interface EnforcementParts {
  readonly sanctions: Sanctions
  readonly clients: Clients
  readonly clock: Clock
}

/** Removes all banned people but the owner from a ban's room, or from this server. Resolves when done. */
export async function removeBanned(
  { room, until, reason }: Sanction,
  owner: PersonId | null | undefined,
  { sanctions, clients, clock }: EnforcementParts,
): Promise<void> {
  const ms = until === null ? undefined : Math.max(0, until - clock.now())
  const how = `${durationSuffix(ms)}${reasonSuffix(reason)}`
  if (room === null) {
    const why = `you were banned from this server${how}`
    return clients.end((person) => sanctions.whyOut(person) !== undefined, why)
  }
  const isOut = (person: Person): boolean =>
    !person.admin && person.id !== owner && sanctions.whyOutOf(room, person) !== undefined
  await clients.leave(room, isOut, `you were banned from ${room}${how}`)
}

/** Removes people banned by other servers. If it rejects with `StorageError`, call it again. */
export async function enforceSanctions(
  parts: EnforcementParts,
  rooms: Pick<RoomStore, 'all'>,
): Promise<void> {
  // Reads owners first, because `readAgain` returns each new ban once.
  const owners = new Map((await rooms.all()).map(({ name, owner }) => [name, owner]))
  for (const one of await parts.sanctions.readAgain())
    if (one.kind === 'ban') void removeBanned(one, one.room === null ? null : owners.get(one.room), parts)
}

/** Empties rooms that other servers delete or rename, and shows each room's sentence to its people. */
export async function enforceDeletions(
  deleted: ReadonlyMap<RoomName, string>,
  { sanctions, clients }: Pick<EnforcementParts, 'sanctions' | 'clients'>,
): Promise<void> {
  sanctions.closedByPeers(new Set(deleted.keys()))
  for (const [room, news] of deleted) await clients.leave(room, () => true, news)
}
