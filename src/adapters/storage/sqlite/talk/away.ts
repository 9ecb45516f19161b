import type { PersonId } from '../../../../chat/people/person.ts'
import type { AwayStore, StoredAbsence } from '../../../../chat/talk/ports.ts'
import type { Connection } from '../connection.ts'

/** Rows of `away`. */
export function createAwayStore({ db, read, write }: Connection): AwayStore {
  const list = db.prepare<[], StoredAbsence>('SELECT person, text FROM away ORDER BY at, person')
  const leave = db.prepare<[StoredAbsence & { readonly at: number }]>(
    `INSERT INTO away (person, text, at) VALUES (@person, @text, @at)
     ON CONFLICT (person) DO UPDATE SET text = excluded.text, at = excluded.at`,
  )
  const comeBack = db.prepare<[PersonId]>('DELETE FROM away WHERE person = ?')
  return {
    away: () => read(() => list.all()),
    leave: ({ person, text }, at) => write(() => void leave.run({ person, text, at })),
    comeBack: (person) => write(() => void comeBack.run(person)),
  }
}
