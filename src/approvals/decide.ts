import { Refusal } from '../chat/errors.ts'
import type { Person, Role } from '../chat/people/person.ts'
import type { Room } from '../chat/room.ts'
import type { Grants } from './grants.ts'
import { isLasting, mayDecide, whyOnlyOnce } from './policy.ts'
import type { GivenAnswer, Verdict } from './ports.ts'
import { answerText, approvalFacts } from './question-text.ts'
import type { OpenQuestion, OwnQuestion, Questions } from './questions.ts'

/** A person's decision about a question that is open in a room. */
export interface Decision {
  readonly room: Room
  readonly person: Person
  readonly verdict: Verdict
  /** The question's number. It may be absent where only one is open that this person can answer. */
  readonly question?: number
}

/** Carries out decisions. See `Approvals.answer`. */
export const createDecide =
  (questions: Pick<Questions, 'open'>, grants: Grants) =>
  async (decision: Decision): Promise<string> => {
    const { room, person, verdict } = decision
    const role = await room.roleOf(person)
    const question = chooseQuestion(questions.open(room.name), decision, role)
    if (isLasting(verdict)) {
      refuseIfOnlyOnce(question)
      await grants.refuseIfFull(question.asked)
    }
    const isOurs = 'take' in question
    const isTaken = isOurs ? await question.take() : await question.pass({ person, verdict })
    if (!isTaken) throw new Refusal(`question ${question.number} is not open any more`)
    if (isOurs) return await settle(decision, question, grants)
    // That server may have ended a moment ago, and then the room reads that it was denied.
    return `${answerText(verdict, question.number, question.asked)}, once the server that asked takes it up`
  }

/**
 * The question that is meant. Where several are open, the person must give the number: an answer to the wrong
 * question would allow something that nobody has read. Throws `Refusal`.
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

function refuseIfOnlyOnce({ number, asked }: OpenQuestion): void {
  const why = whyOnlyOnce(asked)
  if (why === undefined) return
  throw new Refusal(`this can be allowed only once, because ${why}: /allow ${number} or /deny ${number}`)
}

/**
 * Stores an answer and ends the question, which was taken before. If anything fails, the answer is no.
 * Rejects with `StorageError`.
 */
export async function settle(
  { room, person, verdict }: GivenAnswer & { readonly room: Room },
  question: OwnQuestion,
  grants: Grants,
): Promise<string> {
  const { number, asked, end } = question
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
