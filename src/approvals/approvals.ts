import type { RoomName } from '../chat/entry.ts'
import { Refusal } from '../chat/errors.ts'
import { mayManage } from '../chat/access.ts'
import type { Questions as SharedQuestions } from '../chat/peers.ts'
import { SYSTEM } from '../chat/people/names.ts'
import type { Person, Role } from '../chat/people/person.ts'
import type { Clock, Log } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import type { PermissionProvider, PermissionRequest } from '../tools/context.ts'
import { whyWithdrawn } from '../tools/permission.ts'
import { createGrants, isLasting, mayDecide, whyOnlyOnce, type Grants } from './policy.ts'
import type { AskedFor, GivenAnswer, GrantStore, Verdict } from './ports.ts'
import { answerText, approvalFacts, toolFor } from './question-text.ts'
import { Questions, type OpenQuestion, type OwnQuestion, type QuestionLimits } from './questions.ts'

/**
 * Permissions as the rooms give them: a grant allows what it covers; for everything else people are asked.
 */
export interface Approvals extends PermissionProvider {
  /**
   * Answers an open question; resolves with the text for the room, which the server that asked tells it.
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
   * From now on everybody who leaves is sent away, because the server is stopping: their questions end with
   * that.
   */
  drain(): void
}

/** An open question, as it is shown. */
export interface WaitingQuestion {
  readonly number: number
  /** The name of the requester, or `an admin`. */
  readonly waitsFor: string
  mayAllow(person: Person, role: Role): boolean
}

/** A person's decision about a question that is open in a room. */
export interface Decision {
  readonly room: Room
  readonly person: Person
  readonly verdict: Verdict
  /** The question's number. It may be absent if only one is open that this person can answer. */
  readonly question?: number
}

export interface ApprovalParts {
  /** A room by name; undefined if it is gone. */
  readonly room: (name: RoomName) => Promise<Room | undefined>
  readonly grants: GrantStore
  readonly questions: SharedQuestions
  readonly limits: QuestionLimits
  /** Milliseconds until a question without an answer is a no; 120,000 when absent. */
  readonly answerMs?: number | undefined
  readonly clock: Clock
  readonly log: Log
}

export function createApprovals({ room, clock, log, ...parts }: ApprovalParts): Approvals {
  const grants = createGrants(parts.grants, clock)
  const questions = new Questions({
    limits: parts.limits,
    shared: parts.questions,
    answerMs: parts.answerMs,
    answered: (where, question, answer) =>
      void settle({ room: where, ...answer }, question, grants).catch((error: unknown) =>
        log.error(
          { error, room: where.name },
          'an answer that came through another server could not be stored',
        ),
      ),
  })

  /** The rules of every policy: reading needs no permission, and a stopped or failed request is denied. */
  const decideBy = (policy: Policy): PermissionProvider => ({
    async request(asked) {
      const { access, signal, tool } = asked
      if (access === 'read') return 'allow'
      try {
        if (signal.aborted) return { why: whyWithdrawn(signal) }
        const where = await room(asked.room)
        if (!where) return { why: `there is no room ${asked.room}` }
        const why = (await policy(asked, where)) ?? (signal.aborted ? whyWithdrawn(signal) : undefined)
        return why === undefined ? 'allow' : { why }
      } catch (error) {
        log.error({ error, room: asked.room, tool }, 'a permission could not be asked for')
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
    answer: (decision) => answerQuestion(decision, questions, grants),
    open: (name) =>
      questions.open(name).map(({ number, asked }) => ({
        number,
        waitsFor: asked.onceOnly ? 'an admin' : asked.requester.name,
        mayAllow: (person, role) => mayDecide('once', asked, person, role),
      })),
    named: (tools) => decideBy(namedTools(tools)),
    drain: () => questions.drain(),
  }
}

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

/** See `Approvals.answer`. */
async function answerQuestion(decision: Decision, questions: Questions, grants: Grants): Promise<string> {
  const { room, person, verdict } = decision
  const role = await room.roleOf(person)
  const question = chooseQuestion(questions.open(room.name), decision, role)
  const { number, asked } = question
  if (isLasting(verdict)) {
    const why = whyOnlyOnce(asked)
    if (why !== undefined)
      throw new Refusal(`this can be allowed only once, because ${why}: /allow ${number} or /deny ${number}`)
    await grants.refuseIfFull(asked)
  }
  const isOwn = 'take' in question
  const isTaken = isOwn ? await question.take() : await question.forwardAnswer({ person, verdict })
  if (!isTaken) throw new Refusal(`question ${number} is not open any more`)
  if (isOwn) return await settle(decision, question, grants)
  // That server may have ended a moment ago, and then the room reads that it was denied.
  return `${answerText(verdict, number, asked)}, once the server that asked takes it up`
}

/**
 * The question that a decision is about. If several are open, the person must give the number: an answer to
 * the wrong question would allow something that nobody has read. Throws `Refusal`.
 */
function chooseQuestion(open: readonly OpenQuestion[], decision: Decision, role: Role): OpenQuestion {
  const { room, person, question, verdict } = decision
  const meant = question === undefined ? open : open.filter((one) => one.number === question)
  const mine = meant.filter(({ asked }) => mayDecide(verdict, asked, person, role))
  const [first, ...others] = mine
  if (!first) throw new Refusal(meant[0] ? notYours(room, meant[0]) : noSuchQuestion(room, question))
  if (others.length === 0) return first
  const numbers = mine.map((one) => one.number).join(', ')
  throw new Refusal(`several questions are open: ${numbers}; say which one, as in /allow ${first.number}`)
}

const noSuchQuestion = ({ name }: Room, number: number | undefined): string =>
  number === undefined ? `no question is open in ${name}` : `question ${number} is not open in ${name}`

const notYours = ({ name }: Room, { number, asked }: OpenQuestion): string =>
  asked.onceOnly
    ? `only an admin can allow question ${number}: it needs the network or has no sandbox`
    : `only ${asked.requester.name}, the owner of ${name}, an op or an admin can answer question ${number}`

/**
 * Stores an answer and ends the question, which was taken before. If anything fails, the answer is no.
 * Rejects with `StorageError`.
 */
async function settle(
  { room, person, verdict }: GivenAnswer & { readonly room: Room },
  { number, asked, end }: OwnQuestion,
  grants: Grants,
): Promise<string> {
  try {
    if (isLasting(verdict)) await grants.give(person, verdict, asked)
    const text = answerText(verdict, number, asked)
    await room.record({ ...approvalFacts(asked), author: person.name, question: number, verdict, text })
    end(verdict === 'denied' ? { kind: 'denied', why: `denied by ${person.name}` } : { kind: 'allowed' })
    return text
  } catch (error) {
    end({ kind: 'unanswered', why: `the answer to question ${number} could not be stored` })
    throw error
  }
}
