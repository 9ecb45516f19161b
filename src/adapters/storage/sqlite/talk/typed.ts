import type { PersonId } from '../../../../chat/people/person.ts'
import type { TypedLimits, TypedStore } from '../../../../chat/typing/ports.ts'
import type { Connection } from '../connection.ts'

/** Also in the transaction that writes, `history` may have been turned off by then. */
const IS_WANTED = `NOT EXISTS (
  SELECT 1 FROM preferences WHERE person = @person AND option = 'history' AND value = 'off')`

/** What people typed, for themselves. */
export function createTypedStore({ db, read, write, emptyLogSoon }: Connection): TypedStore {
  const lines = db.prepare<[PersonId], { text: string }>(
    'SELECT text FROM typed_lines WHERE person = ? ORDER BY id',
  )
  const add = db.prepare<[{ person: PersonId; text: string }]>(
    `INSERT INTO typed_lines (person, text) SELECT @person, @text WHERE ${IS_WANTED}`,
  )
  const trim = db.prepare<[TypedLimits & { person: PersonId }]>(
    `DELETE FROM typed_lines WHERE id IN (
       SELECT id FROM (
         SELECT id, row_number() OVER newest AS number, sum(length(text)) OVER newest AS characters
         FROM typed_lines WHERE person = @person WINDOW newest AS (ORDER BY id DESC)
       ) WHERE number > @lines OR characters > @characters
     )`,
  )
  const draft = db.prepare<[PersonId, number], { text: string }>(
    'SELECT text FROM drafts WHERE person = ? AND at >= ?',
  )
  const wanted = db.prepare<[{ person: PersonId }], { is: 0 | 1 }>(`SELECT ${IS_WANTED} AS "is"`)
  const any = db.prepare<[PersonId], { text: string }>('SELECT text FROM drafts WHERE person = ?')
  const sweep = db.prepare<[number]>('DELETE FROM drafts WHERE at < ?')
  const keep = db.prepare<[{ person: PersonId; at: number; text: string }]>(
    `INSERT INTO drafts (person, at, text) VALUES (@person, @at, @text)
     ON CONFLICT (person) DO UPDATE SET at = excluded.at, text = excluded.text
     WHERE excluded.at >= at OR at > unixepoch('subsec') * 1000`,
  )
  const drop = db.prepare<[PersonId, number]>(
    "DELETE FROM drafts WHERE person = ? AND (at <= ? OR at > unixepoch('subsec') * 1000)",
  )
  const forget = db.prepare<[PersonId]>('DELETE FROM typed_lines WHERE person = ?')
  return {
    lines: (person) => read(() => lines.all(person).map(({ text }) => text)),
    addLines: (person, added, limits) =>
      write(() => {
        for (const text of added) add.run({ person, text })
        trim.run({ ...limits, person })
      }),
    draft: (person, notBefore) => read(() => draft.get(person, notBefore)?.text),
    keepDraft: (person, { text, at }, notBefore) =>
      write(() => {
        sweep.run(notBefore)
        if (wanted.get({ person })?.is !== 1) return undefined
        const other = any.get(person)
        const { changes } = keep.run({ person, at, text })
        if (other === undefined || other.text === text) return undefined
        return changes > 0 ? other.text : text
      }),
    dropDraft: (person, notAfter) => write(() => void drop.run(person, notAfter)),
    forget: (person) =>
      write(() => {
        forget.run(person)
        drop.run(person, Infinity)
        emptyLogSoon()
      }),
  }
}
