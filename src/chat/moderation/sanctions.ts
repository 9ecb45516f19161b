import { duration } from '../../base/amounts.ts'
import type { Clock } from '../../base/environment.ts'
import { createSerial } from '../../base/jobs/serial.ts'
import { addressBits, parseNetwork } from '../../base/network.ts'
import type { RoomName } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import type { Fingerprint, Person, PersonId } from '../../words/person.ts'
import type { RoomStore } from '../ports.ts'
import type { Sanction, SanctionStore } from './ports.ts'

export interface LoginAttempt {
  readonly key: Fingerprint
  readonly holders: readonly PersonId[]
  readonly address: string
}

type Speaker = Pick<Person, 'id' | 'login'>

const MAX_IN_ONE_PLACE = 1_000

/** Bans, mutes, archived and closing rooms. Reads from memory; store methods reject with `StorageError`. */
export class Sanctions {
  readonly #store: SanctionStore
  readonly #clock: Clock
  readonly #isConfigAdmin: (key: Fingerprint) => boolean
  /** By room (null for the server), oldest first. Scanned in full, since one place has at most 1,000. */
  readonly #places = new Map<RoomName | null, readonly ParsedSanction[]>()
  readonly #deleting = new Set<RoomName>()
  #deletedByPeers: ReadonlySet<RoomName> = new Set()
  /** Serializes reloads and changes, so that no reload undoes a newer change. */
  readonly #serial = createSerial()

  private constructor(store: SanctionStore, clock: Clock, isConfigAdmin: (key: Fingerprint) => boolean) {
    this.#store = store
    this.#clock = clock
    this.#isConfigAdmin = isConfigAdmin
  }

  /** Bans do not apply to keys for which `isConfigAdmin` is true. */
  static async load(
    store: SanctionStore,
    clock: Clock,
    isConfigAdmin: (key: Fingerprint) => boolean = () => false,
  ): Promise<Sanctions> {
    const sanctions = new Sanctions(store, clock, isConfigAdmin)
    sanctions.#add(await store.all())
    return sanctions
  }

  /** True if the key, a person who has it or the address is banned from the server. */
  barsLogin({ key, holders, address }: LoginAttempt): boolean {
    return this.#find('ban', null, holders, { key, network: address }) !== undefined
  }

  whyOut({ id, login }: Person): string | undefined {
    const ban = this.#find('ban', null, [id], login)
    return ban && `you are banned from this server ${this.#howLong(ban)}${reasonSuffix(ban.reason)}`
  }

  /** Why a person may not be in a room. Do not call it for the owner or admins: bans do not apply to them. */
  whyOutOf(room: RoomName, { id, login }: Person): string | undefined {
    if (this.isGone(room)) return closedNow(room)
    const ban = this.#find('ban', room, [id], login)
    return ban && `you are banned from ${room} ${this.#howLong(ban)}${reasonSuffix(ban.reason)}`
  }

  /** Why nothing that a person does in a room may be recorded or sent to a model. */
  whySilent(room: RoomName, person: Speaker): string | undefined {
    if (this.isGone(room)) return closedNow(room)
    if (!this.isArchived(room)) return this.whyMuted(room, person)
    return `${room} is archived: it can be read, and nobody speaks in it; its owner can open it again: /archive off`
  }

  /** Why this person, rather than everybody in the room, may not speak there. */
  whyMuted(room: RoomName, { id, login }: Speaker): string | undefined {
    const mute = this.#find('mute', room, [id], login)
    return mute && `you are muted in ${room} ${this.#howLong(mute)}: you may read, and not speak`
  }

  /** Resolves to why work for a person in a room must stop, as the end of a sentence. */
  async whyNoWork(
    room: RoomName,
    person: Person,
    rooms: Pick<RoomStore, 'find'>,
  ): Promise<string | undefined> {
    const { id, name, admin } = person
    if (this.isGone(room)) return closedNow(room)
    if (this.whyOut(person) !== undefined) return `${name} was banned`
    if (this.isArchived(room)) return `${room} was archived`
    if (this.whyMuted(room, person) !== undefined) return `${name} was muted`
    if (admin || this.whyOutOf(room, person) === undefined) return undefined
    return (await rooms.find(room))?.owner === id ? undefined : `${name} was banned`
  }

