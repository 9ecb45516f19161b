// What a session knows of its room beyond the log: who is there, what runs, what is offered. It joins `chat`, `session`
// and `turns`, so it lies in `app`; it must not know how a footer is drawn or what an adapter does.
import { mayManage } from '../../chat/access.ts'
import type { WaitingQuestion } from '../../approvals/approvals.ts'
import type { Entry, ReplyDelta, ToolCallEntry, TurnId } from '../../chat/entry.ts'
import { progressText, type ToolProgress } from '../../chat/tool-progress.ts'
import type { Person, Role } from '../../chat/people/person.ts'
import type { Room } from '../../chat/room.ts'
import { createStatusRows } from '../../session/drawing/status-row.ts'
import { createReplies, type RepliesParts } from '../../session/replies/replies.ts'
import type { RoomFooter, RunningWork, SessionStatus } from '../../session/ports.ts'
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
const TICK_MS = 500
/** What models write is shown this often: smooth for the eye, and few bytes go into moving the cursor. */
const REPLY_MS = 80

function createRoomBoard(room: Room, rooms: RoomStatus, now: () => number, reading: RepliesParts): RoomBoard {
  const watchers = new Set<() => void>()
  const offers = createRoomOffers(room, rooms, now)
  const status = createSharedStatus(room, rooms, offers)
  const replies = createReplies(reading)
  const statusRow = createStatusRows()
  let stopListening = (): void => undefined
  let ticking: NodeJS.Timeout | undefined
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

  async function updateOffers(): Promise<void> {
    await offers.update()
    status.forget()
    refreshAll()
  }

  /** What cannot be read is not shown; the next turn that ends asks again. */
  async function updateLastTurn(): Promise<void> {
    const found = await rooms.lastTurn(room).catch(() => undefined)
    if (status.setLastTurn(found)) refreshAll()
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
    if ((entry.kind === 'reply' || entry.kind === 'notice') && entry.turn !== undefined) {
      replies.end(entry.turn, entry)
      if (entry.kind === 'reply' && entry.outcome !== undefined) status.end(entry.turn)
      if (entry.thread === undefined) void updateLastTurn()
    }
    if (entry.kind === 'scope') void updateOffers()
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

  function leave(refresh: () => void): void {
    watchers.delete(refresh)
    if (watchers.size > 0) return
    stopListening()
    clearTimeout(ticking)
    clearTimeout(pacing)
    ticking = pacing = undefined
    replies.endAll()
  }

  return {
    watch(person, role, refresh) {
      if (watchers.size === 0) {
        stopListening = room.listen({ deliver, stream, peopleChanged })
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

/** The status of a room, the same object for all to whom it says the same, as long as nothing in it changes. */
function createSharedStatus(room: Room, rooms: RoomStatus, offers: RoomOffers) {
  const known = new Map<string, SessionStatus>()
  /** What the statuses say. */
  let people = 0
  let running: readonly RunningWork[] = []
  let questions: readonly WaitingQuestion[] = []
  let lastTurn: SessionStatus['lastTurn']
  /** Turns whose end was told already, though they run for another moment. */
  const ended = new Set<string>()
  /** What `update` saw last. */
  let seen = ''

  function setPeople(): void {
    const count = room.present().length
    if (count !== people) known.clear()
    people = count
  }

  return {
    running: () => running,
    progressOf: ({ turn, call }: ToolCallEntry): ToolProgress | undefined =>
      running.find(({ id }) => id === (turn ?? call))?.progress,
    isBusy: () => running.length + questions.length > 0,
    /** What is offered has changed. */
    forget: () => known.clear(),
    /** What is told of a turn after its reply would be told too late. */
    end: (turn: TurnId) => void ended.add(turn),
    /** True if something has changed since it was last called. */
    update(): boolean {
      const before = seen
      setPeople()
      const all = rooms.running(room)
      for (const turn of ended) if (!all.some(({ id }) => id === turn)) ended.delete(turn)
      running = all.filter(({ id }) => !ended.has(id))
      questions = rooms.questions(room)
      seen = `${people} ${questions.map(({ number }) => number).join()} ${running.map(textOf).join()}`
      if (seen === before) return false
      known.clear()
      return true
    },
    /** True if it is another. */
    setLastTurn(found: SessionStatus['lastTurn']): boolean {
      if (found?.used === lastTurn?.used && found?.target === lastTurn?.target) return false
      lastTurn = found
      known.clear()
      return true
    },
    of(person: Person, role: Role): SessionStatus {
      setPeople()
      const { name } = person
      const mine = questions.filter((question) => question.mayAllow(person, role))
      const hasOwn = running.some(({ requester }) => requester === name)
      const waits = running.some((work) => isQueuedBy(work, name))
      const key = `${role} ${hasOwn ? name : ''} ${mine.map(({ number }) => number).join()}`
      const status = known.get(key) ?? {
        room: room.name,
        people,
        ...offers.of(role),
        running: waits ? ownFirst(running, name) : running,
        questions: mine.map(({ number }) => number),
        othersQuestions: questions.filter((question) => !mine.includes(question)),
        viewer: { name: hasOwn ? name : '', stopsAll: mayManage(role) },
        ...(lastTurn ? { lastTurn } : {}),
      }
      known.set(key, status)
      return status
    },
  }
}

const textOf = ({ id, who, doing, progress, time }: RunningWork): string =>
  `${id} ${who} ${doing} ${progress ? progressText(progress) : ''} ${time}`

const isQueuedBy = ({ doing, requester }: RunningWork, name: string): boolean =>
  doing === 'waiting' && requester === name

/** Whoever waits for a turn sees it also where there is room for little: behind the first that runs. */
function ownFirst(running: readonly RunningWork[], name: string): readonly RunningWork[] {
  const [first, ...others] = running
  if (!first) return running
  const isOwn = (work: RunningWork): boolean => isQueuedBy(work, name)
  return [first, ...others.filter(isOwn), ...others.filter((work) => !isOwn(work))]
}
