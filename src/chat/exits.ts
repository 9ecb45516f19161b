import { isJsonObject, type Json } from '../lib/json.ts'
import { createSerial } from '../lib/jobs/serial.ts'
import type { RoomName } from './entry.ts'
import { Refusal } from './errors.ts'
import { isRoomName } from './people/names.ts'
import type { RoomStore } from './ports.ts'
import { isKnown, type Audience, type RoomLookup } from './visibility.ts'

/** The room key-value that holds a room's exits: `{ "north": "attic" }`. */
export const EXITS_KEY = 'exits'

/** The room key-value that lets models walk: `true`, or anything else for no. */
export const NAV_KEY = 'nav'

/** A way from one room into another. */
export interface Exit {
  readonly direction: string
  readonly room: RoomName
}

/** The exits of all rooms, and whether models may take them. All methods reject with `StorageError`. */
export interface Exits {
  /** The exits of a room that lead to a room which the audience may see, in order of direction. */
  list(room: RoomName, audience: Audience): Promise<readonly Exit[]>
  /** Where a direction leads. Throws `Refusal` if the audience sees no such exit. */
  follow(room: RoomName, direction: string, audience: Audience): Promise<Exit>
  /** Makes an exit, in place of an earlier one in that direction. Throws `Refusal`: a bad direction, too many. */
  open(room: RoomName, exit: Exit): Promise<void>
  /** Takes an exit away. Throws `Refusal` if the audience sees no such exit. */
  close(room: RoomName, direction: string, audience: Audience): Promise<void>
  /** Whether models may walk out of this room and into it. */
  nav(room: RoomName): Promise<boolean>
  setNav(room: RoomName, on: boolean): Promise<void>
}

const MAX_EXITS_OF_ROOM = 32

const DIRECTION = /^[a-z0-9_-]{1,32}$/

/** The exits as they are kept in the rooms' key-values. */
export function createExits(rooms: RoomLookup & Pick<RoomStore, 'getValue' | 'setValue'>): Exits {
  // One change waits for the other: two that read the same value would undo each other.
  const oneByOne = createSerial()

  const change = (room: RoomName, next: (exits: readonly Exit[]) => readonly Exit[]): Promise<void> =>
    oneByOne(async () => {
      const exits = parseExits(await rooms.getValue(room, EXITS_KEY))
      await rooms.setValue(room, EXITS_KEY, exitsValue(next(exits)))
    })

  const exits: Exits = {
    list: async (room, audience) => visibleExits(rooms, await rooms.getValue(room, EXITS_KEY), audience),
    async follow(room, direction, audience) {
      const visible = await exits.list(room, audience)
      const exit = visible.find((one) => one.direction === direction)
      if (exit) return exit
      const ways = visible.map((one) => one.direction).join(', ') || 'none'
      throw new Refusal(`there is no exit ${direction.slice(0, 40)} in ${room}; the exits are: ${ways}`)
    },
    open: (room, exit) => change(room, (all) => withExit(all, exit)),
    async close(room, direction, audience) {
      await exits.follow(room, direction, audience)
      await change(room, (all) => all.filter((one) => one.direction !== direction))
    },
    nav: async (room) => (await rooms.getValue(room, NAV_KEY)) === true,
    setNav: (room, on) => rooms.setValue(room, NAV_KEY, on ? true : undefined),
  }
  return exits
}

/** The exits in a stored value whose rooms exist and are known to an audience. Rejects with `StorageError`. */
export async function visibleExits(
  rooms: RoomLookup,
  value: Json | undefined,
  audience: Audience,
): Promise<readonly Exit[]> {
  const exits = parseExits(value)
  const visible = await Promise.all(
    exits.map(async (exit) => {
      const room = await rooms.find(exit.room)
      return room !== undefined && (await isKnown(rooms, room, audience))
    }),
  )
  return exits.filter((_, index) => visible[index])
}

/**
 * The key-values of a room as an audience may know them: of its exits only `shown`, those that `visibleExits` gave for
 * that audience. Whoever shows key-values takes them from here, so that the name of a private room stays private.
 */
export function valuesWithExits(
  values: ReadonlyMap<string, Json>,
  shown: readonly Exit[],
): ReadonlyMap<string, Json> {
  const seen = new Map(values)
  const exits = exitsValue(shown)
  if (exits === undefined) seen.delete(EXITS_KEY)
  else seen.set(EXITS_KEY, exits)
  return seen
}

/** The value to store for these exits; undefined for none. */
const exitsValue = (exits: readonly Exit[]): Json | undefined =>
  exits.length === 0 ? undefined : Object.fromEntries(exits.map(({ direction, room }) => [direction, room]))

/** The exits in a stored value, in order of direction. Anybody who manages the room can set it: what is no exit is left out. */
function parseExits(value: Json | undefined): readonly Exit[] {
  if (!isJsonObject(value)) return []
  return Object.entries(value)
    .flatMap(([direction, room]) =>
      DIRECTION.test(direction) && typeof room === 'string' && isRoomName(room) ? [{ direction, room }] : [],
    )
    .toSorted((a, b) => (a.direction < b.direction ? -1 : 1))
    .slice(0, MAX_EXITS_OF_ROOM)
}

/** These exits with one more, or with another target for its direction. */
function withExit(exits: readonly Exit[], exit: Exit): readonly Exit[] {
  if (!DIRECTION.test(exit.direction)) {
    throw new Refusal(`"${exit.direction.slice(0, 40)}" cannot be a direction: use 1-32 of a-z, 0-9, _ and -`)
  }
  const others = exits.filter(({ direction }) => direction !== exit.direction)
  if (others.length >= MAX_EXITS_OF_ROOM)
    throw new Refusal(`a room has at most ${MAX_EXITS_OF_ROOM} exits; take one away`)
  return [...others, exit]
}