  isArchived(room: RoomName): boolean {
    return this.#listOf(room).some(({ kind }) => kind === 'archive')
  }

  isGone(room: RoomName): boolean {
    return this.#deleting.has(room) || this.#deletedByPeers.has(room)
  }

  list(room: RoomName | null): readonly Sanction[] {
    return this.#listOf(room).filter(this.#holds)
  }

  /** Also rejects with `Refusal` if the place has too many sanctions. */
  put(sanction: Sanction, replaced: readonly Sanction[] = []): Promise<void> {
    return this.#serial(async () => {
      const { room } = sanction
      const away = [...replaced, ...this.#all().filter((one) => !this.#holds(one))]
      // Otherwise the owner of a room could fill the memory.
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

  lift(lifted: readonly Sanction[]): Promise<void> {
    return this.#serial(async () => {
      await this.#store.remove(lifted.map(({ id }) => id))
      this.#remove(lifted)
    })
  }

  /** Resolves to the new sanctions of other servers. */
  readAgain(): Promise<readonly Sanction[]> {
    return this.#serial(async () => {
      const stored = await this.#store.all()
      const known = this.#all()
      const [knownKeys, storedKeys] = [known, stored].map((all) => new Set(all.map(placeOf)))
      const added = stored.filter((one) => !knownKeys!.has(placeOf(one)))
      this.#remove(known.filter((one) => !storedKeys!.has(placeOf(one))))
      this.#add(added)
      return added
    })
  }

  /** Nobody gets into this room from now on. */
  close(room: RoomName): void {
    this.#deleting.add(room)
  }

  reopen(room: RoomName): void {
    this.#deleting.delete(room)
  }

  removed(room: RoomName): void {
    this.#places.delete(room)
    this.reopen(room)
  }

  /** Replaces the set of rooms that other servers are deleting or renaming. */
  closedByPeers(rooms: ReadonlySet<RoomName>): void {
    this.#deletedByPeers = rooms
  }

  #find(
    kind: Sanction['kind'],
    room: RoomName | null,
    people: readonly PersonId[],
    login: Person['login'],
  ): Sanction | undefined {
    const all = this.#listOf(room)
    if (all.length === 0 || (login && this.#isConfigAdmin(login.key))) return undefined
    const address = login && addressBits(login.network)
    const concerns = (one: ParsedSanction): boolean =>
      people.some((id) => one.people.includes(id)) ||
      (login !== undefined && one.keys.includes(login.key)) ||
      (one.bits !== undefined && address?.startsWith(one.bits) === true)
    return all.find((one) => one.kind === kind && concerns(one) && this.#holds(one))
  }

  readonly #holds = ({ until }: Sanction): boolean => until === null || until > this.#clock.now()

  #howLong({ until }: Sanction): string {
    if (until === null) return 'until that is undone'
    return `for ${duration(Math.max(1_000, until - this.#clock.now()))} more`
  }

  #listOf(room: RoomName | null): readonly ParsedSanction[] {
    return this.#places.get(room) ?? []
  }

  #all(): readonly ParsedSanction[] {
    return [...this.#places.values()].flat()
  }

  #add(added: readonly Sanction[]): void {
    for (const one of added) {
      const bits = one.network === null ? undefined : parseNetwork(one.network)?.bits
      this.#places.set(one.room, [...this.#listOf(one.room), { ...one, bits }])
    }
  }

  #remove(away: readonly Sanction[]): void {
    const ids = new Set(away.map(({ id }) => id))
    for (const { room } of away) {
      const left = this.#listOf(room).filter(({ id }) => !ids.has(id))
      this.#places.set(room, left)
    }
  }
}

const closedNow = (room: RoomName): string => `${room} is being deleted or renamed`

/** Identifies a sanction in a place: a renamed room takes its sanctions with it. */
const placeOf = ({ id, room }: Sanction): string => `${id} ${room ?? ''}`

/** Has the bits of its network, which are compared for each line in the chat. */
type ParsedSanction = Sanction & { readonly bits: string | undefined }

export const durationSuffix = (ms: number | undefined): string =>
  ms === undefined ? '' : ` for ${duration(ms)}`

export const reasonSuffix = (reason: string): string => (reason === '' ? '' : `: ${reason}`)
