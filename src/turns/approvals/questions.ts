import type { RoomName } from '../../words/entry.ts'
import { SERVER_STOPPING } from '../../words/errors.ts'
import { SERVER_LOST, type Questions as SharedQuestions, type Room } from '../../chat/index.ts'
import { createDeferred } from '../../base/jobs/waiting.ts'
import { duration, counted, countedAre } from '../../base/amounts.ts'
import type { JsonObject } from '../../base/json.ts'
import { cancelReason } from '../../tools/index.ts'
import { findAnswerers } from './policy.ts'
import type { ApprovalSubject, ApprovalRequest, GivenAnswer } from './ports.ts'
import { answererText, approvalFacts, questionText } from './question-text.ts'

/** How a question ended. An answer is already stored; for `unanswered`, the caller tells the room why. */
export type QuestionEnd =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied' | 'unanswered'; readonly why: string }

export type OpenQuestion = OwnQuestion | RemoteQuestion

export interface OwnQuestion {
  readonly number: number
  readonly asked: ApprovalSubject
  /** Reserves the question; the caller must call `end`. False if it is over. Rejects with `StorageError`. */
  take(): Promise<boolean>
  end(end: QuestionEnd): void
}

export interface RemoteQuestion {
  readonly number: number
  readonly asked: ApprovalSubject
  /** Resolves to false if the question is over. Rejects with `StorageError`. */
  forwardAnswer(answer: GivenAnswer): Promise<boolean>
}

export interface QuestionLimits {
  /** Open questions in a room. Each person may have one even beyond this limit. */
  readonly approvals_per_room: number
  readonly approvals_per_person: number
}

/** Milliseconds until an unanswered question counts as denied. */
const ANSWER_MS = 120_000

/** Longer details would be cut at a slow terminal. */
const MAX_DETAIL_CHARS = 65_536

/** Stores an answer that came through another server, and ends the question. Must not throw. */
type OnRemoteAnswer = (room: Room, question: OwnQuestion, answer: GivenAnswer) => void

/** Asks questions, and lists the open questions of all rooms. */
export class Questions {
  readonly #limits: QuestionLimits
  readonly #shared: SharedQuestions
  readonly #answerMs: number
  readonly #onRemoteAnswer: OnRemoteAnswer
  readonly #own = new Map<OwnQuestion, RoomName>()
  #isDraining = false

  constructor(
    limits: QuestionLimits,
    shared: SharedQuestions,
    answerMs: number | undefined,
    onRemoteAnswer: OnRemoteAnswer,
  ) {
    this.#limits = limits
    this.#shared = shared
    this.#answerMs = answerMs ?? ANSWER_MS
    this.#onRemoteAnswer = onRemoteAnswer
  }

  /** Resolves at an answer, time limit, abort or the requester's leaving. Rejects with `StorageError`. */
  async ask(room: Room, asked: ApprovalRequest): Promise<QuestionEnd> {
    const answerMs = this.#answerMs
    const answerers = await findAnswerers(room, asked)
    if (!answerers) return unansweredEnd(whyNot(room, asked) ?? noAnswererText(room, asked))
    const ended = createDeferred<QuestionEnd>()
    const remoteAnswer = createDeferred<GivenAnswer>()
    const number = await this.#open(room, asked, remoteAnswer.resolve)
    if (typeof number === 'string') return unansweredEnd(number)
    const question = this.#add(room.name, number, asked, ended.resolve)
    void remoteAnswer.promise.then((answer) => {
      this.#own.delete(question)
      this.#onRemoteAnswer(room, question, answer)
    })
    const giveUp = (why: string): void => {
      const end = (): void => ended.resolve(unansweredEnd(why))
      // Another server's answer may have ended the question. A question that cannot be closed is denied.
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

  /** Lists the open questions of all servers in the order of asking. */
  open(room: RoomName): readonly OpenQuestion[] {
    const own = [...this.#own].flatMap(([question, where]) => (where === room ? question : []))
    const remote = this.#shared.others(room).map(({ number, asked }): RemoteQuestion => ({
      number,
      asked: askedFromJson(asked),
      forwardAnswer: ({ person: { name }, verdict }) =>
        this.#shared.answer({ room, number }, { person: { name }, verdict }),
    }))
    return [...own, ...remote].toSorted((a, b) => a.number - b.number)
  }

