import type { Json } from '../lib/json.ts'
import type { RoomName } from './entry.ts'
import { Refusal } from './errors.ts'
import { isSeen, type Onlooker, type SightParts } from './sight.ts'

/** The room key-value that holds a room's exits: `{ "north": "attic" }`. */
export const EXITS_KEY = 'exits'

/** The room key-value that lets models walk: `true`, or anything else for no. */
export const NAV_KEY = 'nav'

/** A way from one room into another. */
export interface Exit {
  readonly direction: string
  readonly room: RoomName
}

/** Exits that a room can have. */
const MOST_EXITS = 32

const DIRECTION = /^[a-z0-9_-]{1,32}$/
const ROOM = /^[a-z0-9_-]{1,32}$/

/** The exits in a stored value, in order of direction; what is none there is left out. */
export function parseExits(value: Json | undefined): readonly Exit[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value)
    .flatMap(([direction, room]) =>
      DIRECTION.test(direction) && typeof room === 'string' && ROOM.test(room)
        ? [{ direction, room: room as RoomName }]
        : [],
    )
    .toSorted((a, b) => (a.direction < b.direction ? -1 : 1))
    .slice(0, MOST_EXITS)
}

/** The value to store for these exits; undefined for none. */
export const exitsValue = (exits: readonly Exit[]): Json | undefined =>
  exits.length === 0 ? undefined : Object.fromEntries(exits.map(({ direction, room }) => [direction, room]))

/** The exits that lead somewhere for an onlooker: to a room that is there, and there for them. */
export async function seenExits(
  rooms: SightParts,
  value: Json | undefined,
  onlooker: Onlooker,
): Promise<readonly Exit[]> {
  const exits = parseExits(value)
  const seen = await Promise.all(
    exits.map(async (exit) => {
      const room = await rooms.find(exit.room)
      return room !== undefined && (await isSeen(rooms, room, onlooker))
    }),
  )
  return exits.filter((_, index) => seen[index])
}

/** These exits with one more, or with another target for its direction. Throws `Refusal`: a bad direction, too many. */
export function withExit(exits: readonly Exit[], exit: Exit): readonly Exit[] {
  if (!DIRECTION.test(exit.direction)) {
    throw new Refusal(`"${exit.direction.slice(0, 40)}" cannot be a direction: use 1-32 of a-z, 0-9, _ and -`)
  }
  const others = exits.filter(({ direction }) => direction !== exit.direction)
  if (others.length >= MOST_EXITS) throw new Refusal(`a room has at most ${MOST_EXITS} exits; take one away`)
  return [...others, exit]
}
