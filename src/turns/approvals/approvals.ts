import type { RoomName } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import { mayManage, type Questions as SharedQuestions, type Room } from '../../chat/index.ts'
import { SYSTEM } from '../../words/names.ts'
import type { Person, PersonId, Role } from '../../words/person.ts'
import type { Access, AllowRules } from '../../words/tool-words.ts'
import type { Clock, Log } from '../../base/environment.ts'
import { type PermissionProvider, type PermissionRequest, cancelReason } from '../../tools/index.ts'
import { createGrants, isLasting, mayDecide, ruledAccess, whyOnlyOnce } from './policy.ts'
import type { ApprovalSubject, ApprovalRequest, GivenAnswer, GrantStore, Verdict } from './ports.ts'
import { answererText, answerText, approvalFacts, toolFor } from './question-text.ts'
import { Questions, type OpenQuestion, type OwnQuestion, type QuestionLimits } from './questions.ts'

export interface Decision {
  readonly room: Room
  readonly person: Person
  readonly verdict: Verdict
  /** The question's number; may be absent if this person can answer only one. */
  readonly question?: number
}

export interface WaitingQuestion {
  readonly number: number
  /** The name of the requester, `an op` or `an admin`. */
  readonly waitsFor: string
  readonly requester: PersonId
  mayAllow(person: Person, role: Role): boolean
}

interface ApprovalParts {
  readonly room: (name: RoomName) => Promise<Room | undefined>
  readonly grants: GrantStore
  readonly questions: SharedQuestions
  readonly limits: QuestionLimits
  /** Called at each request. */
  readonly rules: () => AllowRules
  readonly answerMs?: number | undefined
  readonly clock: Clock
  readonly log: Log
}

/** Resolves to the reason for denying a call, once the room knows it. A rejection denies the call, too. */
type Policy = (asked: ApprovalRequest, room: Room) => Promise<string | undefined>

/** Decides permission requests: a grant allows what it covers, and people are asked for the rest. */
export class Approvals implements PermissionProvider {
  readonly #parts: ApprovalParts
  readonly #grants: ReturnType<typeof createGrants>
  readonly #questions: Questions

  constructor(parts: ApprovalParts) {
    this.#parts = parts
    this.#grants = createGrants(parts.grants, parts.clock)
    this.#questions = new Questions(
      parts.limits,
      parts.questions,
      parts.answerMs,
      (room, question, answer) => {
        this.#settle({ room, ...answer }, question).catch((error: unknown) =>
          parts.log.error(
            { error, room: room.name },
            'an answer that came through another server could not be stored',
          ),
        )
      },
    )
  }

  asksToRead(): boolean {
    return this.#parts.rules().read !== 'requester'
  }

  request(asked: PermissionRequest): ReturnType<PermissionProvider['request']> {
    return this.#decide(asked, async (asking, room) => {
      if (await this.#grants.covers(asking)) return undefined
      const end = await this.#questions.ask(room, asking)
      if (end.kind === 'unanswered') await recordDenial(room, asking, end.why)
      return end.kind === 'allowed' ? undefined : end.why
    })
  }

  /** Allows a script only these tool ids, if the requester manages the room. */
  forScript(tools: ReadonlySet<string>): PermissionProvider {
    return {
      asksToRead: () => this.asksToRead(),
      request: (asked) => this.#decide(asked, (_, room) => allowNamed(tools, asked, room)),
    }
  }

  /** Resolves to the text for the room. Rejects with `Refusal` (still open) or `StorageError` (denied). */
  async answer(decision: Decision): Promise<string> {
    const { room, person, verdict } = decision
    const role = await room.roleOf(person)
    const question = chooseQuestion(this.#questions.open(room.name), decision, role)
    const { number, asked } = question
    if (isLasting(verdict)) {
      const why = whyOnlyOnce(asked)
      if (why !== undefined) throw new Refusal(onlyOnceText(number, why))
      await this.#grants.refuseIfFull(asked)
    }
    const isOwn = 'take' in question
    const isTaken = isOwn ? await question.take() : await question.forwardAnswer({ person, verdict })
    if (!isTaken) throw new Refusal(`question ${number} is not open any more`)
    if (isOwn) return await this.#settle(decision, question)
    // The other server may just have ended; then the room reads that the question was denied.
    return `${answerText(verdict, number, asked)}, as soon as the server that asked gets this answer`
  }

  /** Lists the open questions of a room in the order of asking. */
  open(room: RoomName): readonly WaitingQuestion[] {
    return this.#questions.open(room).map(({ number, asked }) => ({
      number,
      waitsFor: waitedFor(asked),
      requester: asked.requester.id,
      mayAllow: (person, role) => mayDecide('once', asked, person, role),
    }))
  }

  /** Removes the grants of a routine that has ended. Rejects with `StorageError`. */
  async endRoutine(id: string): Promise<void> {
    await this.#parts.grants.removeOf(id)
  }

  /** From now on, questions that end report that the server is stopping. */
  drain(): void {
    this.#questions.drain()
  }

  async #decide(asked: PermissionRequest, policy: Policy): ReturnType<PermissionProvider['request']> {
    const { access, signal, tool } = asked
    const rules = this.#parts.rules()
    const ruled = ruledAccess(rules, asked)
    const allower = rules[ruled]
    if (access === 'read' && allower === 'requester') return 'allow'
    try {
      if (signal.aborted) return { why: cancelReason(signal) }
      const room = await this.#parts.room(asked.room)
      if (!room) return { why: `there is no room ${asked.room}` }
      const asking: ApprovalRequest = allower === 'ops' ? { ...asked, needsOp: true } : asked
      const judged = allower === 'nobody' ? refuse(room, asked, ruled) : policy(asking, room)
      const why = (await judged) ?? (signal.aborted ? cancelReason(signal) : undefined)
      return why === undefined ? 'allow' : { why }
    } catch (error) {
      this.#parts.log.error({ error, room: asked.room, tool }, 'a permission could not be asked for')
      return { why: 'the question or its answer could not be stored' }
    }
  }

  /** Stores the answer to a question after `take`, and ends the question. Any failure denies it. */
  async #settle(
    { room, person, verdict }: GivenAnswer & { readonly room: Room },
    { number, asked, end }: OwnQuestion,
  ): Promise<string> {
    try {
      if (isLasting(verdict)) await this.#grants.give(person, verdict, asked)
      const text = answerText(verdict, number, asked)
      await room.record({ ...approvalFacts(asked), author: person.name, question: number, verdict, text })
      end(verdict === 'denied' ? { kind: 'denied', why: `denied by ${person.name}` } : { kind: 'allowed' })
      return text
    } catch (error) {
      end({ kind: 'unanswered', why: `the answer to question ${number} could not be stored` })
      throw error
    }
  }
}

