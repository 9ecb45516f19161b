// What a session knows of its room beyond the log: who is there, what runs, what can be used. It joins `chat`, `session`
// and `turns`, so it lies in `app`; it must not know how a footer is drawn or what an adapter does.
import type { Entry, ReplyDelta } from '../../chat/entry.ts'
import type { Person, Role } from '../../chat/people/person.ts'
import type { Room } from '../../chat/room.ts'
import { createStatusRows } from '../../session/drawing/status-line.ts'
import { createReplies, type RepliesParts } from '../../session/drawing/streamed-reply.ts'
import type { RoomFooter, RunningWork } from '../../session/ports.ts'
import type { DrawingStyle } from '../../session/drawing/theme.ts'
import { createRoleChoices } from './role-choices.ts'
import { createSharedStatus } from './shared-status.ts'
import type { RoomStatus } from './status.ts'

/** What the sessions in one room show in common below what was said: the status line and the replies being written. */
export interface RoomBoard {
  /**
   * For a session that comes in; `refresh` is called whenever what is shown has changed. What the person can use is
   * shown once it is known.
   */
  watch(person: Person, role: Role, refresh: () => void): BoardView
  /** The numbers of the questions that are open now and that this person may answer. */
  questions(person: Person, role: Role): readonly number[]
}

/** The board as one session sees it. */
export interface BoardView {
  /** Cheap: everything is kept that was drawn for another session. */
  footer(style: DrawingStyle): RoomFooter
  running(): readonly RunningWork[]
  /** Ends the calls of `refresh`. */
  leave(): void
}

/** The boards of all rooms that have sessions. */
export interface RoomBoards {
  of(room: Room): RoomBoard
}

/** `now` gives milliseconds that never go back. */
export function createRoomBoards(rooms: RoomStatus, now: () => number, reading: RepliesParts): RoomBoards {
  const boards = new WeakMap<Room, RoomBoard>()
  return {
    of(room) {
      const board = boards.get(room) ?? createRoomBoard(room, rooms, now, reading)
      boards.set(room, board)
      return board
    },
  }
}

/** While something runs its seconds are shown, and its end: the status line is made this often. */
export const TICK_MS = 500
/** While a crowd comes in, the count of people is made this often: nobody reads it faster, and each makes all screens anew. */
const PEOPLE_MS = 2_000
/** What models write is shown this often: smooth for the eye, and few bytes go into moving the cursor. */
export const REPLY_MS = 80

function createRoomBoard(room: Room, rooms: RoomStatus, now: () => number, reading: RepliesParts): RoomBoard {
  const watchers = new Set<() => void>()
  const choices = createRoleChoices(room, rooms, now)
  const status = createSharedStatus(room, rooms, choices)
  const replies = createReplies(reading)
  const statusRow = createStatusRows()
  let stopListening = (): void => undefined
  let ticking: NodeJS.Timeout | undefined
  let counting: NodeJS.Timeout | undefined
  let pacing: NodeJS.Timeout | undefined

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

  async function updateChoices(): Promise<void> {
    await choices.update()
    status.forget()
    refreshAll()
  }

  /** What cannot be read is not shown; the next turn that ends asks again. */
  async function updateLastTurn(): Promise<void> {
    const found = await rooms.lastTurn(room).catch(() => undefined)
    if (status.setLastTurn(found)) refreshAll()
  }

  async function admit(person: Person, role: Role): Promise<void> {
    const before = choices.of(role)
    await choices.admit(person, role)
    if (choices.of(role) === before) return
    status.forget()
    refreshAll()
  }

  /** Whoever is painted shows the count of now. Nobody is painted for it more often than every `PEOPLE_MS`. */
  function peopleChanged(): void {
    if (counting !== undefined) return
    if (ticking === undefined) look()
    counting = setTimeout(() => {
      counting = undefined
      look()
    }, PEOPLE_MS)
  }

  function deliver(entry: Entry): void {
    if ((entry.kind === 'reply' || entry.kind === 'notice') && entry.turn !== undefined) {
      replies.end(entry.turn, entry)
      if (entry.kind === 'reply' && entry.outcome !== undefined) status.end(entry.turn)
      if (entry.thread === undefined) void updateLastTurn()
    }
    if (entry.kind === 'scope') void updateChoices()
    // A turn begins a moment after the message that mentions its model.
    if (entry.kind === 'message') lookLater()
    else if (entry.kind !== 'presence') look()
  }

  function stream(delta: ReplyDelta): void {
    const before = replies.now().length
    replies.add(delta)
    // What is seen to be written is not said to wait.
    if (replies.now().length > before) look()
    if (pacing === undefined) showReplies()
  }

  /** Shows at once what comes after a pause, and then what has come since, so that a frame has more than a word. */
  function showReplies(): void {
    pacing = undefined
    if (!replies.flush()) return
    refreshAll()
    pacing = setTimeout(showReplies, REPLY_MS)
  }

  /** Apart from `watch`, all of whose arguments what it returns would keep: one session for each room. */
  const listen = (): (() => void) => room.listen({ deliver, stream, peopleChanged })

  function leave(refresh: () => void): void {
    watchers.delete(refresh)
    if (watchers.size > 0) return
    stopListening()
    for (const timer of [ticking, counting, pacing]) clearTimeout(timer)
    ticking = counting = pacing = undefined
    replies.endAll()
  }

  return {
    questions: (person, role) =>
      rooms.questions(room).flatMap((one) => (one.mayAllow(person, role) ? [one.number] : [])),
    watch(person, role, refresh) {
      if (watchers.size === 0) {
        stopListening = listen()
        void updateLastTurn()
      }
      watchers.add(refresh)
      void admit(person, role)
      peopleChanged()
      refresh()
      return {
        footer: (style) => ({
          replies: replies.now(),
          replyOf: replies.of,
          progressOf: status.progressOf,
          status: statusRow(status.of(person, role), style),
        }),
        running: status.running,
        leave: () => leave(refresh),
      }
    },
  }
}
