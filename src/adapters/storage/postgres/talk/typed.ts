import type { PersonId } from '../../../../chat/people/person.ts'
import type { TypedStore } from '../../../../chat/typing/ports.ts'
import type { Connections } from '../connection.ts'
import { sql } from '../sql.ts'
import type { Statements } from '../statements.ts'

/** What people typed, for themselves. */
export function createTypedStore({ writeQueue }: Connections): TypedStore {
  const writes = writeQueue()
  return {
    async lines(person) {
      const rows = await writes.read((statements) =>
        statements.all<{ text: string }>(
          sql`SELECT text FROM typed_lines WHERE person = ${person} ORDER BY id`,
        ),
      )
      return rows.map(({ text }) => text)
    },
    addLines: (person, added, { lines, characters }) =>
      writes.write(async (tx) => {
        if (!(await wantsThem(tx, person))) return
        await tx.run(sql`
          INSERT INTO typed_lines (person, text)
          SELECT ${person}, text FROM unnest(${added}::text[]) WITH ORDINALITY AS line (text, place) ORDER BY place`)
        await tx.run(sql`
          DELETE FROM typed_lines WHERE id IN (
            SELECT id FROM (
              SELECT id, row_number() OVER newest AS place, sum(length(text)) OVER newest AS length
              FROM typed_lines WHERE person = ${person} WINDOW newest AS (ORDER BY id DESC)
            ) AS numbered WHERE place > ${lines} OR length > ${characters})`)
      }),
    async draft(person, notBefore) {
      const row = await writes.read((statements) =>
        statements.get<{ text: string }>(
          sql`SELECT text FROM drafts WHERE person = ${person} AND at >= ${notBefore}`,
        ),
      )
      return row?.text
    },
    keepDraft: (person, { text, at }, notBefore) =>
      writes.write(async (tx) => {
        await tx.run(sql`DELETE FROM drafts WHERE at < ${notBefore}`)
        if (!(await wantsThem(tx, person))) return undefined
        const other = await tx.get<{ text: string }>(
          sql`SELECT text FROM drafts WHERE person = ${person} FOR UPDATE`,
        )
        const stored = await tx.run(sql`
          INSERT INTO drafts (person, at, text) VALUES (${person}, ${at}, ${text})
          ON CONFLICT (person) DO UPDATE SET at = excluded.at, text = excluded.text
          WHERE excluded.at >= drafts.at OR drafts.at > extract(epoch FROM now()) * 1000`)
        if (other === undefined || other.text === text) return undefined
        return stored > 0 ? other.text : text
      }),
    async dropDraft(person, notAfter) {
      await writes.run(sql`
        DELETE FROM drafts WHERE person = ${person}
          AND (at <= ${notAfter} OR at > extract(epoch FROM now()) * 1000)`)
    },
    forget: (person) =>
      writes.write(async (tx) => {
        await tx.run(sql`SELECT 1 FROM people WHERE id = ${person} FOR UPDATE`)
        await tx.run(sql`DELETE FROM typed_lines WHERE person = ${person}`)
        await tx.run(sql`DELETE FROM drafts WHERE person = ${person}`)
      }),
  }
}

/**
 * Whether `history` is on in the transaction that writes. Whoever turns it off deletes what is there afterwards, and waits for those
 * who have asked this.
 */
async function wantsThem(tx: Statements, person: PersonId): Promise<boolean> {
  await tx.run(sql`SELECT 1 FROM people WHERE id = ${person} FOR KEY SHARE`)
  const row = await tx.get<{ isOff: boolean }>(sql`
    SELECT EXISTS (SELECT FROM preferences WHERE person = ${person} AND option = 'history' AND value = 'off') AS "isOff"`)
  return row?.isOff === false
}
