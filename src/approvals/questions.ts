import type { RoomName } from '../chat/entry.ts'
import { SERVER_STOPPING } from '../chat/errors.ts'
import type { Room } from '../chat/room.ts'
import { createDeferred } from '../lib/deferred.ts'
import { counted, countedAre } from '../lib/plural.ts'
import { duration } from '../lib/duration.ts'
import { whyWithdrawn } from '../tools/permission.ts'
import type { PermissionRequest } from '../tools/context.ts'
import { answerersIn } from './answerers.ts'
import { SERVER_LOST, type QuestionCounts, type Questions as SharedQuestions } from '../chat/peers.ts'
import type { JsonObject } from '../lib/json.ts'
import type { AskedFor, GivenAnswer } from './ports.ts'
import { approvalFacts, questionText } from './question-text.ts'

/**
 * How a question ended: with a person's answer, which is stored by then, or for a reason that the room is to
 * be told.
 */
export type QuestionEnd =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied' | 'unanswered'; readonly why: string }

/** A question that waits for its answer. */
export type OpenQuestion = OwnQuestion | RemoteQuestion

/** One that this server has asked. */
export interface OwnQuestion {
  readonly number: number
  readonly asked: AskedFor
  /**
   * Reserves the question for the caller, who must then call `end`: it is no longer open and no longer times
   * out. False if the question is over already. Rejects with `StorageError`.
   */
  take(): Promise<boolean>
  /** Gives the end to the one who asked. */
  end(end: QuestionEnd): void
}

/** One that another server has asked. */
export interface RemoteQuestion {
  readonly number: number
  readonly asked: AskedFor
  /** Gives that server the answer. False if the question is over. Rejects with `StorageError`. */
  pass(answer: GivenAnswer): Promise<boolean>
}

/** The questions that are open in all rooms. */
export interface Questions {
  /**
   * Asks in the room and waits: for an answer, the time limit, the requester's leaving, or the signal. Nobody
   * is asked where nobody may answer, or too many questions are open. Rejects with `StorageError` if the
   * question could not be stored.
   */
  ask(room: Room, asked: PermissionRequest): Promise<QuestionEnd>
  /** In the order of asking; those of other servers, too. */
  open(room: RoomName): readonly OpenQuestion[]
  /**
   * From now on whoever leaves is sent away, because the server is stopping: their questions end with that.
   */
  drain(): void
}

/** Limits of asking. */
export interface QuestionLimits {
  /**
   * Whoever has no question open may ask one more all the same, so that nobody can keep others from asking.
   */
  readonly approvals_per_room: number
  /** Of one requester, so that nobody takes all of a room's questions. */
  readonly approvals_per_person: number
}

/** Milliseconds until an unanswered question counts as denied. */
const ANSWER_MS = 120_000

/**
 * Characters of what is asked. A slow terminal would get a longer text cut, so nobody could be sure to have
 * seen all of it.
 */
const MAX_DETAIL_CHARS = 65_536

/** What questions are made from. */
export interface QuestionParts {
  readonly limits: QuestionLimits
  readonly shared: SharedQuestions
  /** Milliseconds until a question without an answer is a no; 120,000 when absent. */
  readonly answerMs?: number | undefined
  /**
   * An answer came through another server: it is to be carried out, and the question to be ended. Must not
   * throw.
   */
  readonly passed: (room: Room, question: OwnQuestion, answer: GivenAnswer) => void
}

