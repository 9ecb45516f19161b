import { duration } from '../../lib/duration.ts'
import { createSerial } from '../../lib/jobs/serial.ts'
import { addressBits, parseNetwork } from '../../lib/network.ts'
import type { RoomName } from '../entry.ts'
import { Refusal } from '../errors.ts'
import type { Fingerprint, Person, PersonId } from '../people/person.ts'
import type { Clock, RoomStore } from '../ports.ts'
import { isOf, type Group, type OpenClients } from './clients.ts'
import type { Sanction, SanctionStore } from './ports.ts'

/** Reads what is stored. No ban holds a key for which `isConfigAdmin` is true. Rejects with `StorageError`. */
export const loadSanctions = async (
  store: SanctionStore,
  clock: Clock,
  isConfigAdmin: (key: Fingerprint) => boolean = () => false,
): Promise<Sanctions> => new Sanctions(store, clock, isConfigAdmin, await store.all())

/** A key that asks to come in. */
export interface LoginAttempt {
  readonly key: Fingerprint
  /** All who have the key. */
  readonly holders: readonly PersonId[]
  readonly address: string
}

type Speaker = Pick<Person, 'id' | 'login'>

/** A sanction as it is kept in memory: `bits` are those of its network. */
type Kept = Sanction & Group

/** Bans and mutes of one room, or of the server. */
const MAX_IN_ONE_PLACE = 1_000

/**
 * Bans, mutes, archived rooms and rooms that are being deleted. Reasons come from memory, and a sanction whose time is over
 * does not count. One list a place, read from its start: asking costs microseconds even in a full one.
 */
export class Sanctions {
  readonly #store: SanctionStore
  readonly #clock: Clock
  readonly #isConfigAdmin: (key: Fingerprint) => boolean
  /** By room; null for the server. Each list is in order of time. */
  readonly #places = new Map<RoomName | null, readonly Kept[]>()
  readonly #deleting = new Set<RoomName>()
  #deletedByPeers: ReadonlySet<RoomName> = new Set()
  /** A reload must not be older than a change that was stored meanwhile. */
  readonly #serial = createSerial()

  constructor(
    store: SanctionStore,
    clock: Clock,
    isConfigAdmin: (key: Fingerprint) => boolean,
    stored: readonly Sanction[],
  ) {
    this.#store = store
    this.#clock = clock
    this.#isConfigAdmin = isConfigAdmin
    for (const one of stored) this.#add(one)
  }

  /** True if the key, a person who has it or the address is banned from the server. */
  barsLogin({ key, holders, address }: LoginAttempt): boolean {
    return this.#find('ban', null, holders, { key, network: address }) !== undefined
  }

  /** Why a person may not stay on the server; undefined if they may. */
  whyOut({ id, login }: Person): string | undefined {
    const ban = this.#find('ban', null, [id], login)
    return ban && `you are banned from this server ${this.#howLong(ban)}${becauseOf(ban.reason)}`
  }

  /** Why a person may not be in a room. No ban holds the room's owner and admins: the caller knows who they are. */
  whyOutOf(room: RoomName, { id, login }: Person): string | undefined {
    if (this.isGone(room)) return `${room} is being deleted`
    const ban = this.#find('ban', room, [id], login)
    return ban && `you are banned from ${room} ${this.#howLong(ban)}${becauseOf(ban.reason)}`
  }

  /** Why a person may not speak in a room: nothing that they do there may become an entry, or ask a model. */
  whySilent(room: RoomName, person: Speaker): string | undefined {
    if (this.isGone(room)) return `${room} is being deleted`
    if (!this.isArchived(room)) return this.whyMuted(room, person)
    return `${room} is archived: it can be read, and nobody speaks in it; its owner can open it again: archive off`
  }

  /** Why this person, and not everybody in the room, may not speak there. */
  whyMuted(room: RoomName, { id, login }: Speaker): string | undefined {
    const mute = this.#find('mute', room, [id], login)
    return mute && `you are muted in ${room} ${this.#howLong(mute)}: you may read, and not speak`
  }

  /**
   * Why models and tools must stop to work for a person in a room, as the end of a sentence; undefined if they may go on.
   * Rejects with `StorageError`.
   */
  async whyNoWork(
    room: RoomName,
    person: Person,
    rooms: Pick<RoomStore, 'find'>,
  ): Promise<string | undefined> {
    const { id, name, admin } = person
    if (this.isGone(room)) return `${room} is being deleted`
    if (this.whyOut(person) !== undefined) return `${name} was banned`
    if (this.isArchived(room)) return `${room} was archived`
    if (this.whyMuted(room, person) !== undefined) return `${name} was muted`
    if (admin || this.whyOutOf(room, person) === undefined) return undefined
    return (await rooms.find(room))?.owner === id ? undefined : `${name} was banned`
  }

