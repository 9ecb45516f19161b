import type { RoomName } from '../chat/entry.ts'
import type { Room } from '../chat/room.ts'
import { createDeferred, type Deferred } from '../lib/deferred.ts'
import { duration } from '../lib/duration.ts'
import type { PermissionRequest } from '../tools/tool.ts'
import { questionText } from './question-text.ts'

/** How a question ended: with a person's answer, which is recorded by then, or for a reason that the room is to be told. */
export type QuestionEnd = { readonly allowed: boolean } | { readonly deniedBecause: string }

/** A question that waits for its answer. */
export interface Question {
  /** Counts up in its room, and is never used again while the server runs. */
  readonly number: number
  readonly asked: PermissionRequest
  /**
   * Takes the question away from the time limit and from everybody else; false where it is over already. Who took it
   * must call `end`.
   */
  take(): boolean
  /** Tells the one who asked. */
  end(end: QuestionEnd): void
}

/** The questions that are open in all rooms. */
export interface Questions {
  /**
   * Asks in the room and waits: for an answer, the time limit, the requester's leaving, or the signal. Rejects with
   * `StorageError` when it could not be asked.
   */
  ask(room: Room, asked: PermissionRequest): Promise<QuestionEnd>
  /** In the order of asking. */
  open(room: RoomName): readonly Question[]
}

/** Limits of asking. */
export interface QuestionLimits {
  readonly approvals_per_room: number
  /** Milliseconds until a question without an answer is a no; 120,000 when absent. */
  readonly answer_ms?: number
}

/** Characters of what is asked; more would be cut on its way to a slow terminal, and then nobody saw all of it. */
const LONGEST = 65_536

interface Board {
  asked: number
  readonly open: Map<number, Question>
}

export function createQuestions({ approvals_per_room, answer_ms = 120_000 }: QuestionLimits): Questions {
  const boards = new Map<RoomName, Board>()

  function boardOf(room: RoomName): Board {
    const board = boards.get(room) ?? { asked: 0, open: new Map() }
    boards.set(room, board)
    return board
  }

  function whyNot(room: Room, board: Board, { requester, detail }: PermissionRequest): string | undefined {
    if (!isHere(room, requester.id)) return `${requester.name} is not in ${room.name} to be asked`
    if (board.open.size >= approvals_per_room) return `${board.open.size} questions are open here already`
    return detail.length > LONGEST ? `it is too long to be shown: ${detail.length} characters` : undefined
  }

  return {
    async ask(room, asked) {
      const board = boardOf(room.name)
      const reason = whyNot(room, board, asked)
      if (reason !== undefined) return { deniedBecause: reason }
      const number = ++board.asked
      const ended = createDeferred<QuestionEnd>()
      const question = createQuestion(number, asked, ended, () => board.open.delete(number))
      board.open.set(number, question)
      const deny = (why: string): void => {
        if (question.take()) question.end({ deniedBecause: why })
      }
      const stopWatching = watch(room, asked, deny)
      try {
        const author = asked.model ?? asked.requester.name
        const text = questionText(number, asked, answer_ms)
        await room.record({ ...approvalFacts(asked), author, question: number, verdict: 'asked', text })
        const timer = setTimeout(() => deny(`nobody answered within ${duration(answer_ms)}`), answer_ms)
        return await ended.promise.finally(() => clearTimeout(timer))
      } finally {
        question.take()
        stopWatching()
      }
    },
    open: (room) => [...(boards.get(room)?.open.values() ?? [])],
  }
}

/** What all entries about one request have in common. */
export const approvalFacts = ({ turn, tool, requester }: PermissionRequest) => ({
  kind: 'approval' as const,
  tool,
  requester: requester.name,
  ...(turn === undefined ? {} : { turn }),
})

const createQuestion = (
  number: number,
  asked: PermissionRequest,
  ended: Deferred<QuestionEnd>,
  take: () => boolean,
): Question => ({ number, asked, take, end: ended.resolve })

/** Denies when the requester is not there any more, or does not want it any more. Returns what ends the watching. */
function watch(
  room: Room,
  { requester, signal }: PermissionRequest,
  deny: (why: string) => void,
): () => void {
  const stopped = (): void => deny('it was stopped')
  signal.addEventListener('abort', stopped, { once: true })
  const stopListening = room.listen({
    deliver: () => isHere(room, requester.id) || deny(`${requester.name} left`),
  })
  if (signal.aborted) stopped()
  return () => {
    stopListening()
    signal.removeEventListener('abort', stopped)
  }
}

const isHere = (room: Room, id: PermissionRequest['requester']['id']): boolean =>
  room.present().some((person) => person.id === id)
