import { counted } from '../base/amounts.ts'
import { isKnown, isVisible, type Audience } from './access.ts'
import type { NewEntry, RoomName } from '../words/entry.ts'
import { Refusal } from '../words/errors.ts'
import { isRoomName, LOBBY, roomName, SYSTEM, withoutHash } from '../words/names.ts'
import type { Person, PersonId } from '../words/person.ts'
import { Pins } from './pins.ts'
import type { RoomRecord } from './ports.ts'
import { OpenRoom, type Room, type RoomLimits, type RoomParts } from './room.ts'
import { Exits } from './room-values.ts'

export interface NewRoomOptions {
  readonly private: boolean
  /** The model of a talk, which does not count as one of the rooms that a person owns. */
  readonly talk?: string
}

export interface AllRoomsLimits extends RoomLimits {
  readonly rooms_per_person: number
}

/** All rooms of this server. A room that a person may not see looks to them as if it did not exist. */
export class Rooms {
  readonly exits: Exits
  readonly pins: Pins
  readonly #parts: RoomParts
  readonly #limits: AllRoomsLimits
  readonly #adminNames: () => ReadonlyMap<string, string>
  readonly #open = new Map<RoomName, Room>()
  #hasLobby = false

  /** `adminNames`: room names for admins only, each with its config key; others learn that they are taken. */
  constructor(
    parts: RoomParts,
    limits: AllRoomsLimits,
    adminNames: () => ReadonlyMap<string, string> = () => new Map(),
  ) {
    this.exits = new Exits(parts.rooms)
    this.pins = new Pins(parts.rooms, parts.entries)
    this.#parts = parts
    this.#limits = limits
    this.#adminNames = adminNames
  }

