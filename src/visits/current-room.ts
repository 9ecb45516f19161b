import type { EntryId, RoomName } from '../words/entry.ts'
import type { WaitingQuestion } from '../turns/approvals/index.ts'
import type { FollowedRooms, FollowingSession, Room, Rooms } from '../chat/index.ts'
import { LOBBY } from '../words/names.ts'
import type { LastSeen } from '../chat/personal/index.ts'
import { createSerial } from '../base/jobs/serial.ts'
import { createDeferred } from '../base/jobs/waiting.ts'
import type { Screen, Terminal } from '../terminal/index.ts'
import type { BoardView, RoomBoards } from './board.ts'
import type { RecentEntries } from './recent-entries.ts'
import { peopleHereLine } from './greeting.ts'
import { enterRoom, type RoomVisit } from './room-visit.ts'

export interface RoomViews {
  readonly boards: RoomBoards
  readonly recent: RecentEntries
  readonly lastSeen: LastSeen
  readonly followed: FollowedRooms
  /** Resolves to a line that says which models listen in the room; empty for none. Never rejects. */
  readonly listening: (room: RoomName) => Promise<string>
  /** Never rejects. */
  readonly pins: (room: RoomName) => Promise<readonly string[]>
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
  /** Serializes moves, because somebody may be kicked from a room while they enter another one. */
  readonly #serial = createSerial()

  /** `gone` is aborted at the session's end. Only a terminal has a `size` and can follow rooms. */
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

  /** Returns undefined before the first room was entered. */
  room(): Room | undefined {
    return this.#visit?.room
  }

  /** False also for the room from which the session is being removed. */
  isIn(room: Room): boolean {
    return this.#visit?.room === room && this.#kickedFrom !== room.name
  }

  /** Returns open questions that the person may answer; none for a room that they are not in. */
  questions(room: RoomName): readonly WaitingQuestion[] {
    return (this.#visit?.room.name === room && this.#board?.questions()) || []
  }

  board(): BoardView | undefined {
    return this.#board
  }

  /** Enters a room, then leaves the previous one. If `enterRoom` rejects, rejects too and changes nothing. */
  moveTo(room: Room, greet?: () => void): Promise<void> {
    return this.#serial(() => this.#move(room, greet))
  }

  /** Moves to the lobby; ends a pipe, or a session in the lobby. In another room, only forgets `from`. */
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
   * Leaves a renamed room, which resolves the result, and enters `next` when it is known, both without
   * announcements. A session in another room counts news under the new name. `next` must not reject.
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
    const { boards, recent, lastSeen, listening, pins } = this.#views
    const reads = how ? (['', []] as const) : Promise.all([listening(room.name), pins(room.name)])
    const window = this.#size()
    const board = boards.of(room)
    const visit = await enterRoom(room, screen, recent, lastSeen, {
      columns: window?.columns,
      rows: window?.rows,
      header: left === undefined && window !== undefined ? 'below' : 'above',
      beside: reads,
      greet: (listens) => {
        if (greet) greet()
        else screen.print(`-- ${peopleHereLine(room.present(), screen.person)}`, 'dim')
        if (listens !== '') screen.print(listens, 'dim')
      },
      isMove: left !== undefined,
      how,
      after: this.#shown.get(room.name),
      questions: (role) => board.questions(screen.person, role).map(({ number }) => number),
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
