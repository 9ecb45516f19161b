import type { PersonId } from '../../../../chat/people/person.ts'
import type { TypedLimits, TypedStore } from '../../../../chat/typing/ports.ts'
import type { Connection } from '../connection.ts'

/** What people typed, for themselves. */
export function createTypedStore({ db, read, write, emptyLogSoon }: Connection): TypedStore {
  const lines = db.prepare<[PersonId], { text: string }>(
    'SELECT text FROM typed_lines WHERE person = ? ORDER BY id',
  )
  const add = db.prepare<[PersonId, string]>('INSERT INTO typed_lines (person, text) VALUES (?, ?)')
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
  const sweep = db.prepare<[number]>('DELETE FROM drafts WHERE at < ?')
  const keep = db.prepare<[PersonId, number, string]>(
    `INSERT INTO drafts (person, at, text) VALUES (?, ?, ?)
     ON CONFLICT (person) DO UPDATE SET at = excluded.at, text = excluded.text
     WHERE excluded.at >= at OR at > unixepoch('subsec') * 1000`,
  )
  const drop = db.prepare<[PersonId]>('DELETE FROM drafts WHERE person = ?')
  const forget = db.prepare<[PersonId]>('DELETE FROM typed_lines WHERE person = ?')
  return {
    lines: (person) => read(() => lines.all(person).map(({ text }) => text)),
    addLines: (person, added, limits) =>
      write(() => {
        for (const line of added) add.run(person, line)
        trim.run({ ...limits, person })
      }),
    draft: (person, notBefore) => read(() => draft.get(person, notBefore)?.text),
    keepDraft: (person, { text, at }, notBefore) =>
      write(() => {
        sweep.run(notBefore)
        keep.run(person, at, text)
      }),
    dropDraft: (person) => write(() => void drop.run(person)),
    forget: (person) =>
      write(() => {
        forget.run(person)
        drop.run(person)
        emptyLogSoon()
      }),
  }
}
