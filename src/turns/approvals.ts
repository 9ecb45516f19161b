import { mayManage } from '../chat/access.ts'
import type { RoomName } from '../chat/entry.ts'
import { Refusal } from '../chat/errors.ts'
import { SYSTEM } from '../chat/names.ts'
import type { Person, Role } from '../chat/person.ts'
import type { Clock, Log } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import type { PermissionProvider, PermissionRequest } from '../tools/tool.ts'
import type { GrantStore } from './ports.ts'
import { answerText, onlyOnce, ROOM_GRANT_MS, toolFor, type Verdict } from './question-text.ts'
import { approvalFacts, createQuestions, type Question, type QuestionLimits } from './questions.ts'

/** Somebody's answer to a question in a room. */
export interface Answer {
  readonly room: Room
  readonly person: Person
  readonly verdict: Verdict
  /** Its number; may be left out where only one is open that this person can answer. */
  readonly question?: number
}

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
export interface ApprovalParts {
  readonly room: (name: RoomName) => Promise<Room | undefined>
  readonly grants: GrantStore
  readonly limits: QuestionLimits
  readonly clock: Clock
  readonly log: Log
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
      const question = choose(questions.open(room.name), answer, role)
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
        if (!mayManage(await room.roleOf(requester)))
          return await denied(room, asked, `${requester.name} is no op of ${room.name}`)
        const text = `allowed with --allow (${toolFor(asked)})`
        await room.record({ ...approvalFacts(asked), author: requester.name, verdict: 'once', text })
        return true
      }),
  }
}

type Decide = (asked: PermissionRequest, room: Room) => Promise<boolean>

/** What holds for every way to decide: reading needs no permission, what fails is a no, and so is what was stopped. */
function createPolicy({ room: roomCalled, log }: ApprovalParts, decide: Decide): PermissionProvider {
  async function isAllowed(asked: PermissionRequest): Promise<boolean> {
    if (asked.access === 'read') return true
    const room = asked.signal.aborted ? undefined : await roomCalled(asked.room)
    return room !== undefined && (await decide(asked, room)) && !asked.signal.aborted
  }
  return {
    async request(asked) {
      try {
        return (await isAllowed(asked)) ? 'allow' : 'deny'
      } catch (error) {
        log.error({ error, room: asked.room, tool: asked.tool }, 'a permission could not be asked for')
        return 'deny'
      }
    },
  }
}

async function denied(room: Room, asked: PermissionRequest, why: string): Promise<false> {
  const text = `denied: ${why} (${toolFor(asked)})`
  await room.record({ ...approvalFacts(asked), author: SYSTEM, verdict: 'denied', text })
  return false
}

/**
 * The question that is meant. Without a number there must be no doubt: where several are open, an answer that went to
 * the wrong one would allow what nobody read. Throws `Refusal`.
 */
function choose(open: readonly Question[], { room, person, question }: Answer, role: Role): Question {
  const meant = question === undefined ? open : open.filter((one) => one.number === question)
  if (meant.length === 0) throw new Refusal(noSuchQuestion(room, question))
  const mine = meant.filter(({ asked }) => asked.requester.id === person.id || mayManage(role))
  const [first, ...others] = mine
  if (!first) throw new Refusal(notYours(room, meant[0]!))
  if (others.length === 0) return first
  const numbers = mine.map((one) => one.number).join(', ')
  throw new Refusal(`several questions are open: ${numbers}; say which one, as in /allow ${first.number}`)
}

const noSuchQuestion = ({ name }: Room, number: number | undefined): string =>
  number === undefined ? `no question is open in ${name}` : `question ${number} is not open in ${name}`

const notYours = ({ name }: Room, { number, asked }: Question): string =>
  `only ${asked.requester.name}, the owner of ${name}, an op or an admin can answer question ${number}`

function refuseIfOnlyOnce({ number, asked }: Question): void {
  if (!onlyOnce(asked)) return
  const why = asked.onceOnly ? 'it needs the network or has no sandbox' : `${asked.requester.name} is a guest`
  throw new Refusal(`this can be allowed only once, because ${why}: /allow ${number} or /deny ${number}`)
}

const tooMany = ({ requester, room }: PermissionRequest): string =>
  `${requester.name} has ${GRANTS_PER_PERSON} permissions in ${room} already; revoke some (perms), or allow it once`
