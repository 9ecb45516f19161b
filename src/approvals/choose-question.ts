import { Refusal } from '../chat/errors.ts'
import type { Person, Role } from '../chat/person.ts'
import type { Room } from '../chat/room.ts'
import { mayAnswer, onlyOnce, type Verdict } from './question-text.ts'
import type { Question } from './questions.ts'

/** Somebody's answer to a question in a room. */
export interface Answer {
  readonly room: Room
  readonly person: Person
  readonly verdict: Verdict
  /** Its number; may be left out where only one is open that this person can answer. */
  readonly question?: number
}

/**
 * The question that is meant. Without a number there must be no doubt: where several are open, an answer that went to
 * the wrong one would allow what nobody read. Throws `Refusal`.
 */
export function chooseQuestion(open: readonly Question[], answer: Answer, role: Role): Question {
  const { room, person, question, verdict } = answer
  const meant = question === undefined ? open : open.filter((one) => one.number === question)
  if (meant.length === 0) throw new Refusal(noSuchQuestion(room, question))
  const mine = meant.filter(({ asked }) => mayAnswer(verdict, asked, person, role))
  const [first, ...others] = mine
  if (!first) throw new Refusal(notYours(room, meant[0]!))
  if (others.length === 0) return first
  const numbers = mine.map((one) => one.number).join(', ')
  throw new Refusal(`several questions are open: ${numbers}; say which one, as in /allow ${first.number}`)
}

const noSuchQuestion = ({ name }: Room, number: number | undefined): string =>
  number === undefined ? `no question is open in ${name}` : `question ${number} is not open in ${name}`

const notYours = ({ name }: Room, { number, asked }: Question): string =>
  asked.onceOnly
    ? `only an admin can allow question ${number}: it needs the network or has no sandbox`
    : `only ${asked.requester.name}, the owner of ${name}, an op or an admin can answer question ${number}`

/** Throws `Refusal` for what may be allowed only once. */
export function refuseIfOnlyOnce({ number, asked }: Question): void {
  if (!onlyOnce(asked)) return
  const why = asked.onceOnly ? 'it needs the network or has no sandbox' : `${asked.requester.name} is a guest`
  throw new Refusal(`this can be allowed only once, because ${why}: /allow ${number} or /deny ${number}`)
}
