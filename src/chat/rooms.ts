import { counted } from '../lib/amounts.ts'
import type { NewEntry, RoomName } from './entry.ts'
import { Refusal } from './errors.ts'
import { Exits } from './room-values.ts'
import { isRoomName, LOBBY, roomName, SYSTEM, withoutHash } from './people/names.ts'
import type { Person, PersonId } from './people/person.ts'
import type { RoomRecord } from './ports.ts'
import { OpenRoom, type Room, type RoomLimits, type RoomParts } from './room.ts'
import { isKnown, isVisible, type Audience } from './access.ts'

/** All rooms of this server. What a person may not see looks to them as if it did not exist. */
export interface Rooms {
  /**
   * The room, if this person may see it, and if all readers of `toldIn` may (chat/access.ts). Throws `Refusal`
   * (`there is no room called x; …`) if not, or if there is none.
   */
  get(name: string, viewer: Person, toldIn?: RoomName): Promise<Room>
  /** The rooms this person may see, likewise, in order of name. */
  list(viewer: Person, toldIn?: RoomName): Promise<readonly RoomRecord[]>
  /** Makes a room owned by `owner`. Throws `Refusal`: bad name, taken, too many. */
  create(name: string, owner: Person, options: { readonly private: boolean }): Promise<Room>
  /**
   * Makes a room with the vibe, scope, script and key-values of another one. What is copied from a private room stays
   * private. Throws `Refusal` as `create` does.
   */
  fork(room: Room, name: string, owner: Person, options: { readonly private: boolean }): Promise<Room>
  readonly exits: Exits
  /** The room that every session begins in; made if it does not exist yet. */
  lobby(): Promise<Room>
  /** A room by name, without asking who may see it: for the server's own work, such as ending turns after a crash. */
  anyRoom(name: RoomName): Promise<Room | undefined>
  readonly everywhere: Everywhere
}

/** What concerns all rooms of this server at once. */
export interface Everywhere {
  /**
   * Tells all admins who are in a room now, through any server, or through this one, which takes no bus. Each once, and nobody else;
   * nothing is stored. False if there is none to hear it.
   */
  readonly tellAdmins: (text: string, only?: 'here') => boolean
  /** How many people are in a room now. */
  peopleIn(name: RoomName): number
  /** The rooms in which anybody is now. */
  inUse(): readonly Room[]
  /** Tells somebody something in each of their sessions, in whichever room; nothing is stored. */
  whisper(person: Person, newEntry: NewEntry): void
  /** Whether somebody is in any room through this server. */
  isHere(person: Person): boolean
  /** Another server has changed names, and has told the rooms. */
  namesChanged(): void
  /** Whether somebody is in any room. */
  isPresent(person: Person): boolean
  /** Records the sums of all comings and goings that were not announced yet, when the server stops. Never rejects. */
  flushPresence(): Promise<void>
}

/** What bounds the making of rooms. */
export interface RoomsOptions {
  readonly limits: AllRoomsLimits
  /** Names that only admins may give to a room: others are told that they are taken. */
  readonly adminNames?: ReadonlyMap<string, unknown>
}

/** The keys of `[limits]` that concern rooms. */
export interface AllRoomsLimits extends RoomLimits {
  /** How many rooms one person may own. */
  readonly rooms_per_person: number
}

