import { createSerial } from '../lib/serial.ts'
import type { RoomName } from './entry.ts'
import { Refusal } from './errors.ts'
import { EXITS_KEY, exitsValue, NAV_KEY, parseExits, seenExits, withExit, type Exit } from './exits.ts'
import type { RoomStore } from './ports.ts'
import type { Onlooker, SightParts } from './sight.ts'

/** The ways between rooms, and whether models may take them. All of it rejects with `StorageError`. */
export interface Passages {
  /** The exits of a room that an onlooker can see, in order of direction. */
  exits(room: RoomName, onlooker: Onlooker): Promise<readonly Exit[]>
  /** Where a direction leads. Throws `Refusal` where the onlooker sees no such exit. */
  follow(room: RoomName, direction: string, onlooker: Onlooker): Promise<Exit>
  /** Makes an exit, in place of an earlier one in that direction. Throws `Refusal`: a bad direction, too many. */
  open(room: RoomName, exit: Exit): Promise<void>
  /** Takes an exit away. Throws `Refusal` where the onlooker sees no such exit. */
  close(room: RoomName, direction: string, onlooker: Onlooker): Promise<void>
  /** Whether models may walk out of this room and into it. */
  nav(room: RoomName): Promise<boolean>
  setNav(room: RoomName, on: boolean): Promise<void>
}

export function createPassages(rooms: SightParts & Pick<RoomStore, 'getValue' | 'setValue'>): Passages {
  // Two that change a room's exits at once must not undo each other.
  const oneByOne = createSerial()

  const change = (room: RoomName, next: (exits: readonly Exit[]) => readonly Exit[]): Promise<void> =>
    oneByOne(async () => {
      const exits = parseExits(await rooms.getValue(room, EXITS_KEY))
      await rooms.setValue(room, EXITS_KEY, exitsValue(next(exits)))
    })

  const passages: Passages = {
    exits: async (room, onlooker) => seenExits(rooms, await rooms.getValue(room, EXITS_KEY), onlooker),
    async follow(room, direction, onlooker) {
      const exits = await passages.exits(room, onlooker)
      const exit = exits.find((one) => one.direction === direction)
      if (exit) return exit
      const ways = exits.map((one) => one.direction).join(', ') || 'none'
      throw new Refusal(`there is no exit ${direction.slice(0, 40)} in ${room}; the exits are: ${ways}`)
    },
    open: (room, exit) => change(room, (exits) => withExit(exits, exit)),
    async close(room, direction, onlooker) {
      await passages.follow(room, direction, onlooker)
      await change(room, (exits) => exits.filter((one) => one.direction !== direction))
    },
    nav: async (room) => (await rooms.getValue(room, NAV_KEY)) === true,
    setNav: (room, on) => rooms.setValue(room, NAV_KEY, on ? true : undefined),
  }
  return passages
}
