import type { RoomName } from '../chat/entry.ts'
import { StorageError } from '../chat/errors.ts'
import type { PersonId } from '../chat/people/person.ts'
import type { Alarm, Log } from '../chat/ports.ts'
import type { JsonObject } from '../lib/json.ts'
import type { ClusterStores } from './ports.ts'
import type { QuestionCounts, QuestionKey, QuestionRow, QuestionStore } from './work-ports.ts'
import { createRoomWatchers } from './room-watchers.ts'

/** The open questions of all servers. */
export interface SharedQuestions {
  /** See `QuestionStore.open`. `answered` is called, once, with an answer that came through another server. */
  open(
    question: { readonly room: RoomName; readonly person: PersonId; readonly asked: JsonObject },
    mayOpen: (counts: QuestionCounts) => boolean,
    answered: (answer: JsonObject) => void,
  ): Promise<number | QuestionCounts>
  /** It is over, unless an answer comes that another server has given. Rejects with `StorageError`. */
  close(question: QuestionKey): ReturnType<QuestionStore['close']>
  /** Gives another server the first answer to its question. False if it is over. Rejects with `StorageError`. */
  answer(question: QuestionKey, answer: JsonObject): Promise<boolean>
  /** Those that other servers have asked in a room, in the order of asking. */
  elsewhere(room: RoomName): readonly QuestionRow[]
  /** From now on `changed` is called after those have changed. Returns the function that ends it. */
  watch(room: RoomName, changed: () => void): () => void
  /** Reads what there is, in place of what was known. Rejects with `StorageError`. */
  readAll(): Promise<void>
  /** Reads what there is, and follows that. Rejects with `StorageError`. */
  begin(): Promise<void>
}

/** What they are made of. */
export interface SharedQuestionsParts extends Pick<ClusterStores, 'server' | 'questions' | 'news'> {
  readonly clock: Alarm
  readonly log: Log
}

/** What could not be removed is removed a little later, in milliseconds. */
const AGAIN_MS = 1_000

export function createSharedQuestions(parts: SharedQuestionsParts): SharedQuestions {
  const { server, questions: store, news, clock, log } = parts
  /** Of this server, with whoever waits for an answer. */
  const own = new Map<string, (answer: JsonObject) => void>()
  const others = new Map<string, QuestionRow>()
  /** Answers that came before it was known here that the question is open. */
  const early = new Map<string, JsonObject>()
  const watchers = createRoomWatchers()

  async function readAgain(keys: readonly string[]): Promise<void> {
    const rows = await store.read(keys.map(keyIn))
    const found = new Map(rows.map((row) => [keyOf(row), row]))
    for (const key of keys) take(key, found.get(key))
  }

  async function readAll(): Promise<void> {
    const rows = new Map((await store.read()).map((row) => [keyOf(row), row]))
    for (const key of new Set([...rows.keys(), ...others.keys()])) take(key, rows.get(key))
  }

  function take(key: string, row: QuestionRow | undefined): void {
    if (row?.answer && row.server === server) settle(row, row.answer)
    if (row && !row.answer && row.server !== server) others.set(key, row)
    else if (!others.delete(key)) return
    watchers.tell(keyIn(key).room)
  }

  function settle(question: QuestionKey, answer: JsonObject): void {
    const key = keyOf(question)
    const answered = own.get(key)
    if (!answered) return void early.set(key, answer)
    own.delete(key)
    early.delete(key)
    void remove(question)
    answered(answer)
  }

  async function remove(question: QuestionKey): Promise<void> {
    try {
      await store.remove(question)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      log.warn({ error, reason: error.reason }, 'a question that is over could not be removed yet')
      clock.later(AGAIN_MS, () => void remove(question))
    }
  }

  return {
    async open(question, mayOpen, answered) {
      const number = await store.open(question, mayOpen)
      if (typeof number !== 'number') return number
      const opened = { room: question.room, number }
      own.set(keyOf(opened), answered)
      const answer = early.get(keyOf(opened))
      if (answer) settle(opened, answer)
      return number
    },
    async close(question) {
      try {
        const end = await store.close(question)
        if (end !== 'answered') own.delete(keyOf(question))
        return end
      } catch (error) {
        own.delete(keyOf(question))
        void remove(question)
        throw error
      }
    },
    answer: (question, answer) => store.answer(question, answer),
    elsewhere: (room) => [...others.values()].filter((row) => row.room === room),
    watch: watchers.watch,
    async begin() {
      news.on('questions', readAgain)
      await readAll()
    },
    readAll,
  }
}

const keyOf = ({ room, number }: QuestionKey): string => `${number} ${room}`

function keyIn(key: string): QuestionKey {
  const [number = '', room = ''] = key.split(' ')
  return { number: Number(number), room: room as RoomName }
}
