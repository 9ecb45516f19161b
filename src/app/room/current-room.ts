import type { EntryId, RoomName } from '../../chat/entry.ts'
import type { FollowedRooms, FollowingSession, RoomNews } from '../../chat/followed-rooms.ts'
import { LOBBY } from '../../chat/people/names.ts'
import type { LastSeen } from '../../chat/personal/last-seen.ts'
import type { Room } from '../../chat/room.ts'
import type { Rooms } from '../../chat/rooms.ts'
import { createSerial } from '../../lib/jobs/serial.ts'
import { createDeferred } from '../../lib/jobs/waiting.ts'
import type { Screen, Terminal } from '../../session/ports.ts'
import type { BoardView, RoomBoards } from './board.ts'
import type { RecentEntries } from './recent-entries.ts'
import { hereLine } from './greeting.ts'
import { enterRoom, type RoomVisit } from './room-visit.ts'

export interface RoomViews {
  readonly boards: RoomBoards
  readonly recent: RecentEntries
  readonly lastSeen: LastSeen
  readonly followed: FollowedRooms
}

export class CurrentRoom {
  readonly #screen: Screen
  readonly #rooms: Pick<Rooms, 'lobby'>
  readonly #views: RoomViews
  readonly #size: Terminal['size']
  readonly #gone: AbortSignal
  #visit: RoomVisit | undefined
  #board: BoardView | undefined
  #kickedFrom: RoomName | undefined
  readonly #following: FollowingSession | undefined
  readonly #shown = new Map<RoomName, EntryId>()
  /** Somebody may be put out of a room while they go into another one. */
  readonly #serial = createSerial()

  /** The session has ended once `gone` is aborted. A window has a `size`, and is followed; a pipe has none. */
  constructor(
    screen: Screen,
    rooms: Pick<Rooms, 'lobby'>,
    views: RoomViews,
    size: Terminal['size'],
    gone: AbortSignal,
    following: FollowingSession | undefined,
  ) {
    this.#screen = screen
    this.#rooms = rooms
    this.#views = views
    this.#size = size
    this.#gone = gone
    this.#following = following
    following?.attach(screen)
  }

  /** Undefined before the first room was entered. */
  room(): Room | undefined {
    return this.#visit?.room
  }

  /** False also for the room that the session is just being put out of. */
  isIn(room: Room): boolean {
    return this.#visit?.room === room && this.#kickedFrom !== room.name
  }

  board(): BoardView | undefined {
    return this.#board
  }

  /** The room in which the person was at the end of their last session; undefined for a pipe. */
  last(): Promise<RoomName | undefined> | undefined {
    return this.#following?.last()
  }

  /** Empty for a pipe. */
  news(): readonly RoomNews[] {
    return this.#following?.news() ?? []
  }

  /** Enters a room, and then leaves the one before. Rejects as `enterRoom` does, and then changes nothing. */
  moveTo(room: Room, greet?: () => void): Promise<void> {
    return this.#serial(() => this.#move(room, greet))
  }

  /** Moves the session into the lobby; ends a pipe, and a session in the lobby. Elsewhere forgets it. */
  putOut(from: RoomName, why: string): Promise<void> {
    return this.#serial(async () => {
      if (this.#visit?.room.name !== from) return this.#following?.gone(from)
      this.#kickedFrom = from
      const end = (): void => this.#screen.quit(`! ${why}`, 1)
      if (from === LOBBY || !this.#size()) return end()
      this.#screen.print(`! ${why}`, 'error')
      this.#screen.kicked()
      try {
        await this.#move(await this.#rooms.lobby())
        this.#kickedFrom = undefined
        await this.#views.followed.leave(this.#screen.person, from)
      } catch {
        end()
      }
    })
  }

  /**
   * Leaves the room, which resolves it, and enters `next` once that is known, both quietly. A session
   * elsewhere counts on under the new name. `next` must not reject.
   */
  follow(from: RoomName, next: Promise<Room>): Promise<void> {
    const left = createDeferred<void>()
    void this.#serial(async () => {
      const visit = this.#visit
      if (visit?.room.name !== from) return void next.then((room) => this.#following?.gone(from, room))
      this.#kickedFrom = from
      try {
        await visit.leave('quietly')
        left.resolve()
        const room = await next
        this.#shown.set(room.name, visit.newest())
        await this.#move(room, undefined, 'quietly')
        this.#following?.gone(from, room)
        this.#kickedFrom = undefined
      } catch {
        this.#screen.quit(`! ${from} has another name now, and could not be entered`, 1)
      }
    }).finally(left.resolve)
    return left.promise
  }

  async leave(): Promise<void> {
    this.#board?.leave()
    if (this.#visit) this.#following?.left(this.#visit.room)
    await this.#visit?.leave('ended')
  }

  async #move(room: Room, greet?: () => void, how?: 'quietly'): Promise<void> {
    const left = this.#visit
    if (room === left?.room && !how) return
    const screen = this.#screen
    const { boards, recent, lastSeen } = this.#views
    const window = this.#size()
    const board = boards.of(room)
    const visit = await enterRoom(room, screen, recent, lastSeen, {
      columns: window?.columns,
      header: left === undefined && window !== undefined ? 'below' : 'above',
      greet: greet ?? (() => screen.print(`-- ${hereLine(room.present(), screen.person)}`, 'dim')),
      isMove: left !== undefined,
      how,
      after: this.#shown.get(room.name),
      questions: (role) => board.questions(screen.person, role),
      isMine: window !== undefined,
    })
    this.#visit = visit
    this.#following?.entered(room)
    this.#board?.leave()
    this.#board = undefined
    if (left) this.#following?.left(left.room)
    await left?.leave()
    if (left) this.#shown.set(left.room.name, left.newest())
    this.#board = board.watch(screen.person, visit.role, () => screen.refresh())
    if (this.#gone.aborted) await this.leave()
  }
}
