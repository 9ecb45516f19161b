import { mayManage } from '../chat/access.ts'
import { Refusal } from '../chat/errors.ts'
import type { Person } from '../chat/person.ts'
import type { Clock } from '../chat/ports.ts'
import type { PermissionProvider, PermissionRequest } from '../tools/tool.ts'
import { chooseQuestion, refuseIfOnlyOnce, type Answer } from './choose-question.ts'
import { createPolicy, denied, type Decide, type PolicyParts } from './permission-policy.ts'
import type { GrantStore } from './ports.ts'
import { answerText, mayAnswer, onlyOnce, ROOM_GRANT_MS, toolFor } from './question-text.ts'
import { approvalFacts, createQuestions, type Question, type QuestionLimits } from './questions.ts'

export type { Answer }

/** Permissions as the rooms give them: what is granted is allowed, and for everything else people are asked. */
export interface Approvals extends PermissionProvider {
  /**
   * Answers an open question; resolves with what the room was told. Rejects with `Refusal` (none open, several, not this
   * person's to answer, too much to allow) and the question stays open; with `StorageError`, and then it is a no.
   */
  answer(answer: Answer): Promise<string>
  /** For a script, which cannot be asked: these tool ids are allowed if the requester manages the room, nothing else is. */
  named(tools: ReadonlySet<string>): PermissionProvider
}

/** What approvals are made from. */
export interface ApprovalParts extends PolicyParts {
  readonly grants: GrantStore
  readonly limits: QuestionLimits
  readonly clock: Clock
}

/** Grants that one person may have in one room. */
const GRANTS_PER_PERSON = 100

export function createApprovals(parts: ApprovalParts): Approvals {
  const { grants, clock } = parts
  const questions = createQuestions(parts.limits)
  const policy = (decide: Decide): PermissionProvider => createPolicy(parts, decide)

  const ask = policy(async (asked, room) => {
    if (await isGranted(asked)) return true
    const end = await questions.ask(room, asked)
    if ('allowed' in end) return end.allowed
    return await denied(room, asked, end.deniedBecause)
  })

  /** What must be asked each time is not served by what was granted under other circumstances. */
  async function isGranted(asked: PermissionRequest): Promise<boolean> {
    if (onlyOnce(asked)) return false
    const { requester, room, tool, target } = asked
    return (await grants.find({ person: requester.id, room, tool, target, at: clock.now() })) !== undefined
  }

  /** Once taken, the question waits for this answer alone; whatever goes wrong from there is a no. */
  async function settle(
    { room, person, verdict }: Answer,
    { number, asked, end }: Question,
  ): Promise<string> {
    try {
      if (verdict === 'room' || verdict === 'always') await grant(person, verdict, asked)
      const text = answerText(verdict, number, asked)
      await room.record({ ...approvalFacts(asked), author: person.name, question: number, verdict, text })
      end({ allowed: verdict !== 'denied' })
      return text
    } catch (error) {
      end({ deniedBecause: `the answer to question ${number} could not be stored` })
      throw error
    }
  }

  async function grant(by: Person, verdict: 'room' | 'always', asked: PermissionRequest): Promise<void> {
    const { requester, room, tool, target } = asked
    const at = clock.now()
    const until = verdict === 'room' ? { until: at + ROOM_GRANT_MS } : {}
    const who = { person: requester.id, name: requester.name, by: by.name }
    await grants.put({ room, tool, target, at, ...who, ...until })
  }

  async function hasTooMany({ requester, room }: PermissionRequest): Promise<boolean> {
    const held = await grants.list(room, clock.now())
    return held.filter((one) => one.person === requester.id).length >= GRANTS_PER_PERSON
  }

  return {
    request: ask.request,
    async answer(answer) {
      const { room, person, verdict } = answer
      const role = await room.roleOf(person)
      const question = chooseQuestion(questions.open(room.name), answer, role)
      if (verdict === 'room' || verdict === 'always') {
        refuseIfOnlyOnce(question)
        if (await hasTooMany(question.asked)) throw new Refusal(tooMany(question.asked))
      }
      if (!question.take()) throw new Refusal(`question ${question.number} is not open any more`)
      return await settle(answer, question)
    },
    named: (tools) =>
      policy(async (asked, room) => {
        const { tool, requester } = asked
        if (!tools.has(tool)) return await denied(room, asked, `a script must name it: --allow ${tool}`)
        const role = await room.roleOf(requester)
        if (!mayManage(role)) return await denied(room, asked, `${requester.name} is no op of ${room.name}`)
        if (!mayAnswer('once', asked, requester, role))
          return await denied(
            room,
            asked,
            'only an admin can allow the network, or a command without a sandbox',
          )
        const text = `allowed with --allow (${toolFor(asked)})`
        await room.record({ ...approvalFacts(asked), author: requester.name, verdict: 'once', text })
        return true
      }),
  }
}

const tooMany = ({ requester, room }: PermissionRequest): string =>
  `${requester.name} has ${GRANTS_PER_PERSON} permissions in ${room} already; revoke some (perms), or allow it once`
