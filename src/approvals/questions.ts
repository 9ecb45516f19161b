import type { RoomName } from '../chat/entry.ts'
import { SERVER_STOPPING } from '../chat/errors.ts'
import { SERVER_LOST, type QuestionCounts, type Questions as SharedQuestions } from '../chat/peers.ts'
import type { Room } from '../chat/room.ts'
import { createDeferred } from '../lib/deferred.ts'
import { duration } from '../lib/duration.ts'
import type { JsonObject } from '../lib/json.ts'
import { counted, countedAre } from '../lib/plural.ts'
import type { PermissionRequest } from '../tools/context.ts'
import { whyWithdrawn } from '../tools/permission.ts'
import { findAnswerers } from './policy.ts'
import type { AskedFor, GivenAnswer } from './ports.ts'
import { approvalFacts, questionText } from './question-text.ts'

/**
 * The end of a question: a person's answer, which is stored by then, or a reason that the room is to be told.
 */
export type QuestionEnd =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied' | 'unanswered'; readonly why: string }

/** A question that waits for its answer. */
export type OpenQuestion = OwnQuestion | RemoteQuestion

/** A question of this server. */
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

/** A question of another server. */
export interface RemoteQuestion {
  readonly number: number
  readonly asked: AskedFor
  /** Gives that server the answer. False if the question is over. Rejects with `StorageError`. */
  forwardAnswer(answer: GivenAnswer): Promise<boolean>
}

/** Limits of asking. */
export interface QuestionLimits {
  /** Everybody may have one question open beyond this, so that nobody can keep others from asking. */
  readonly approvals_per_room: number
  /** Of one requester, so that nobody takes all of a room's questions. */
  readonly approvals_per_person: number
}

/** Milliseconds until an unanswered question counts as denied. */
const ANSWER_MS = 120_000

/** A slow terminal would get a longer text cut, so nobody could be sure to have seen all of it. */
const MAX_DETAIL_CHARS = 65_536

export interface QuestionParts {
  readonly limits: QuestionLimits
  readonly shared: SharedQuestions
  /** Milliseconds until a question without an answer is a no; 120,000 when absent. */
  readonly answerMs?: number | undefined
  /** Carries out an answer that came through another server, and ends the question. Must not throw. */
  readonly answered: (room: Room, question: OwnQuestion, answer: GivenAnswer) => void
}

/** The questions that are open in all rooms. */
export class Questions {
  readonly #parts: QuestionParts
  readonly #own = new Map<OwnQuestion, RoomName>()
  #isDraining = false

  constructor(parts: QuestionParts) {
    this.#parts = parts
  }

  /**
   * Asks in the room and waits: for an answer, the time limit, the requester's leaving, or the signal. Nobody
   * is asked if nobody may answer, or too many questions are open. Rejects with `StorageError` if the
   * question could not be stored.
   */
  async ask(room: Room, asked: PermissionRequest): Promise<QuestionEnd> {
    const { answerMs = ANSWER_MS, answered } = this.#parts
    const answerers = await findAnswerers(room, asked)
    if (!answerers) return unanswered(whyNot(room, asked) ?? nobodyIn(room))
    const ended = createDeferred<QuestionEnd>()
    const remoteAnswer = createDeferred<GivenAnswer>()
    const number = await this.#open(room, asked, remoteAnswer.resolve)
    if (typeof number === 'string') return unanswered(number)
    const question = this.#add(room.name, number, asked, ended.resolve)
    void remoteAnswer.promise.then((answer) => {
      this.#own.delete(question)
      answered(room, question, answer)
    })
    const giveUp = (why: string): void => {
      const end = (): void => ended.resolve(unanswered(why))
      // An answer that came through another server meanwhile ends it. What cannot be closed is a no.
      question.take().then((isTaken) => isTaken && end(), end)
    }
    const stopWatching = this.#watchRequester(room, asked, giveUp)
    try {
      const { model, requester } = asked
      const author = model === undefined ? { author: requester.name, by: requester.id } : { author: model }
      const text = questionText(number, asked, answerMs)
      const facts = { ...approvalFacts(asked), ...author, question: number, answerers }
      await room.record({ ...facts, verdict: 'asked', text })
      const timer = setTimeout(() => giveUp(`nobody answered within ${duration(answerMs)}`), answerMs)
      return await ended.promise.finally(() => clearTimeout(timer))
    } finally {
      await question.take()
      stopWatching()
    }
  }

