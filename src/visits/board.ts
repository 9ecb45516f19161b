// The state of a room that sessions show in addition to the log.
import { UTC } from '../base/zone.ts'
import type { Entry, ReplyDelta } from '../words/entry.ts'
import type { RoomNews, Room } from '../chat/index.ts'
import type { WaitingQuestion } from '../turns/approvals/index.ts'
import type { Person, Role } from '../words/person.ts'
import {
  nextText,
  statusRow,
  createReplies,
  type RepliesParts,
  type DrawingStyle,
  type RoomFooter,
  type RunningWork,
} from '../terminal/index.ts'
import { type RoomStatus, SharedStatus } from './status.ts'

/** Interval of the status line's updates while something runs. */
export const TICK_MS = 500
/** Limits recounts while many people come in, because each count redraws all screens. */
const PEOPLE_MS = 2_000
/** Interval of showing chunks of replies: it looks smooth, and few bytes are spent on moving the cursor. */
export const REPLY_MS = 80

export type RoomBoards = ReturnType<typeof createRoomBoards>

/** `now` returns monotonic milliseconds. */
export function createRoomBoards(status: RoomStatus, now: () => number, reading: RepliesParts) {
  const boards = new WeakMap<Room, RoomBoard>()
  return {
    of(room: Room): RoomBoard {
      const board = boards.get(room) ?? new RoomBoard(room, status, now, reading)
      boards.set(room, board)
      return board
    },
  }
}

export type BoardView = ReturnType<RoomBoard['watch']>

/** The status line and the replies being written, which all sessions of a room share. */
class RoomBoard {
  readonly #room: Room
  readonly #source: RoomStatus
  readonly #status: SharedStatus
  readonly #replies: ReturnType<typeof createReplies>
  readonly #wallNow: () => number
  /** Maps each session's refresh function to its person. */
  readonly #watchers = new Map<() => void, Person>()
  /** True if routines may have changed since they were read. */
  #hasOldRoutines = true
  #stopListening: () => void = () => undefined
  #ticking: NodeJS.Timeout | undefined
  #counting: NodeJS.Timeout | undefined
  #pacing: NodeJS.Timeout | undefined

  constructor(room: Room, source: RoomStatus, now: () => number, reading: RepliesParts) {
    this.#room = room
    this.#source = source
    this.#status = new SharedStatus(room, source, now)
    this.#replies = createReplies(reading)
    this.#wallNow = reading.wallNow
  }

  questions(person: Person, role: Role): readonly WaitingQuestion[] {
    return this.#source.questions(this.#room).filter((one) => one.mayAllow(person, role))
  }

  watch(person: Person, role: Role, refresh: () => void) {
    if (this.#watchers.size === 0) this.#begin()
    this.#watchers.set(refresh, person)
    void this.#status.admit(person, role).then((isNew) => isNew && this.#refreshAll())
    this.#routinesChanged()
    refresh()
    return {
      footer: (style: DrawingStyle, news: readonly RoomNews[] = [], zone = UTC): RoomFooter => {
        const status = this.#status.of(person, role)
        const next = status.next === undefined ? '' : nextText(status.next, this.#wallNow(), zone)
        return {
          room: this.#room.name,
          replies: this.#replies.now(),
          replyOf: this.#replies.of,
          progressOf: (call) => this.#status.progressOf(call),
          status: statusRow(status, style, news, next),
        }
      },
      running: (): readonly RunningWork[] => this.#status.running(),
      questions: (): readonly WaitingQuestion[] => this.questions(person, role),
      leave: (): void => this.#leave(refresh),
    }
  }

  /** Separate from `watch`, so that no closure keeps a room's first session in memory. */
  #begin(): void {
    const stopRoutines = this.#source.onRoutines(() => this.#routinesChanged())
    const stopRoom = this.#room.listen({
      deliver: (entry) => this.#deliver(entry),
      stream: (delta) => this.#stream(delta),
      peopleChanged: () => this.#peopleChanged(),
    })
    this.#stopListening = () => {
      stopRoutines()
      stopRoom()
    }
    void this.#readLastTurn()
  }

  #leave(refresh: () => void): void {
    this.#watchers.delete(refresh)
    if (this.#watchers.size > 0) return
    this.#stopListening()
    for (const timer of [this.#ticking, this.#counting, this.#pacing]) clearTimeout(timer)
    this.#ticking = this.#counting = this.#pacing = undefined
    this.#replies.endAll()
  }

  #refreshAll(): void {
    for (const refresh of this.#watchers.keys()) refresh()
  }

  #look(): void {
    if (this.#status.update()) this.#refreshAll()
    if (this.#status.isBusy()) this.#lookLater()
  }

  #lookLater(): void {
    this.#ticking ??= setTimeout(() => {
      this.#ticking = undefined
      this.#look()
    }, TICK_MS)
  }

  async #updateChoices(): Promise<void> {
    await this.#status.updateChoices()
    this.#refreshAll()
  }

  async #readLastTurn(): Promise<void> {
    if (await this.#status.readLastTurn()) this.#refreshAll()
  }

  #peopleChanged(): void {
    if (this.#counting !== undefined) return
    if (this.#ticking === undefined) this.#look()
    void this.#readRoutines()
    this.#counting = setTimeout(() => {
      this.#counting = undefined
      this.#look()
      void this.#readRoutines()
    }, PEOPLE_MS)
  }

  /** Also called for a person who comes in, because they may have routines. */
  #routinesChanged(): void {
    this.#hasOldRoutines = true
    this.#peopleChanged()
  }

  async #readRoutines(): Promise<void> {
    if (!this.#hasOldRoutines) return
    this.#hasOldRoutines = false
    const people = new Set([...this.#watchers.values()].map(({ id }) => id))
    if (await this.#status.readRoutines([...people])) this.#refreshAll()
  }

  #deliver(entry: Entry): void {
    if ((entry.kind === 'reply' || entry.kind === 'notice') && entry.turn !== undefined) {
      this.#replies.end(entry.turn, entry)
      if (entry.kind === 'reply' && entry.outcome !== undefined) this.#status.end(entry.turn)
      if (entry.thread === undefined) void this.#readLastTurn()
    }
    // A reload may have changed the models and tools before this turn.
    if (entry.kind === 'scope' || (entry.kind === 'reply' && entry.outcome === 'done'))
      void this.#updateChoices()
    // A turn begins a moment after the message that mentions its model.
    if (entry.kind === 'message') this.#lookLater()
    else if (entry.kind !== 'presence') this.#look()
  }

  #stream(delta: ReplyDelta): void {
    const before = this.#replies.now().length
    this.#replies.add(delta)
    // The status must not show a turn as waiting when its reply is visible.
    if (this.#replies.now().length > before) this.#look()
    if (this.#pacing === undefined) this.#showReplies()
  }

  /** Shows the first chunk after a pause at once, and later chunks together. */
  #showReplies(): void {
    this.#pacing = undefined
    if (!this.#replies.flush()) return
    this.#refreshAll()
    this.#pacing = setTimeout(() => this.#showReplies(), REPLY_MS)
  }
}