  isArchived(room: RoomName): boolean {
    return this.#places.get(room)?.some(({ kind }) => kind === 'archive') ?? false
  }

  /** True from the moment at which a room is being deleted. */
  isGone(room: RoomName): boolean {
    return this.#deleting.has(room) || this.#deletedByPeers.has(room)
  }

  /** The sanctions of a room, or of the server, in order of time. */
  list(room: RoomName | null): readonly Sanction[] {
    return (this.#places.get(room) ?? []).filter(this.#holds)
  }

  /**
   * Stores one in place of others; it holds from then on. Rejects with `Refusal` if there are too many, and
   * `StorageError`.
   */
  put(sanction: Sanction, replaced: readonly Sanction[] = []): Promise<void> {
    return this.#serial(async () => {
      const { room } = sanction
      const away = [...replaced, ...this.#all().filter((one) => !this.#holds(one))]
      // The owner of a room could fill the memory otherwise.
      if ((this.#places.get(room) ?? []).filter((one) => !away.includes(one)).length >= MAX_IN_ONE_PLACE)
        throw new Refusal(
          `there are ${MAX_IN_ONE_PLACE} bans and mutes ${room === null ? 'on the server' : `in ${room}`}, which is the limit; lift some`,
        )
      await this.#store.put(
        sanction,
        away.map(({ id }) => id),
      )
      this.#remove(away)
      this.#add(sanction)
    })
  }

  /** Rejects with `StorageError`. */
  lift(lifted: readonly Sanction[]): Promise<void> {
    return this.#serial(async () => {
      await this.#store.remove(lifted.map(({ id }) => id))
      this.#remove(lifted)
    })
  }

  /** Reads what other servers changed. Resolves to what is new to this one. Rejects with `StorageError`. */
  readAgain(): Promise<readonly Sanction[]> {
    return this.#serial(async () => {
      const stored = await this.#store.all()
      const known = this.#all()
      const [knownIds, storedIds] = [known, stored].map((all) => new Set(all.map(({ id }) => id)))
      const added = stored.filter(({ id }) => !knownIds!.has(id))
      this.#remove(known.filter(({ id }) => !storedIds!.has(id)))
      for (const one of added) this.#add(one)
      return added
    })
  }

  /** Nobody gets into this room from now on. Returns what undoes it; after `removed` its name is free again. */
  close(room: RoomName): { undo(): void; removed(): void } {
    this.#deleting.add(room)
    const undo = (): void => void this.#deleting.delete(room)
    return {
      undo,
      removed: () => {
        this.#places.delete(room)
        undo()
      },
    }
  }

  /** Takes `rooms` for all rooms that other servers are deleting. */
  closedByPeers(rooms: ReadonlySet<RoomName>): void {
    this.#deletedByPeers = rooms
  }

  /** The first that holds for one of these people, the key or the network. */
  #find(
    kind: Sanction['kind'],
    room: RoomName | null,
    people: readonly PersonId[],
    login: Person['login'],
  ): Kept | undefined {
    const all = this.#places.get(room)
    if (!all || (login && this.#isConfigAdmin(login.key))) return undefined
    const bits = login && addressBits(login.network)
    return all.find((one) => one.kind === kind && isOf(one, people, login, bits) && this.#holds(one))
  }

  readonly #holds = ({ until }: Sanction): boolean => until === null || until > this.#clock.now()

  /** `for 9m 30s more`, or `until that is undone`. */
  #howLong({ until }: Sanction): string {
    if (until === null) return 'until that is undone'
    return `for ${duration(Math.max(1_000, until - this.#clock.now()))} more`
  }

  #all(): readonly Kept[] {
    return [...this.#places.values()].flat()
  }

  #add(one: Sanction): void {
    const bits = one.network === null ? undefined : parseNetwork(one.network)?.bits
    this.#places.set(one.room, [...(this.#places.get(one.room) ?? []), { ...one, bits }])
  }

  #remove(away: readonly Sanction[]): void {
    const ids = new Set(away.map(({ id }) => id))
    for (const room of new Set(away.map((one) => one.room))) {
      const left = (this.#places.get(room) ?? []).filter(({ id }) => !ids.has(id))
      if (left.length > 0) this.#places.set(room, left)
      else this.#places.delete(room)
    }
  }
}

/** ` for 2h`, or nothing without a time. */
export const forHowLong = (ms: number | undefined): string => (ms === undefined ? '' : ` for ${duration(ms)}`)

/** `: spam`, or nothing without a reason. */
export const becauseOf = (reason: string): string => (reason === '' ? '' : `: ${reason}`)

interface EnforcementParts {
  readonly sanctions: Sanctions
  readonly clients: Pick<OpenClients, 'end' | 'leave'>
  readonly clock: Clock
}

/**
 * Puts all whom a ban concerns out of its room, whose owner stays, or of this server, and tells them why. Resolves when they
 * are out. Never rejects.
 */
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