/** Joins the rooms with what they are stored in. */
export function createRooms(parts: RoomParts, { limits, adminNames }: RoomsOptions): Rooms {
  const open = new Map<RoomName, Room>()
  let hasLobby = false

  function roomCalled(name: RoomName): Room {
    const room = open.get(name) ?? new OpenRoom(name, parts, limits)
    open.set(name, room)
    return room
  }

  const roomsWith = ({ id }: Person): readonly Room[] =>
    [...open.values()].filter((room) => room.present().some((person) => person.id === id))

  const audience = (viewer: Person, toldIn?: RoomName): Audience =>
    toldIn === undefined ? { viewer } : { viewer, toldIn }

  /** A room that is being deleted is not there any more. */
  const rowCalled = async (name: string): Promise<RoomRecord | undefined> =>
    isRoomName(name) && !parts.sanctions.isGone(name) ? await parts.rooms.find(name) : undefined

  /** Nothing keeps the owner and admins out. */
  const whyOut = (row: RoomRecord, viewer: Person): string | undefined =>
    viewer.admin || row.owner === viewer.id ? undefined : parts.sanctions.whyOutOf(row.name, viewer)

  function refuseIfOut(row: RoomRecord, viewer: Person): void {
    const why = whyOut(row, viewer)
    if (why !== undefined) throw new Refusal(why)
  }

  /** Makes a room for somebody who may have one more. `store` resolves to false if the name is taken. */
  async function make(
    name: string,
    owner: Person,
    isPrivate: boolean,
    store: (record: RoomRecord) => Promise<boolean>,
  ): Promise<Room> {
    const wanted = roomName(name)
    if (owner.guest) throw new Refusal('guests cannot make rooms; log in with a name of your own')
    if (owner.login?.token?.rooms) throw new Refusal('this token is for its rooms alone: it makes no other')
    const rows = await parts.rooms.all()
    if (rows.filter((row) => row.owner === owner.id).length >= limits.rooms_per_person) {
      throw new Refusal(
        `you own ${counted(limits.rooms_per_person, 'room')} already, which is the limit (rooms_per_person)`,
      )
    }
    const kept = adminNames?.has(wanted) && !owner.admin
    const made = !kept && (await store(newRoom(wanted, owner, isPrivate, parts.clock.now())))
    // A private room that the person cannot see gives the same words: only that the name is taken shows.
    if (!made) throw new Refusal(`the name ${wanted} is taken; choose another`)
    return roomCalled(wanted)
  }

  return {
    exits: new Exits(parts.rooms),
    async get(name, viewer, toldIn) {
      const row = await rowCalled(name)
      if (!row || !(await isVisible(parts.rooms, row, audience(viewer, toldIn)))) {
        const isInvited = row && toldIn === undefined && (await isKnown(parts.rooms, row, { viewer }))
        throw new Refusal(isInvited ? joinFirst(row.name) : noRoom(name))
      }
      refuseIfOut(row, viewer)
      return roomCalled(row.name)
    },
    async list(viewer, toldIn) {
      const rows = await parts.rooms.all()
      const visible = await Promise.all(
        rows.map((row) => isVisible(parts.rooms, row, audience(viewer, toldIn))),
      )
      return rows.filter((row, index) => visible[index] && whyOut(row, viewer) === undefined)
    },
    create: (name, owner, options) =>
      make(name, owner, options.private, (record) => parts.rooms.create(record)),
    async fork(room, name, owner, options) {
      const { vibe, private: isPrivate } = await room.info()
      return await make(name, owner, isPrivate || options.private, (record) =>
        parts.rooms.fork(room.name, { ...record, vibe }),
      )
    },
    async lobby() {
      // Looked for first, because a server starts and lets people in also while nothing can be stored.
      if (!hasLobby && !(await parts.rooms.find(LOBBY)))
        await parts.rooms.create(newRoom(LOBBY, null, false, parts.clock.now()))
      hasLobby = true
      return roomCalled(LOBBY)
    },
    async anyRoom(name) {
      return (await parts.rooms.find(name)) && roomCalled(name)
    },
    everywhere: {
      tellAdmins(text, only) {
        const told = new Set<PersonId>()
        const remote = only ? [] : parts.peers.rooms()
        for (const name of new Set([...open.keys(), ...remote])) {
          const room = roomCalled(name)
          const isMeant = ({ id }: Person): boolean => !told.has(id) && (!only || room.isHere(id))
          const admins = room.present().filter((one) => one.admin && isMeant(one))
          room.whisper(admins, { kind: 'notice', level: 'error', author: SYSTEM, text }, only)
          for (const { id } of admins) told.add(id)
        }
        return told.size > 0
      },
      peopleIn: (name) => (open.get(name)?.present() ?? parts.peers.peopleIn(name)).length,
      inUse: () => [...open.values()].filter((room) => room.present().length > 0),
      whisper(person, newEntry) {
        for (const room of roomsWith(person)) room.whisper([person], newEntry)
      },
      isHere: ({ id }) => [...open.values()].some((room) => room.isHere(id)),
      namesChanged: () => [...open.values()].forEach((room) => room.namesChanged()),
      isPresent: (person) => roomsWith(person).length > 0 || parts.peers.find(person.id) !== undefined,
      async flushPresence() {
        await Promise.all([...open.values()].map((room) => room.flushPresence()))
      },
    },
  }
}

/** Whether or not there is a room without the `#`: it may be private. */
function noRoom(name: string): string {
  const meant = withoutHash(name)
  const hint =
    meant === undefined ? 'see /rooms, or make it with /create' : `rooms have no #; did you mean ${meant}?`
  return `there is no room called ${name.slice(0, 40) || '(nothing)'}; ${hint}`
}

const joinFirst = (name: RoomName): string =>
  `you are invited to ${name}, and no member yet; first: join ${name}`

const newRoom = (name: RoomName, owner: Person | null, isPrivate: boolean, at: number): RoomRecord => ({
  name,
  topic: '',
  vibe: '',
  private: isPrivate,
  owner: owner?.id ?? null,
  createdAt: at,
})
