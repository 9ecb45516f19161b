// What a session knows of its room beyond the log: who is there, what runs, what is offered. It joins `chat`, `session`
// and `turns`, so it lies in `app`; it must not know how a footer is drawn or what an adapter does.
import type { Entry, ReplyDelta } from '../../chat/entry.ts'
import type { Person, Role } from '../../chat/people/person.ts'
import type { Room } from '../../chat/room.ts'
import { createReplies, createStatusRows } from '../../session/drawing/footer.ts'
import type { RoomFooter, SessionStatus } from '../../session/ports.ts'
import type { DrawingStyle } from '../../session/drawing/theme.ts'
import { createRoomOffers, type RoomOffers } from './offers.ts'
import type { RoomStatus } from './status.ts'

/** What the sessions in one room show in common below what was said: the status line and the replies being written. */
export interface RoomBoard {
  /**
   * For a session that comes in; `refresh` is called whenever what is shown has changed. What the person is offered is
   * shown once it is known.
   */
  watch(person: Person, role: Role, refresh: () => void): BoardView
}

/** The board as one session sees it. */
export interface BoardView {
  /** Cheap: everything is kept that was drawn for another session. */
  footer(style: DrawingStyle): RoomFooter
  /** Ends the calls of `refresh`. */
  leave(): void
}

/** The boards of all rooms that have sessions. */
export interface RoomBoards {
  of(room: Room): RoomBoard
}

/** `now` gives milliseconds that never go back. */
export function createRoomBoards(rooms: RoomStatus, now: () => number): RoomBoards {
  const boards = new WeakMap<Room, RoomBoard>()
  return {
    of(room) {
      const board = boards.get(room) ?? createRoomBoard(room, rooms, now)
      boards.set(room, board)
      return board
    },
  }
}

/** While something runs its seconds are shown, and its end: the status line is made this often. */
const TICK_MS = 500

function createRoomBoard(room: Room, rooms: RoomStatus, now: () => number): RoomBoard {
  const watchers = new Set<() => void>()
  const offers = createRoomOffers(room, rooms, now)
  const status = createSharedStatus(room, rooms, offers)
  const replies = createReplies()
  const statusRow = createStatusRows()
  let stopListening = (): void => undefined
  let ticking: NodeJS.Timeout | undefined

  const refreshAll = (): void => {
    for (const refresh of watchers) refresh()
  }

  /** Looks again while something runs. */
  function look(): void {
    if (status.update()) refreshAll()
    if (status.isBusy()) lookLater()
  }

  function lookLater(): void {
    ticking ??= setTimeout(() => {
      ticking = undefined
      look()
    }, TICK_MS)
  }

  async function updateOffers(): Promise<void> {
    await offers.update()
    status.forget()
    refreshAll()
  }

  async function admit(person: Person, role: Role): Promise<void> {
    const before = offers.of(role)
    await offers.admit(person, role)
    if (offers.of(role) === before) return
    status.forget()
    refreshAll()
  }

  /** Whoever is painted shows the count of now. Nobody is painted for it more often than the board ticks. */
  function peopleChanged(): void {
    if (ticking === undefined) look()
    lookLater()
  }

  function deliver(entry: Entry): void {
    if ((entry.kind === 'reply' || entry.kind === 'notice') && entry.turn !== undefined)
      replies.end(entry.turn)
    if (entry.kind === 'scope') void updateOffers()
    // A turn begins a moment after the message that mentions its model.
    if (entry.kind === 'message') lookLater()
    else if (entry.kind !== 'presence') look()
  }

  function stream(delta: ReplyDelta): void {
    replies.add(delta)
    refreshAll()
  }

  function leave(refresh: () => void): void {
    watchers.delete(refresh)
    if (watchers.size > 0) return
    stopListening()
    clearTimeout(ticking)
    ticking = undefined
    replies.endAll()
  }

  return {
    watch(person, role, refresh) {
      if (watchers.size === 0) stopListening = room.listen({ deliver, stream, peopleChanged })
      watchers.add(refresh)
      void admit(person, role)
      peopleChanged()
      refresh()
      return {
        footer: (style) => ({
          replies: replies.rows(style),
          status: statusRow(status.of(role), style),
        }),
        leave: () => leave(refresh),
      }
    },
  }
}

/** The status of a room, the same object for all of a role as long as nothing in it changes. */
function createSharedStatus(room: Room, rooms: RoomStatus, offers: RoomOffers) {
  const byRole = new Map<Role, SessionStatus>()
  /** What the statuses say. */
  let people = 0
  let running: readonly string[] = []
  /** What `update` saw last. */
  let seen = ''

  function setPeople(): void {
    const count = room.present().length
    if (count !== people) byRole.clear()
    people = count
  }

  return {
    isBusy: () => running.length > 0,
    /** What is offered has changed. */
    forget: () => byRole.clear(),
    /** True if something has changed since it was last called. */
    update(): boolean {
      const before = seen
      setPeople()
      running = rooms.running(room)
      seen = `${people} ${running.join()}`
      if (seen === before) return false
      byRole.clear()
      return true
    },
    of(role: Role): SessionStatus {
      setPeople()
      const status = byRole.get(role) ?? { room: room.name, people, ...offers.of(role), running }
      byRole.set(role, status)
      return status
    },
  }
}
