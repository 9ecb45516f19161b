import { maySee } from './access.ts'
import type { Entry, RoomName } from './entry.ts'
import { Refusal } from './errors.ts'
import { LOBBY, roomName } from './names.ts'
import type { Person } from './person.ts'
import type { LogQuery, RoomRecord } from './ports.ts'
import { createRoom, type Room, type RoomParts } from './room.ts'

/** All rooms of this server, as one person may see them. Everything private looks as if it did not exist. */
export interface Chat {
  /** The room, if this person may see it. Throws `Refusal` (`there is no room called x; …`) if not, or if there is none. */
  room(name: string, viewer: Person): Promise<Room>
  /** The rooms this person may see, in order of name. */
  rooms(viewer: Person): Promise<readonly RoomRecord[]>
  /** Makes a room owned by `owner`. Throws `Refusal`: bad name, taken, too many. */
  create(name: string, owner: Person, options: { readonly private: boolean }): Promise<Room>
  /** What was said in a room. Oldest first. */
  history(room: Room, query: LogQuery): Promise<readonly Entry[]>
  /** Where everybody lands; made when it is not there yet. */
  lobby(): Promise<Room>
  /** A room by name whoever asks: only for what the server itself does, such as ending turns after a crash. */
  anyRoom(name: RoomName): Promise<Room | undefined>
}

/** `roomsPerPerson`: how many rooms one person may own. */
export function createChat(parts: RoomParts, limits: { readonly roomsPerPerson: number }): Chat {
  const open = new Map<RoomName, Room>()

  function roomCalled(name: RoomName): Room {
    const room = open.get(name) ?? createRoom(name, parts)
    open.set(name, room)
    return room
  }

  const visible = async (row: RoomRecord, viewer: Person): Promise<boolean> =>
    maySee(row, row.private ? await parts.rooms.membership(row.name, viewer.id) : undefined)

  return {
    async room(name, viewer) {
      const row = await parts.rooms.find(name as RoomName)
      if (!row || !(await visible(row, viewer))) throw new Refusal(noRoom(name))
      return roomCalled(row.name)
    },
    async rooms(viewer) {
      const rows = await parts.rooms.all()
      const seen = await Promise.all(rows.map((row) => visible(row, viewer)))
      return rows.filter((_, index) => seen[index])
    },
    async create(name, owner, options) {
      const wanted = roomName(name)
      if (owner.guest) throw new Refusal('guests cannot make rooms; log in with a name of your own')
      const rows = await parts.rooms.all()
      if (rows.filter((row) => row.owner === owner.id).length >= limits.roomsPerPerson) {
        throw new Refusal(`you own ${limits.roomsPerPerson} rooms already, which is the limit`)
      }
      const made = await parts.rooms.create(newRoom(wanted, owner, options.private, parts.clock.now()))
      // The same words for a private room that the asker cannot see: a taken name is all that shows.
      if (!made) throw new Refusal(`the name ${wanted} is taken; choose another`)
      return roomCalled(wanted)
    },
    history: (room, query) => parts.entries.read(room.name, query),
    async lobby() {
      await parts.rooms.create({ ...newRoom(LOBBY, null, false, parts.clock.now()) })
      return roomCalled(LOBBY)
    },
    async anyRoom(name) {
      return (await parts.rooms.find(name)) && roomCalled(name)
    },
  }
}

const noRoom = (name: string): string =>
  `there is no room called ${name.slice(0, 40) || '(nothing)'}; see rooms, or make it with create`

const newRoom = (name: RoomName, owner: Person | null, isPrivate: boolean, at: number): RoomRecord => ({
  name,
  topic: '',
  vibe: '',
  private: isPrivate,
  owner: owner?.id ?? null,
  createdAt: at,
})
