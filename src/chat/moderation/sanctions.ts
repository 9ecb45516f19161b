import { duration } from '../../lib/amounts.ts'
import { createSerial } from '../../lib/jobs/serial.ts'
import { addressBits, parseNetwork } from '../../lib/network.ts'
import type { RoomName } from '../entry.ts'
import { Refusal } from '../errors.ts'
import type { Fingerprint, Person, PersonId } from '../people/person.ts'
import type { Clock, RoomStore } from '../ports.ts'
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

/** Bans and mutes of one room, or of the server. */
const MAX_IN_ONE_PLACE = 1_000

/**
 * Bans, mutes, archived rooms and rooms that are being deleted. Reasons come from memory, and a sanction whose time is over
 * does not count.
 */
export class Sanctions {
  readonly #store: SanctionStore
  readonly #clock: Clock
  readonly #isConfigAdmin: (key: Fingerprint) => boolean
  /** By room; null for the server. */
  readonly #places = new Map<RoomName | null, Place>()
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
    this.#add(stored)
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
    return this.#listOf(room).some(({ kind }) => kind === 'archive')
  }

  /** True from the moment at which a room is being deleted. */
  isGone(room: RoomName): boolean {
    return this.#deleting.has(room) || this.#deletedByPeers.has(room)
  }

  /** The sanctions of a room, or of the server, in order of time. */
  list(room: RoomName | null): readonly Sanction[] {
    return this.#listOf(room).filter(this.#holds)
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
      if (this.#listOf(room).filter((one) => !away.includes(one)).length >= MAX_IN_ONE_PLACE)
        throw new Refusal(
          `there are ${MAX_IN_ONE_PLACE} bans and mutes ${room === null ? 'on the server' : `in ${room}`}, which is the limit; lift some`,
        )
      await this.#store.put(
        sanction,
        away.map(({ id }) => id),
      )
      this.#remove(away)
      this.#add([sanction])
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
      this.#add(added)
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

  /** One that holds for one of these people, the key or the network. */
  #find(
    kind: Sanction['kind'],
    room: RoomName | null,
    people: readonly PersonId[],
    login: Person['login'],
  ): Sanction | undefined {
    const place = this.#places.get(room)
    if (!place || (login && this.#isConfigAdmin(login.key))) return undefined
    return place.of(people, login).find((one) => one.kind === kind && this.#holds(one))
  }

  readonly #holds = ({ until }: Sanction): boolean => until === null || until > this.#clock.now()

  /** `for 9m 30s more`, or `until that is undone`. */
  #howLong({ until }: Sanction): string {
    if (until === null) return 'until that is undone'
    return `for ${duration(Math.max(1_000, until - this.#clock.now()))} more`
  }

  #listOf(room: RoomName | null): readonly Sanction[] {
    return this.#places.get(room)?.all ?? []
  }

  #all(): readonly Sanction[] {
    return [...this.#places.values()].flatMap(({ all }) => all)
  }

  #add(added: readonly Sanction[]): void {
    for (const room of new Set(added.map((one) => one.room)))
      this.#setList(room, [...this.#listOf(room), ...added.filter((one) => one.room === room)])
  }

  #remove(away: readonly Sanction[]): void {
    const ids = new Set(away.map(({ id }) => id))
    for (const room of new Set(away.map((one) => one.room)))
      this.#setList(
        room,
        this.#listOf(room).filter(({ id }) => !ids.has(id)),
      )
  }

  #setList(room: RoomName | null, all: readonly Sanction[]): void {
    if (all.length > 0) this.#places.set(room, createPlace(all))
    else this.#places.delete(room)
  }
}

type Place = ReturnType<typeof createPlace>

/**
 * All sanctions of a room or of the server, in order of time. They are looked up, not read one after the other: each line
 * that somebody says asks, and a list can have 1,000.
 */
function createPlace(all: readonly Sanction[]) {
  /** By person, by key, and by the bits of a network after a slash. */
  const index = new Map<string, readonly Sanction[]>()
  /** Of the bits of the networks. */
  const lengths = new Set<number>()
  for (const one of all) {
    const bits = parseNetwork(one.network ?? '')?.bits
    if (bits !== undefined) lengths.add(bits.length)
    for (const name of [...one.people, ...one.keys, ...(bits === undefined ? [] : [`/${bits}`])])
      index.set(name, [...(index.get(name) ?? []), one])
  }
  return {
    all,
    /** Those of one of these people, of the key or of a network that has the address. */
    of(people: readonly PersonId[], login: Person['login']): readonly Sanction[] {
      const bits = login && lengths.size > 0 ? addressBits(login.network) : undefined
      const networks = bits === undefined ? [] : [...lengths].map((length) => `/${bits.slice(0, length)}`)
      return [...people, ...(login ? [login.key] : []), ...networks].flatMap((name) => index.get(name) ?? [])
    },
  }
}

/** ` for 2h`, or nothing without a time. */
export const forHowLong = (ms: number | undefined): string => (ms === undefined ? '' : ` for ${duration(ms)}`)

/** `: spam`, or nothing without a reason. */
export const becauseOf = (reason: string): string => (reason === '' ? '' : `: ${reason}`)