  /** In the order of asking; those of other servers, too. */
  open(room: RoomName): readonly OpenQuestion[] {
    const { shared } = this.#parts
    const own = [...this.#own].flatMap(([question, where]) => (where === room ? question : []))
    const remote = shared.others(room).map(({ number, asked }): RemoteQuestion => ({
      number,
      asked: askedIn(asked),
      forwardAnswer: ({ person: { name }, verdict }) =>
        shared.answer({ room, number }, { person: { name }, verdict }),
    }))
    return [...own, ...remote].toSorted((a, b) => a.number - b.number)
  }

  /**
   * From now on everybody who leaves is sent away, because the server is stopping: their questions end with
   * that.
   */
  drain(): void {
    this.#isDraining = true
  }

  /** Resolves to the number, or to the reason why nobody is asked. */
  async #open(
    room: Room,
    asked: AskedFor,
    answered: (answer: GivenAnswer) => void,
  ): Promise<number | string> {
    const why = whyNot(room, asked)
    if (why !== undefined) return why
    const { limits, shared } = this.#parts
    const mayOpen = ({ open, own }: QuestionCounts): boolean =>
      (open < limits.approvals_per_room || own === 0) && own < limits.approvals_per_person
    const opened = await shared.open(
      { room: asked.room, person: asked.requester.id, asked: toJson(asked) },
      mayOpen,
      (answer) => answered(answer as unknown as GivenAnswer),
    )
    if (typeof opened === 'number') return opened
    return opened.open >= limits.approvals_per_room
      ? `${countedAre(opened.open, 'question')} open here already`
      : `${asked.requester.name} has ${counted(opened.own, 'open question')} here already`
  }

  #add(room: RoomName, number: number, asked: AskedFor, end: OwnQuestion['end']): OwnQuestion {
    const question: OwnQuestion = {
      number,
      asked,
      end,
      take: async () => {
        if (!this.#own.delete(question)) return false
        const closed = await this.#parts.shared.close({ room, number })
        if (closed === 'gone') end({ kind: 'denied', why: SERVER_LOST })
        return closed === 'closed'
      },
    }
    this.#own.set(question, room)
    return question
  }

  /**
   * Gives a question up when the requester has left the room for good, or the signal is aborted. Returns the
   * end of it.
   */
  #watchRequester(
    room: Room,
    { requester, signal }: PermissionRequest,
    giveUp: (why: string) => void,
  ): () => void {
    const stopped = (): void => giveUp(whyWithdrawn(signal))
    signal.addEventListener('abort', stopped, { once: true })
    const checkPresence = (): void => {
      if (room.awaits(requester.id)) return
      giveUp(this.#isDraining ? SERVER_STOPPING.message : `${requester.name} left`)
    }
    const stopListening = room.listen({ peopleChanged: checkPresence })
    // They may have gone while the question was stored.
    checkPresence()
    if (signal.aborted) stopped()
    return () => {
      stopListening()
      signal.removeEventListener('abort', stopped)
    }
  }
}

const unanswered = (why: string): QuestionEnd => ({ kind: 'unanswered', why })

function whyNot(room: Room, { requester, detail }: AskedFor): string | undefined {
  if (!room.awaits(requester.id)) return `${requester.name} is not in ${room.name} to be asked`
  return detail.length > MAX_DETAIL_CHARS
    ? `it is too long to be shown: ${detail.length} characters`
    : undefined
}

/** The requester may answer all but the questions for an admin. */
const nobodyIn = ({ name }: Room): string => `only an admin can allow it, and none is in ${name}`

/** A question of another server, in the form that it has stored. */
export const askedIn = (asked: JsonObject): AskedFor => asked as unknown as AskedFor

/** Without what concerns only the server that asks: other servers get no key or network of the requester. */
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
