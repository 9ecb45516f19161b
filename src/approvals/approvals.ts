import { mayManage } from '../chat/access.ts'
import type { RoomName } from '../chat/entry.ts'
import type { Questions as SharedQuestions } from '../chat/peers.ts'
import type { Person, Role } from '../chat/people/person.ts'
import { SYSTEM } from '../chat/people/names.ts'
import type { Clock, Log } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import { whyWithdrawn } from '../tools/permission.ts'
import type { Denial, PermissionProvider, PermissionRequest } from '../tools/context.ts'
import { createDecide, settle, type Decision } from './decide.ts'
import { createGrants } from './grants.ts'
import { mayDecide } from './policy.ts'
import type { AskedFor, GivenAnswer, GrantStore } from './ports.ts'
import { approvalFacts, toolFor } from './question-text.ts'
import { createQuestions, type OpenQuestion, type OwnQuestion, type QuestionLimits } from './questions.ts'

/**
 * Permissions as the rooms give them: a grant allows what it covers; for everything else people are asked.
 */
export interface Approvals extends PermissionProvider {
  /**
   * Answers an open question; resolves with what the room was told, or will be by the server that asked.
   * Rejects with `Refusal` (none open, several, not this person's to answer, too much to allow), and then the
   * question stays open. Rejects with `StorageError` if the answer could not be stored, and then the answer
   * is no.
   */
  answer(decision: Decision): Promise<string>
  /** The questions that are open in a room, in the order of asking. */
  open(room: RoomName): readonly WaitingQuestion[]
  /**
   * For a script, which cannot be asked: allows these tool ids if the requester manages the room, and nothing
   * else.
   */
  named(tools: ReadonlySet<string>): PermissionProvider
  /**
   * From now on whoever leaves is sent away, because the server is stopping: their questions end with that.
   */
  drain(): void
}

/** An open question, for whoever shows that it waits. */
export interface WaitingQuestion {
  readonly number: number
  /** Who is waited for, in words: the name of whoever asked for the tool, or `an admin`. */
  readonly waitsFor: string
  mayAllow(person: Person, role: Role): boolean
}

/** What approvals are made from. */
export interface ApprovalParts {
  /** A room by name; undefined where it is gone. */
  readonly room: (name: RoomName) => Promise<Room | undefined>
  readonly grants: GrantStore
  readonly questions: SharedQuestions
  readonly limits: QuestionLimits
  /** Milliseconds until a question without an answer is a no; 120,000 when absent. */
  readonly answerMs?: number | undefined
  readonly clock: Clock
  readonly log: Log
}

export function createApprovals(parts: ApprovalParts): Approvals {
  const { room, grants: store, limits, answerMs, clock, log } = parts
  const grants = createGrants(store, clock)
  const questions = createQuestions({
    limits,
    shared: parts.questions,
    answerMs,
    passed: (where, question, answer) => void carryOut(where, question, answer),
  })

  async function carryOut(where: Room, question: OwnQuestion, answer: GivenAnswer): Promise<void> {
    try {
      await settle({ room: where, ...answer }, question, grants)
    } catch (error) {
      log.error({ error, room: where.name }, 'an answer that came through another server could not be stored')
    }
  }

  /**
   * What holds for every way to decide: reading needs no permission, and a stopped or failed request is
   * denied.
   */
  const decideBy = (whyNot: Policy): PermissionProvider => ({
    async request(asked) {
      if (asked.access === 'read') return 'allow'
      try {
        if (asked.signal.aborted) return withdrawn(asked)
        const where = await room(asked.room)
        if (!where) return { why: `there is no room ${asked.room}` }
        const why = await whyNot(asked, where)
        if (why !== undefined) return { why }
        return asked.signal.aborted ? withdrawn(asked) : 'allow'
      } catch (error) {
        log.error({ error, room: asked.room, tool: asked.tool }, 'a permission could not be asked for')
        return { why: 'the question or its answer could not be stored' }
      }
    },
  })

  const { request } = decideBy(async (asked, where) => {
    if (await grants.cover(asked)) return undefined
    const end = await questions.ask(where, asked)
    if (end.kind === 'unanswered') await tellDenied(where, asked, end.why)
    return end.kind === 'allowed' ? undefined : end.why
  })

  return {
    request,
    answer: createDecide(questions, grants),
    open: (name) => questions.open(name).map(waitingQuestion),
    named: (tools) => decideBy(namedTools(tools)),
    drain: questions.drain,
  }
}

const waitingQuestion = ({ number, asked }: OpenQuestion): WaitingQuestion => ({
  number,
  waitsFor: asked.onceOnly ? 'an admin' : asked.requester.name,
  mayAllow: (person, role) => mayDecide('once', asked, person, role),
})

const withdrawn = ({ signal }: PermissionRequest): Denial => ({ why: whyWithdrawn(signal) })

/** Why it is not allowed, once the room knows; undefined to allow. A rejection means no. */
type Policy = (asked: PermissionRequest, room: Room) => Promise<string | undefined>

/** Allows the tools that a script named, if the requester could allow them in the room. */
function namedTools(tools: ReadonlySet<string>): Policy {
  async function whyNot(asked: PermissionRequest, room: Room): Promise<string | undefined> {
    const { tool, requester } = asked
    const role = await room.roleOf(requester)
    if (!mayManage(role))
      return `no script of ${requester.name} can allow it in ${room.name}; in a session ${requester.name} is asked`
    if (!tools.has(tool)) return `a script must name it: --allow ${tool}`
    if (mayDecide('once', asked, requester, role)) return undefined
    return 'only an admin can allow the network, or a command without a sandbox'
  }

  return async (asked, room) => {
    const why = await whyNot(asked, room)
    if (why !== undefined) {
      await tellDenied(room, asked, why)
      return why
    }
    const text = `allowed with --allow (${toolFor(asked)})`
    await room.record({ ...approvalFacts(asked), author: asked.requester.name, verdict: 'once', text })
    return undefined
  }
}

/** Tells the room why something was denied. Rejects with `StorageError`. */
export async function tellDenied(room: Room, asked: AskedFor, why: string): Promise<void> {
  const text = `denied: ${why} (${toolFor(asked)})`
  await room.record({ ...approvalFacts(asked), author: SYSTEM, verdict: 'denied', text })
}