async function refuse(room: Room, asked: ApprovalSubject, access: Access): Promise<string> {
  const why = `nobody may allow ${access} on this server`
  await recordDenial(room, asked, why)
  return why
}

async function allowNamed(
  tools: ReadonlySet<string>,
  asked: PermissionRequest,
  room: Room,
): Promise<string | undefined> {
  const { tool, requester } = asked
  const { name } = requester
  const role = await room.roleOf(requester)
  const why = !mayManage(role)
    ? `no script of ${name} can allow it in ${room.name}; in a session ${name} is asked`
    : !tools.has(tool)
      ? `a script must name it: --allow ${tool}`
      : !mayDecide('once', asked, requester, role)
        ? 'only an admin can allow the network, or a command without a sandbox'
        : undefined
  if (why !== undefined) await recordDenial(room, asked, why)
  else {
    const text = `allowed with --allow (${toolFor(asked)})`
    await room.record({ ...approvalFacts(asked), author: name, verdict: 'once', text })
  }
  return why
}

/** Rejects with `StorageError`. */
export async function recordDenial(room: Room, asked: ApprovalSubject, why: string): Promise<void> {
  const text = `denied: ${why} (${toolFor(asked)})`
  await room.record({ ...approvalFacts(asked), author: SYSTEM, verdict: 'denied', text })
}

/** Throws `Refusal` if several questions match: the wrong one may be one that nobody has read. */
function chooseQuestion(open: readonly OpenQuestion[], decision: Decision, role: Role): OpenQuestion {
  const { room, person, question: number, verdict } = decision
  const meant = number === undefined ? open : open.filter((one) => one.number === number)
  const mine = meant.filter(({ asked }) => mayDecide(verdict, asked, person, role))
  const [first, ...others] = mine
  if (first && others.length === 0) return first
  if (first) {
    const numbers = mine.map((one) => one.number).join(', ')
    throw new Refusal(`several questions are open: ${numbers}; say which one, as in /allow ${first.number}`)
  }
  const [foreign] = meant
  if (foreign) throw new Refusal(whyMayNotAnswer(foreign, decision, role))
  throw new Refusal(
    number === undefined
      ? `no question is open in ${room.name}`
      : `question ${number} is not open in ${room.name}`,
  )
}

function waitedFor({ onceOnly, answeredBy, needsOp, requester }: ApprovalSubject): string {
  if (onceOnly || answeredBy === 'admins') return 'an admin'
  const isOps = answeredBy ? answeredBy !== 'requester' : needsOp
  return isOps ? 'an op' : requester.name
}

const onlyOnceText = (number: number, why: string): string =>
  `this can be allowed only once, because ${why}: /allow ${number} or /deny ${number}`

/** Returns the reason why this person may not give this answer. */
function whyMayNotAnswer({ number, asked }: OpenQuestion, { room, person }: Decision, role: Role): string {
  if (asked.answeredBy && !mayDecide('once', asked, person, role))
    return `only ${answererText(asked)} can allow question ${number}`
  if (asked.onceOnly)
    return `only an admin can allow question ${number}: it needs the network or has no sandbox`
  const ops = `the owner of ${room.name}, an op or an admin`
  if (mayDecide('once', asked, person, role)) {
    const why = whyOnlyOnce(asked)
    if (why !== undefined) return onlyOnceText(number, why)
    return `only ${ops} can allow question ${number} always; /allow ${number} allows it once`
  }
  return asked.needsOp
    ? `only ${ops} can allow question ${number}`
    : `only ${asked.requester.name}, ${ops} can answer question ${number}`
}
