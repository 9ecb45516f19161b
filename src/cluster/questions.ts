import type { RoomName } from '../words/entry.ts'
import { warnOfStorage } from '../words/errors.ts'
import type { QuestionCounts, QuestionKey, Questions, RemoteQuestion } from '../chat/index.ts'
import type { Alarm, Log } from '../base/environment.ts'
import type { JsonObject } from '../base/json.ts'
import type { ClusterStores, QuestionRow } from './stores.ts'

/** Milliseconds before another attempt to remove a question. */
const RETRY_MS = 1_000

export interface SharedQuestionsParts extends Pick<ClusterStores, 'server' | 'questions' | 'changes'> {
  readonly changed: (room: RoomName) => void
  readonly clock: Alarm
  readonly log: Log
}

export class SharedQuestions implements Questions {
  readonly #parts: SharedQuestionsParts
  /** This server's questions, with the functions that receive their answers. */
  readonly #own = new Map<string, (answer: JsonObject) => void>()
  readonly #remote = new Map<string, QuestionRow>()
  /** Answers that came before this server knew the number of its question. */
  readonly #early = new Map<string, JsonObject>()

  constructor(parts: SharedQuestionsParts) {
    this.#parts = parts
    parts.changes.on('questions', (keys: readonly string[] | 'all') => this.#readAgain(keys))
  }

  async open(
    question: Parameters<Questions['open']>[0],
    mayOpen: (counts: QuestionCounts) => boolean,
    answered: (answer: JsonObject) => void,
  ): Promise<number | QuestionCounts> {
    const number = await this.#parts.questions.open(question, mayOpen)
    if (typeof number !== 'number') return number
    const opened = { room: question.room, number }
    this.#own.set(keyOf(opened), answered)
    const answer = this.#early.get(keyOf(opened))
    if (answer) this.#settle(opened, answer)
    return number
  }

  async close(question: QuestionKey): ReturnType<Questions['close']> {
    try {
      const end = await this.#parts.questions.close(question)
      if (end !== 'answered') this.#own.delete(keyOf(question))
      return end
    } catch (error) {
      this.#own.delete(keyOf(question))
      void this.#remove(question)
      throw error
    }
  }

  answer(question: QuestionKey, answer: JsonObject): Promise<boolean> {
    return this.#parts.questions.answer(question, answer)
  }

  others(room: RoomName): readonly RemoteQuestion[] {
    return [...this.#remote.values()].filter((row) => row.room === room)
  }

  async #readAgain(keys: readonly string[] | 'all'): Promise<void> {
    const found = await this.#parts.questions.read(keys === 'all' ? undefined : keys.map(parseKey))
    const rows = new Map(found.map((row) => [keyOf(row), row]))
    const read = keys === 'all' ? new Set([...rows.keys(), ...this.#remote.keys()]) : keys
    for (const key of read) this.#applyRow(key, rows.get(key))
  }

  #applyRow(key: string, row: QuestionRow | undefined): void {
    const isOwn = row?.server === this.#parts.server
    if (row?.answer && isOwn) this.#settle(row, row.answer)
    if (row && !row.answer && !isOwn) this.#remote.set(key, row)
    else if (!this.#remote.delete(key)) return
    this.#parts.changed(parseKey(key).room)
  }

  #settle(question: QuestionKey, answer: JsonObject): void {
    const key = keyOf(question)
    const answered = this.#own.get(key)
    if (!answered) return void this.#early.set(key, answer)
    this.#own.delete(key)
    this.#early.delete(key)
    void this.#remove(question)
    answered(answer)
  }

  async #remove(question: QuestionKey): Promise<void> {
    const { questions, clock, log } = this.#parts
    const failed = warnOfStorage(log, 'a question that is over could not be removed yet')
    const isDone = await questions.remove(question).then(() => true, failed)
    if (!isDone) clock.later(RETRY_MS, () => void this.#remove(question))
  }
}

const keyOf = ({ room, number }: QuestionKey): string => `${number} ${room}`

function parseKey(key: string): QuestionKey {
  const [number = '', room = ''] = key.split(' ')
  return { number: Number(number), room: room as RoomName }
}
