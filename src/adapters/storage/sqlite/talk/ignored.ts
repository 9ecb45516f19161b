import type { PersonId } from '../../../../chat/people/person.ts'
import type { Ignored, IgnoredStore } from '../../../../chat/talk/ports.ts'
import type { Connection } from '../connection.ts'

/** Who ignores whom. */
export function createIgnoredStore({ db, read, write }: Connection): IgnoredStore {
  const list = db.prepare<[PersonId], Ignored>(
    `SELECT other AS id, ifnull(people.name, ignored.name) AS name, ignored.name AS nameThen
     FROM ignored LEFT JOIN people ON people.id = other WHERE person = ? ORDER BY 2, other`,
  )
  const add = db.prepare<[PersonId, PersonId, string]>(
    'INSERT INTO ignored (person, other, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const remove = db.prepare<[PersonId, PersonId]>('DELETE FROM ignored WHERE person = ? AND other = ?')
  return {
    ignoredBy: (person) => read(() => list.all(person)),
    add: (person, other) => write(() => void add.run(person, other.id, other.name)),
    remove: (person, other) => write(() => void remove.run(person, other)),
  }
}