  drain(): void {
    this.#isDraining = true
  }

  /** Resolves to the question's number, or to the reason against asking. */
  async #open(
    room: Room,
    asked: ApprovalSubject,
    answered: (answer: GivenAnswer) => void,
  ): Promise<number | string> {
    const why = whyNot(room, asked)
    if (why !== undefined) return why
    const { approvals_per_room, approvals_per_person } = this.#limits
    const opened = await this.#shared.open(
      { room: asked.room, person: asked.requester.id, asked: toJson(asked) },
      ({ open, own }) => (open < approvals_per_room || own === 0) && own < approvals_per_person,
      (answer) => answered(answer as unknown as GivenAnswer),
    )
    if (typeof opened === 'number') return opened
    return opened.open >= approvals_per_room
      ? `${countedAre(opened.open, 'question')} open here already`
      : `${asked.requester.name} has ${counted(opened.own, 'open question')} here already`
  }

  #add(room: RoomName, number: number, asked: ApprovalSubject, end: OwnQuestion['end']): OwnQuestion {
    const question: OwnQuestion = {
      number,
      asked,
      end,
      take: async () => {
        if (!this.#own.delete(question)) return false
        const closed = await this.#shared.close({ room, number })
        if (closed === 'gone') end({ kind: 'denied', why: SERVER_LOST })
        return closed === 'closed'
      },
    }
    this.#own.set(question, room)
    return question
  }

  /** Ends the question when the requester leaves or the signal aborts. Returns a function that stops this. */
  #watchRequester(
    room: Room,
    { requester, routine, signal }: ApprovalRequest,
    giveUp: (why: string) => void,
  ): () => void {
    const stopped = (): void => giveUp(cancelReason(signal))
    signal.addEventListener('abort', stopped, { once: true })
    const checkPresence = (): void => {
      if (routine || room.awaits(requester.id)) return
      giveUp(this.#isDraining ? SERVER_STOPPING.message : `${requester.name} left`)
    }
    const stopListening = room.listen({ peopleChanged: checkPresence })
    // The requester may have left while the question was stored.
    checkPresence()
    if (signal.aborted) stopped()
    return () => {
      stopListening()
      signal.removeEventListener('abort', stopped)
    }
  }
}

const unansweredEnd = (why: string): QuestionEnd => ({ kind: 'unanswered', why })

function whyNot(room: Room, { requester, detail, routine }: ApprovalSubject): string | undefined {
  if (!routine && !room.awaits(requester.id)) return `${requester.name} is not in ${room.name} to be asked`
  return detail.length > MAX_DETAIL_CHARS
    ? `it is too long to be shown: ${detail.length} characters`
    : undefined
}

/** Any other call could be allowed by its requester, who is present. */
function noAnswererText({ name }: Room, asked: ApprovalSubject): string {
  const { onceOnly, answeredBy, needsOp, routine, requester } = asked
  if (answeredBy) return `only ${answererText(asked)} can allow it, and nobody of them is in ${name}`
  if (routine && !onceOnly && !needsOp)
    return `only ${requester.name} or an op can allow it, and none is in ${name}`
  return `only an ${onceOnly ? 'admin' : 'op'} can allow it, and none is in ${name}`
}

export const askedFromJson = (asked: JsonObject): ApprovalSubject => asked as unknown as ApprovalSubject

/** Other servers get no key or network of the requester. */
function toJson(asked: ApprovalSubject): JsonObject {
  const { room, tool, access, target, detail, model, turn, onceOnly, answeredBy, needsOp, routine } = asked
  const { id, name, admin, guest } = asked.requester
  return {
    requester: { id, name, admin, guest },
    room,
    tool,
    access,
    target,
    detail,
    ...(model !== undefined && { model }),
    ...(turn !== undefined && { turn }),
    ...(onceOnly !== undefined && { onceOnly }),
    ...(answeredBy && { answeredBy }),
    ...(needsOp && { needsOp }),
    ...(routine && { routine: { ...routine } }),
  }
}
