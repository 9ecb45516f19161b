import type { RoomName } from '../chat/entry.ts'
import type { Room } from '../chat/room.ts'
import { createDeferred } from '../lib/deferred.ts'
import { counted, countedAre } from '../lib/plural.ts'
import { duration } from '../lib/duration.ts'
import { whyWithdrawn } from '../tools/permission.ts'
import type { PermissionRequest } from '../tools/context.ts'
import { answerersIn } from './answerers.ts'
import { approvalFacts, questionText } from './question-text.ts'

/** How a question ended: with a person's answer, which is stored by then, or for a reason that the room is to be told. */
export type QuestionEnd =
  { readonly kind: 'allowed' } | { readonly kind: 'denied' | 'unanswered'; readonly why: string }

/** A question that waits for its answer. */
export interface OpenQuestion {
  /** Counts up in its room, and is never used again while the server runs. */
  readonly number: number
  readonly asked: PermissionRequest
  /**
   * Reserves the question for the caller, who must then call `end`: it is no longer open and no longer times out.
   * False if the question is over already.
   */
  take(): boolean
  /** Gives the end to the one who asked. */
  end(end: QuestionEnd): void
}

/** The questions that are open in all rooms. */
export interface Questions {
  /**
   * Asks in the room and waits: for an answer, the time limit, the requester's leaving, or the signal. Nobody is asked
   * where nobody may answer, or too many questions are open. Rejects with `StorageError` if the question could not be
   * stored.
   */
  ask(room: Room, asked: PermissionRequest): Promise<QuestionEnd>
  /** In the order of asking. */
  open(room: RoomName): readonly OpenQuestion[]
}

/** Limits of asking. */
export interface QuestionLimits {
  /** Whoever has no question open may ask one more all the same, so that nobody can keep others from asking. */
  readonly approvals_per_room: number
  /** Of one requester, so that nobody takes all of a room's questions. */
  readonly approvals_per_person: number
}

/** Milliseconds until an unanswered question counts as denied. */
const ANSWER_MS = 120_000

/** Characters of what is asked. A slow terminal would get a longer text cut, so nobody could be sure to have seen all of it. */
const MAX_DETAIL_CHARS = 65_536

interface RoomQuestions {
  lastNumber: number
  readonly open: Map<number, OpenQuestion>
}

export function createQuestions(limits: QuestionLimits, answerMs = ANSWER_MS): Questions {
  const rooms = new Map<RoomName, RoomQuestions>()

  function questionsOf(room: RoomName): RoomQuestions {
    const questions = rooms.get(room) ?? { lastNumber: 0, open: new Map() }
    rooms.set(room, questions)
    return questions
  }

  function whyNot(
    room: Room,
    open: ReadonlyMap<number, OpenQuestion>,
    { requester, detail }: PermissionRequest,
  ): string | undefined {
    if (!isPresent(room, requester.id)) return `${requester.name} is not in ${room.name} to be asked`
    const own = [...open.values()].filter(({ asked }) => asked.requester.id === requester.id).length
    const isFull = open.size >= limits.approvals_per_room
    if (isFull && own > 0) return `${countedAre(open.size, 'question')} open here already`
    if (own >= limits.approvals_per_person)
      return `${requester.name} has ${counted(own, 'open question')} here already`
    return detail.length > MAX_DETAIL_CHARS
      ? `it is too long to be shown: ${detail.length} characters`
      : undefined
  }

  return {
    async ask(room, asked) {
      const here = questionsOf(room.name)
      const answerers = await answerersIn(room, asked)
      const why = whyNot(room, here.open, asked)
      if (why !== undefined || !answerers) return { kind: 'unanswered', why: why ?? nobodyIn(room) }
      const number = ++here.lastNumber
      const ended = createDeferred<QuestionEnd>()
      const take = (): boolean => here.open.delete(number)
      here.open.set(number, { number, asked, take, end: ended.resolve })
      const giveUp = (reason: string): void => {
        if (take()) ended.resolve({ kind: 'unanswered', why: reason })
      }
      const stopWatching = watchRequester(room, asked, giveUp)
      try {
        const { model, requester } = asked
        const author = model === undefined ? { author: requester.name, by: requester.id } : { author: model }
        const text = questionText(number, asked, answerMs)
        const facts = { ...approvalFacts(asked), ...author, question: number, answerers }
        await room.record({ ...facts, verdict: 'asked', text })
        const timer = setTimeout(() => giveUp(`nobody answered within ${duration(answerMs)}`), answerMs)
        return await ended.promise.finally(() => clearTimeout(timer))
      } finally {
        take()
        stopWatching()
      }
    },
    open: (room) => [...(rooms.get(room)?.open.values() ?? [])],
  }
}

/** The requester may answer all but what only an admin may. */
const nobodyIn = ({ name }: Room): string => `only an admin can allow it, and none is in ${name}`

/** Gives the question up when the requester leaves the room or the signal is aborted. Returns the function that ends this. */
function watchRequester(
  room: Room,
  { requester, signal }: PermissionRequest,
  giveUp: (reason: string) => void,
): () => void {
  const stopped = (): void => giveUp(whyWithdrawn(signal))
  signal.addEventListener('abort', stopped, { once: true })
  const stopListening = room.listen({
    peopleChanged: () => isPresent(room, requester.id) || giveUp(`${requester.name} left`),
  })
  if (signal.aborted) stopped()
  return () => {
    stopListening()
    signal.removeEventListener('abort', stopped)
  }
}

const isPresent = (room: Room, id: PermissionRequest['requester']['id']): boolean =>
  room.present().some((person) => person.id === id)
