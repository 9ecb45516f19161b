import type { QuestionKey } from '../../../../chat/peers.ts'
import type { QuestionRow, QuestionStore, ServerId } from '../../../../cluster/stores.ts'
import type { JsonObject } from '../../../../lib/json.ts'
import type { Connections } from '../connection.ts'
import { numbersOf } from '../../locks.ts'
import { sql, type Sql } from '../sql.ts'
import { returned, type Statements } from '../statements.ts'

/** The tables `questions` and `question_numbers`. */
export const createQuestionStore = ({ read, transaction }: Connections, self: ServerId): QuestionStore => ({
  open: ({ room, person, asked }, mayOpen) =>
    transaction(
      async (tx) => {
        const counts = await tx.get<{ open: number; own: number }>(sql`
          SELECT count(*) AS open, count(*) FILTER (WHERE person = ${person}) AS own
          FROM questions WHERE room = ${room} AND answer IS NULL`)
        const { open, own } = returned(counts)
        if (!mayOpen({ open, own })) return { open, own }
        const row = await tx.get<{ last: number }>(sql`
          INSERT INTO question_numbers (room, last) VALUES (${room}, 1)
          ON CONFLICT (room) DO UPDATE SET last = question_numbers.last + 1 RETURNING last`)
        const number = returned(row).last
        await tx.run(sql`
          INSERT INTO questions (room, number, server, person, asked)
          VALUES (${room}, ${number}, ${self}, ${person}, ${JSON.stringify(asked)})`)
        return number
      },
      [numbersOf(room)],
    ),
  close: (question) =>
    transaction(async (tx) => {
      const row = await tx.get<{ isOpen: boolean }>(
        sql`SELECT answer IS NULL AS "isOpen" FROM questions WHERE ${mine(question, self)} FOR UPDATE`,
      )
      if (!row) return 'gone'
      if (!row.isOpen) return 'answered'
      await tx.run(sql`DELETE FROM questions WHERE ${mine(question, self)}`)
      return 'closed'
    }),
  remove: (question) =>
    transaction(async (tx) => void (await tx.run(sql`DELETE FROM questions WHERE ${mine(question, self)}`))),
  answer: ({ room, number }, answer) =>
    transaction(
      async (tx) =>
        (await tx.run(sql`
          UPDATE questions SET answer = ${JSON.stringify(answer)}
          WHERE room = ${room} AND number = ${number} AND answer IS NULL`)) > 0,
    ),
  read: (questions) => readAll(read, questions ? at(questions) : sql`true`),
})

/** What these servers have asked. */
export const questionsOf = (tx: Statements, servers: readonly ServerId[]): Promise<readonly QuestionRow[]> =>
  readAll(tx, sql`server = ANY(${servers})`)

const mine = ({ room, number }: QuestionKey, self: ServerId): Sql =>
  sql`room = ${room} AND number = ${number} AND server = ${self}`

const at = (questions: readonly QuestionKey[]): Sql => sql`
  (room, number) IN (SELECT * FROM unnest(${questions.map(({ room }) => room)}::text[], ${questions.map(({ number }) => number)}::bigint[]))`

interface Row extends Pick<QuestionRow, 'room' | 'number' | 'server'> {
  readonly asked: string
  readonly answer: string | null
}

async function readAll(from: Statements, where: Sql): Promise<readonly QuestionRow[]> {
  const rows = await from.all<Row>(
    sql`SELECT room, number, server, asked, answer FROM questions WHERE ${where} ORDER BY number, room`,
  )
  return rows.map(({ asked, answer, ...row }) => ({
    ...row,
    asked: JSON.parse(asked) as JsonObject,
    ...(answer !== null && { answer: JSON.parse(answer) as JsonObject }),
  }))
}