export function createQuestions({ limits, shared, answerMs = ANSWER_MS, passed }: QuestionParts): Questions {
  const rooms = new Map<RoomName, Map<number, OwnQuestion>>()
  let isDraining = false
  const whyGone = (name: string): string => (isDraining ? SERVER_STOPPING.message : `${name} left`)

  function openIn(room: RoomName): Map<number, OwnQuestion> {
    const open = rooms.get(room) ?? new Map<number, OwnQuestion>()
    rooms.set(room, open)
    return open
  }

  const mayOpen = ({ open, own }: QuestionCounts): boolean =>
    (open < limits.approvals_per_room || own === 0) && own < limits.approvals_per_person

  const tooMany = ({ requester }: AskedFor, { open, own }: QuestionCounts): string =>
    open >= limits.approvals_per_room
      ? `${countedAre(open, 'question')} open here already`
      : `${requester.name} has ${counted(own, 'open question')} here already`

  /** Resolves to the number, or to why nobody is asked. */
  async function open(
    room: Room,
    asked: AskedFor,
    answered: (answer: GivenAnswer) => void,
  ): Promise<number | string> {
    const why = whyNot(room, asked)
    if (why !== undefined) return why
    const question = { room: asked.room, person: asked.requester.id, asked: toJson(asked) }
    const opened = await shared.open(question, mayOpen, (answer) =>
      answered(answer as unknown as GivenAnswer),
    )
    return typeof opened === 'number' ? opened : tooMany(asked, opened)
  }

  return {
    async ask(room, asked) {
      const answerers = await answerersIn(room, asked)
      if (!answerers) return { kind: 'unanswered', why: whyNot(room, asked) ?? nobodyIn(room) }
      const ended = createDeferred<QuestionEnd>()
      const answered = createDeferred<GivenAnswer>()
      const number = await open(room, asked, answered.resolve)
      if (typeof number === 'string') return { kind: 'unanswered', why: number }
      const here = openIn(room.name)
      const take = async (): Promise<boolean> => {
        if (!here.delete(number)) return false
        const end = await shared.close({ room: room.name, number })
        if (end === 'gone') ended.resolve({ kind: 'denied', why: SERVER_LOST })
        return end === 'closed'
      }
      const question: OwnQuestion = { number, asked, take, end: ended.resolve }
      here.set(number, question)
      void answered.promise.then((answer) => {
        here.delete(number)
        passed(room, question, answer)
      })
      const giveUp = (reason: string): void => {
        const end = { kind: 'unanswered', why: reason } as const
        // An answer that came through another server meanwhile ends it. What cannot be closed is a no.
        take().then(
          (isTaken) => isTaken && ended.resolve(end),
          () => ended.resolve(end),
        )
      }
      const stopWatching = watchRequester(room, asked, { giveUp, whyGone })
      try {
        const { model, requester } = asked
        const author = model === undefined ? { author: requester.name, by: requester.id } : { author: model }
        const text = questionText(number, asked, answerMs)
        const facts = { ...approvalFacts(asked), ...author, question: number, answerers }
        await room.record({ ...facts, verdict: 'asked', text })
        const timer = setTimeout(() => giveUp(`nobody answered within ${duration(answerMs)}`), answerMs)
        return await ended.promise.finally(() => clearTimeout(timer))
      } finally {
        await take()
        stopWatching()
      }
    },
    open(room) {
      const here = [...(rooms.get(room)?.values() ?? [])]
      const remote = shared.others(room).map(({ number, asked }): RemoteQuestion => ({
        number,
        asked: askedIn(asked),
        pass: ({ person: { name }, verdict }) =>
          shared.answer({ room, number }, { person: { name }, verdict }),
      }))
      return [...here, ...remote].toSorted((a, b) => a.number - b.number)
    },
    drain: () => void (isDraining = true),
  }
}

/** What was asked, in the form that the server which asked has stored. */
export const askedIn = (asked: JsonObject): AskedFor => asked as unknown as AskedFor

/** Without what concerns only the server that asks. */
function toJson(asked: AskedFor): JsonObject {
  const { room, tool, access, target, detail, model, turn, onceOnly } = asked
  const { id, name, admin, guest } = asked.requester
  return {
    requester: { id, name, admin, guest },
    ...{ room, tool, access, target, detail },
    ...(model !== undefined && { model }),
    ...(turn !== undefined && { turn }),
    ...(onceOnly !== undefined && { onceOnly }),
  }
}

function whyNot(room: Room, { requester, detail }: AskedFor): string | undefined {
  if (!room.awaits(requester.id)) return `${requester.name} is not in ${room.name} to be asked`
  return detail.length > MAX_DETAIL_CHARS
    ? `it is too long to be shown: ${detail.length} characters`
    : undefined
}

/** The requester may answer all but what only an admin may. */
const nobodyIn = ({ name }: Room): string => `only an admin can allow it, and none is in ${name}`

/**
 * Gives the question up when the requester has left the room for good, or the signal is aborted. Returns the
 * function that ends this.
 */
function watchRequester(
  room: Room,
  { requester, signal }: PermissionRequest,
  {
    giveUp,
    whyGone,
  }: { readonly giveUp: (reason: string) => void; readonly whyGone: (name: string) => string },
): () => void {
  const stopped = (): void => giveUp(whyWithdrawn(signal))
  signal.addEventListener('abort', stopped, { once: true })
  const lookForThem = (): void => {
    if (!room.awaits(requester.id)) giveUp(whyGone(requester.name))
  }
  const stopListening = room.listen({ peopleChanged: lookForThem })
  // They may have gone while the question was stored.
  lookForThem()
  if (signal.aborted) stopped()
  return () => {
    stopListening()
    signal.removeEventListener('abort', stopped)
  }
}
