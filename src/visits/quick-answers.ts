import type { WaitingQuestion } from '../turns/approvals/index.ts'
import type { ApprovalEntry, Entry, RoomName } from '../words/entry.ts'
import type { Person } from '../words/person.ts'
import type { Screen } from '../terminal/index.ts'

const ANSWER = /^(?:(y|yes)|(n|no)|(\d{1,9}))$/i

type Reading = { readonly say: string } | { readonly command: string } | { readonly problem: string }

/** Milliseconds that a question must have been on the screen: before, the line may be meant for the room. */
const READ_MS = 1_000

/** Answers to questions by a single word at one terminal. `now` returns monotonic milliseconds. */
export class QuickAnswers {
  readonly #person: Person
  readonly #now: () => number
  readonly #shownAt = new Map<string, number>()

  constructor(person: Person, now: () => number) {
    this.#person = person
    this.#now = now
  }

  /** Adds a row with the answering words to the person's own questions. */
  over(screen: Screen, open: (room: RoomName) => readonly WaitingQuestion[]): Screen {
    return {
      ...screen,
      deliver: (entry, how) => screen.deliver(how?.waits ? this.#shown(entry, open(entry.room)) : entry, how),
    }
  }

  #shown(entry: Entry, open: readonly WaitingQuestion[]): Entry {
    if (entry.kind !== 'approval' || entry.question === undefined) return entry
    this.#shownAt.set(`${entry.room} ${entry.question}`, this.#now())
    const isOwn = this.#own(open).some(({ number }) => number === entry.question)
    return isOwn ? { ...entry, text: `${entry.text}\n${this.#row(entry, open)}` } : entry
  }

  /** Returns an answer's command, or the line. `problem`: several questions match, or one has just come. */
  read(line: string, room: RoomName, open: readonly WaitingQuestion[]): Reading {
    const [word, , no, digits] = ANSWER.exec(line.trim().replace(/^\/\//, '')) ?? []
    const meant = digits === undefined ? this.#own(open) : open.filter(isForAll).filter(isCalled(digits))
    const [first, ...others] = meant
    if (word === undefined || !first) return { say: line }
    if (line.startsWith('//')) return { say: word }
    const numbers = meant.map(({ number }) => number).join(', ')
    if (others.length > 0) {
      const way = no === undefined ? 'a number alone allows one' : `/deny ${first.number} denies one`
      return { problem: `several questions wait: ${numbers}; ${way}, //${word} says it` }
    }
    const key = `${room} ${first.number}`
    const shownAt = this.#shownAt.get(key) ?? this.#now()
    this.#shownAt.set(key, shownAt)
    if (this.#now() - shownAt < READ_MS)
      return { problem: `question ${numbers} has just come: ${word} again answers it, //${word} says it` }
    return { command: `${no === undefined ? 'allow' : 'deny'} ${first.number}` }
  }

  #own(open: readonly WaitingQuestion[]): readonly WaitingQuestion[] {
    return open.filter(isForAll).filter(({ requester }) => requester === this.#person.id)
  }

  #row({ question, text }: ApprovalEntry, open: readonly WaitingQuestion[]): string {
    const isOnly = this.#own(open).length === 1
    const number = isOnly ? '' : ` ${question}`
    const words = isOnly ? ['y', 'n'] : [`${question}`, `/deny${number}`]
    return [...words, ...(text.includes('\n/allow room ') ? [`/allow room${number}`] : [])].join(' · ')
  }
}

/** Questions that only admins answer need a whole command. */
const isForAll = ({ waitsFor }: WaitingQuestion): boolean => waitsFor !== 'an admin'

const isCalled =
  (digits: string) =>
  ({ number }: WaitingQuestion): boolean =>
    number === Number(digits)
