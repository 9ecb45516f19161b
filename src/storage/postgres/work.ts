import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { RoomName } from '../../words/entry.ts'
import type { QuestionKey, SlotLimits } from '../../chat/index.ts'
import type { PersonId } from '../../words/person.ts'
import type { QuestionRow, QuestionStore, ServerId, WorkRow, WorkStore } from '../../cluster/index.ts'
import { nextInLine } from '../../base/jobs/serial.ts'
import type { JsonObject } from '../../base/json.ts'
import { changesRow, requireRow, select } from '../database.ts'
import { numbersOf } from '../locks.ts'
import type { Tables } from '../tables.ts'
import type { PostgresDatabase } from './database.ts'
import { queueOf } from './locks.ts'

/** The table `work`, which calls a queue a line. Every change of what runs in a queue holds its lock. */
export const createWorkStore = (database: PostgresDatabase, self: ServerId): WorkStore => ({
  take: (work, limits) =>
    database.transaction(
      async (db) => {
        const { running, waiting } = await fill(db, work.queue, limits)
        const waits = running >= limits.running
        if (waits && waiting >= limits.waiting) return { taken: false, running, waiting }
        await sql`
          INSERT INTO work (id, server, kind, line, room, person, waits, facts, doing)
          VALUES (${work.id}, ${self}, ${work.kind}, ${work.queue}, ${work.room}, ${work.person},
            ${waits ? 1 : 0}, ${JSON.stringify(work.facts)}, '{}')`.execute(db)
        return { taken: true, waits }
      },
      [queueOf(work.queue)],
    ),
  leave: ({ id, queue }, limits) =>
    database.transaction(
      async (db) => {
        await sql`DELETE FROM work WHERE id = ${id}`.execute(db)
        await fill(db, queue, limits)
      },
      [queueOf(queue)],
    ),
  fill: (queue, limits) =>
    database.transaction(async (db) => void (await fill(db, queue, limits)), [queueOf(queue)]),
  tell: (id, doing) =>
    database.transaction(async (db) => {
      const text = JSON.stringify(doing)
      await sql`UPDATE work SET doing = ${text}
        WHERE id = ${id} AND server = ${self} AND doing <> ${text}`.execute(db)
    }),
  async read(ids) {
    const query = sql<StoredWork>`
      SELECT id, kind, line AS queue, room, person, server, waits, facts, doing,
        floor(extract(epoch FROM clock_timestamp() - at) * 1000) AS "ageMs"
      FROM work WHERE ${ids ? sql`id = ANY(${ids})` : sql`true`} ORDER BY number`
    return (await select(database, query)).map(({ waits, facts, doing, ...row }) => ({
      ...row,
      waits: waits === 1,
      facts: JSON.parse(facts) as JsonObject,
      doing: JSON.parse(doing) as JsonObject,
    }))
  },
})

interface StoredWork extends Pick<WorkRow, 'id' | 'kind' | 'queue' | 'server' | 'ageMs'> {
  readonly room: RoomName
  readonly person: PersonId
  readonly waits: number
  readonly facts: string
  readonly doing: string
}

/** Starts waiting work while slots are free. Resolves to how many works run and wait then. */
async function fill(
  db: Kysely<Tables>,
  queue: string,
  limits: Pick<SlotLimits, 'running'>,
): Promise<SlotLimits> {
  const { rows } = await sql<{ readonly id: string; readonly owner: PersonId; readonly waits: number }>`
    SELECT id, person AS owner, waits FROM work WHERE line = ${queue} ORDER BY number`.execute(db)
  const waiting = new Set(rows.filter(({ waits }) => waits === 1))
  const running = rows.filter(({ waits }) => waits === 0)
  const begun: string[] = []
  while (running.length < limits.running) {
    const next = nextInLine(running, waiting)
    if (!next) break
    waiting.delete(next)
    running.push(next)
    begun.push(next.id)
  }
  if (begun.length > 0) await sql`UPDATE work SET waits = 0 WHERE id = ANY(${begun})`.execute(db)
  return { running: running.length, waiting: waiting.size }
}

export const createQuestionStore = (
  { read, transaction }: PostgresDatabase,
  self: ServerId,
): QuestionStore => ({
  open: ({ room, person, asked }, mayOpen) =>
    transaction(
      async (db) => {
        const counts = await sql<{ open: number; own: number }>`
          SELECT count(*) AS open, count(*) FILTER (WHERE person = ${person}) AS own
          FROM questions WHERE room = ${room} AND answer IS NULL`.execute(db)
        const { open, own } = requireRow(counts.rows[0])
        if (!mayOpen({ open, own })) return { open, own }
        const numbers = await sql<{ last: number }>`
          INSERT INTO question_numbers (room, last) VALUES (${room}, 1)
          ON CONFLICT (room) DO UPDATE SET last = question_numbers.last + 1 RETURNING last`.execute(db)
        const number = requireRow(numbers.rows[0]).last
        await sql`
          INSERT INTO questions (room, number, server, person, asked)
          VALUES (${room}, ${number}, ${self}, ${person}, ${JSON.stringify(asked)})`.execute(db)
        return number
      },
      [numbersOf(room)],
    ),
  close: (question) =>
    transaction(async (db) => {
      const { rows } = await sql<{ isOpen: boolean }>`
        SELECT answer IS NULL AS "isOpen" FROM questions WHERE ${isOwn(question, self)} FOR UPDATE`.execute(
        db,
      )
      if (!rows[0]) return 'gone'
      if (!rows[0].isOpen) return 'answered'
      await sql`DELETE FROM questions WHERE ${isOwn(question, self)}`.execute(db)
      return 'closed'
    }),
  remove: (question) =>
    transaction(async (db) => {
      await sql`DELETE FROM questions WHERE ${isOwn(question, self)}`.execute(db)
    }),
  answer: ({ room, number }, answer) =>
    transaction((db) =>
      changesRow(
        db,
        sql`UPDATE questions SET answer = ${JSON.stringify(answer)}
          WHERE room = ${room} AND number = ${number} AND answer IS NULL`,
      ),
    ),
  read: (questions) => read((db) => questionsWhere(db, questions ? isOneOf(questions) : sql`true`)),
})

export const questionsOf = (
  db: Kysely<Tables>,
  servers: readonly ServerId[],
): Promise<readonly QuestionRow[]> => questionsWhere(db, sql`server = ANY(${servers})`)

const isOwn = ({ room, number }: QuestionKey, self: ServerId): RawBuilder<unknown> =>
  sql`room = ${room} AND number = ${number} AND server = ${self}`

const isOneOf = (questions: readonly QuestionKey[]): RawBuilder<unknown> => sql`
  (room, number) IN (SELECT * FROM
    unnest(${questions.map(({ room }) => room)}::text[], ${questions.map(({ number }) => number)}::bigint[]))`

interface StoredQuestion extends Pick<QuestionRow, 'room' | 'number' | 'server'> {
  readonly asked: string
  readonly answer: string | null
}

async function questionsWhere(
  db: Kysely<Tables>,
  which: RawBuilder<unknown>,
): Promise<readonly QuestionRow[]> {
  const { rows } = await sql<StoredQuestion>`
    SELECT room, number, server, asked, answer FROM questions WHERE ${which} ORDER BY number, room`.execute(
    db,
  )
  return rows.map(({ asked, answer, ...row }) => ({
    ...row,
    asked: JSON.parse(asked) as JsonObject,
    ...(answer !== null && { answer: JSON.parse(answer) as JsonObject }),
  }))
}