  /** Throws the same `Refusal` for a missing room as if the viewer or a reader of `toldIn` may not see it. */
  async get(name: string, viewer: Person, toldIn?: RoomName): Promise<Room> {
    const { rooms, sanctions } = this.#parts
    // A room that is being deleted counts as missing.
    const row = isRoomName(name) && !sanctions.isGone(name) ? await rooms.find(name) : undefined
    if (!row || !(await this.#mayRead(row, viewer, toldIn))) {
      const isInvited = row && toldIn === undefined && (await isKnown(rooms, row, { viewer }))
      throw new Refusal(isInvited ? joinFirst(row.name) : await this.#noRoom(name, audience(viewer, toldIn)))
    }
    const why = this.#whyOut(row, viewer)
    if (why !== undefined) throw new Refusal(why)
    return this.#room(row.name)
  }

  /** Resolves to the rooms that `get` would give. */
  async list(viewer: Person, toldIn?: RoomName): Promise<readonly RoomRecord[]> {
    const rows = await this.#parts.rooms.all()
    const visible = await Promise.all(rows.map((row) => this.#mayRead(row, viewer, toldIn)))
    return rows.filter((row, index) => visible[index] && this.#whyOut(row, viewer) === undefined)
  }

  create(name: string, owner: Person, options: NewRoomOptions): Promise<Room> {
    return this.#make(name, owner, options, (record) => this.#parts.rooms.create(record))
  }

  /** Copies the vibe and what `RoomStore.fork` copies. Private if `room` is. Throws as `create`. */
  async fork(room: Room, name: string, owner: Person, options: { readonly private: boolean }): Promise<Room> {
    const { vibe, private: isPrivate } = await room.info()
    const made = { private: isPrivate || options.private }
    return await this.#make(name, owner, made, (record) =>
      this.#parts.rooms.fork(room.name, { ...record, vibe }),
    )
  }

  /** The room that every session begins in; made if it does not exist yet. */
  async lobby(): Promise<Room> {
    const { rooms, clock } = this.#parts
    // Reads first, because a server also starts while nothing can be stored.
    if (!this.#hasLobby && !(await rooms.find(LOBBY)))
      await rooms.create(newRoom(LOBBY, null, { private: false }, clock.now()))
    this.#hasLobby = true
    return this.#room(LOBBY)
  }

  async anyRoom(name: RoomName): Promise<Room | undefined> {
    return (await this.#parts.rooms.find(name)) && this.#room(name)
  }

  /**
   * Shows a text once to each admin who is in a room, with `only` just on this server and without the bus.
   * Stores nothing. False if no admin is in a room.
   */
  tellAdmins(text: string, only?: 'here'): boolean {
    const told = new Set<PersonId>()
    const remote = only ? [] : this.#parts.peers.rooms()
    for (const name of new Set([...this.#open.keys(), ...remote])) {
      const room = this.#room(name)
      const isMeant = ({ id }: Person): boolean => !told.has(id) && (!only || room.isHere(id))
      const admins = room.present().filter((one) => one.admin && isMeant(one))
      room.whisper(admins, { kind: 'notice', level: 'error', author: SYSTEM, text }, only)
      for (const { id } of admins) told.add(id)
    }
    return told.size > 0
  }

  peopleIn(name: RoomName): number {
    return (this.#open.get(name)?.present() ?? this.#parts.peers.peopleIn(name)).length
  }

  inUse(): readonly Room[] {
    return this.#all().filter((room) => room.present().length > 0)
  }

  whisper(person: Person, newEntry: NewEntry): void {
    for (const room of this.#roomsWith(person)) room.whisper([person], newEntry)
  }

  isHere({ id }: Person): boolean {
    return this.#all().some((room) => room.isHere(id))
  }

  isPresent(person: Person): boolean {
    return this.#roomsWith(person).length > 0 || this.#parts.peers.find(person.id) !== undefined
  }

  /** Checks a room's new name. Throws `Refusal` if the room cannot have it or must keep its own. */
  async newName(room: Room, wanted: string, actor: Person): Promise<RoomName> {
    const name = roomName(wanted)
    const { rooms } = this.#parts
    const key = this.#adminNames().get(room.name)
    if (key !== undefined) throw new Refusal(`the config names ${room.name} (${key}), so it keeps its name`)
    const kept = this.#adminNames().has(name) && !actor.admin
    const holder = await rooms.findRenamed(name)
    if (kept || (await rooms.find(name)) || (holder !== undefined && holder !== room.name))
      throw new NameTaken(name)
    return name
  }

  /** Throws `Refusal`, which begins with `owns`, if the person owns as many rooms as allowed. */
  async assertMayOwnMore({ id, name }: Person, owns = `${name} owns`): Promise<void> {
    const { rooms_per_person: limit } = this.#limits
    const rows = await this.#parts.rooms.all()
    if (rows.filter((row) => row.owner === id && row.talk === undefined).length >= limit)
      throw new Refusal(`${owns} ${counted(limit, 'room')} already, which is the limit (rooms_per_person)`)
  }

  namesChanged(): void {
    for (const room of this.#all()) room.namesChanged()
  }

  async flushPresence(): Promise<void> {
    await Promise.all(this.#all().map((room) => room.flushPresence()))
  }

  /** Returns the same text if there is no such room as if the viewer does not see it. */
  async #noRoom(name: string, viewer: Audience): Promise<string> {
    const { rooms } = this.#parts
    const renamed = isRoomName(name) ? await rooms.findRenamed(name) : undefined
    const row = renamed && (await rooms.find(renamed))
    return row && (await isVisible(rooms, row, viewer)) ? `${name} is called ${row.name} now` : noRoom(name)
  }

  #room(name: RoomName): Room {
    const room = this.#open.get(name) ?? new OpenRoom(name, this.#parts, this.#limits)
    this.#open.set(name, room)
    return room
  }

  #all(): readonly Room[] {
    return [...this.#open.values()]
  }

  #roomsWith({ id }: Person): readonly Room[] {
    return this.#all().filter((room) => room.present().some((person) => person.id === id))
  }

  /** True if the viewer, and everybody in the room `toldIn`, may read this one (access.ts). */
  async #mayRead(row: RoomRecord, viewer: Person, toldIn: RoomName | undefined): Promise<boolean> {
    const isAllowed = await isVisible(this.#parts.rooms, row, audience(viewer, toldIn))
    if (!isAllowed || toldIn === undefined || toldIn === row.name) return isAllowed
    if (this.#parts.sanctions.list(row.name).every(({ kind }) => kind !== 'ban')) return true
    // Somebody banned from this room must not read its lines in another one.
    const members = await this.#parts.rooms.members(toldIn)
    const readers = [...members.map(({ person }) => person), ...this.#room(toldIn).present()]
    return readers.every((reader) => this.#whyOut(row, reader) === undefined)
  }

  #whyOut(row: RoomRecord, viewer: Person): string | undefined {
    const isOwner = row.owner === viewer.id && viewer.plainMemberOf === undefined
    if (viewer.admin || isOwner) return undefined
    return this.#parts.sanctions.whyOutOf(row.name, viewer)
  }

  /** `store` resolves to false if the name is taken. */
  async #make(
    name: string,
    owner: Person,
    options: NewRoomOptions,
    store: (record: RoomRecord) => Promise<boolean>,
  ): Promise<Room> {
    const wanted = roomName(name)
    if (owner.guest) throw new Refusal('guests cannot make rooms; log in with a name of your own')
    if (owner.login?.token?.rooms)
      throw new Refusal('this token is limited to its rooms and cannot make another')
    if (options.talk === undefined) await this.assertMayOwnMore(owner, 'you own')
    const kept = this.#adminNames().has(wanted) && !owner.admin
    const made = !kept && (await store(newRoom(wanted, owner, options, this.#parts.clock.now())))
    if (!made) throw new NameTaken(wanted)
    return this.#room(wanted)
  }
}

const audience = (viewer: Person, toldIn?: RoomName): Audience =>
  toldIn === undefined ? { viewer } : { viewer, toldIn }

/** Returns the same text whether or not there is such a room: it may be private. */
function noRoom(name: string): string {
  const meant = withoutHash(name)
  const hint =
    meant === undefined ? 'see /rooms, or make it with /create' : `rooms have no #; did you mean ${meant}?`
  return `there is no room called ${name.slice(0, 40) || '(nothing)'}; ${hint}`
}

const joinFirst = (name: RoomName): string =>
  `you are invited to ${name}, and no member yet; first: join ${name}`

/** The refusal is the same for a private room that the person cannot see. */
export class NameTaken extends Refusal {
  constructor(name: RoomName) {
    super(`the name ${name} is taken; choose another`)
  }
}

const newRoom = (name: RoomName, owner: Person | null, options: NewRoomOptions, at: number): RoomRecord => ({
  name,
  topic: '',
  vibe: '',
  private: options.private,
  ...(options.talk !== undefined && { talk: options.talk }),
  owner: owner?.id ?? null,
  createdAt: at,
})
