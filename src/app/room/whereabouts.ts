import type { EntryId, RoomName } from '../../chat/entry.ts'
import { LOBBY } from '../../chat/people/names.ts'
import type { LastSeen } from '../../chat/personal/last-seen.ts'
import type { Room } from '../../chat/room.ts'
import type { Rooms } from '../../chat/rooms.ts'
import { createSerial } from '../../lib/jobs/serial.ts'
import type { Screen, Terminal } from '../../session/ports.ts'
import type { BoardView, RoomBoards } from './board.ts'
import type { RoomPasts } from './past.ts'
import { enterRoom, type RoomStay } from './stay.ts'

/** Which room a session is in, and what it sees below what is said there. */
export interface Whereabouts {
  /** Undefined before the first room was entered. */
  room(): Room | undefined
  /** False also for the room that it is just being put out of. */
  isIn(room: Room): boolean
  /** Undefined where there is no room. */
  board(): BoardView | undefined
  /**
   * Enters a room, and then leaves the one before. Rejects as `enterRoom` does, and then nothing has changed. `greet` is called
   * where the person is to be greeted.
   */
  moveTo(room: Room, greet?: () => void): Promise<void>
  /** Out of this room into the lobby; a pipe, and a session in the lobby, ends. Does nothing if the session is elsewhere. */
  putOut(from: RoomName, why: string): Promise<void>
  /** For a session that has ended. */
  leave(): Promise<void>
}

/** What is shown in rooms besides what is being said. */
export interface RoomViews {
  readonly boards: RoomBoards
  readonly pasts: RoomPasts
  readonly lastSeen: LastSeen
}

/** For one session, which has ended once `gone` is aborted. A window has a `size`; a pipe has none. */
export function createWhereabouts(
  screen: Screen,
  rooms: Pick<Rooms, 'lobby'>,
  { boards, pasts, lastSeen }: RoomViews,
  size: Terminal['size'],
  gone: AbortSignal,
): Whereabouts {
  let stay: RoomStay | undefined
  let board: BoardView | undefined
  let outOf: RoomName | undefined
  /** The newest entry of each room that the screen shows. */
  const shown = new Map<RoomName, EntryId>()
  // Somebody may be put out of a room while they go into another one.
  const oneByOne = createSerial()

  async function move(room: Room, greet?: () => void): Promise<void> {
    if (room === stay?.room) return
    const left = stay
    const window = size()
    const header = left === undefined && window !== undefined ? 'below' : 'above'
    const roomBoard = boards.of(room)
    stay = await enterRoom(room, screen, pasts, lastSeen, {
      columns: window?.columns,
      header,
      greet,
      after: shown.get(room.name),
      questions: (role) => roomBoard.questions(screen.person, role),
    })
    board?.leave()
    board = undefined
    await left?.leave()
    if (left) shown.set(left.room.name, left.newest())
    board = roomBoard.watch(screen.person, stay.role, () => screen.refresh())
    if (gone.aborted) await leave()
  }

  async function leave(): Promise<void> {
    board?.leave()
    await stay?.leave()
  }

  return {
    room: () => stay?.room,
    isIn: (room) => stay?.room === room && outOf !== room.name,
    board: () => board,
    moveTo: (room, greet) => oneByOne(() => move(room, greet)),
    putOut: (from, why) =>
      oneByOne(async () => {
        if (stay?.room.name !== from) return
        outOf = from
        if (from === LOBBY || !size()) return screen.quit(`! ${why}`, 1)
        screen.print(`! ${why}`, 'error')
        screen.kicked()
        await rooms
          .lobby()
          .then((lobby) => move(lobby))
          .then(() => (outOf = undefined))
          .catch(() => screen.quit(`! ${why}`, 1))
      }),
    leave,
  }
}
