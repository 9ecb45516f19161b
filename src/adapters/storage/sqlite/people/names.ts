import type { NameChange, NameStore } from '../../../../chat/people/ports.ts'
import type { PersonId } from '../../../../chat/people/person.ts'
import { look } from '../../../../lib/text/skeleton.ts'
import { type Connection, returned } from '../connection.ts'

/** Who has, or keeps, a name. */
interface Holder {
  readonly person: PersonId
}

interface Change extends NameChange {
  readonly look: string
}

/** The names of registered people. */
export function createNameStore({ db, write }: Connection): NameStore {
  const sql = prepare(db)
  return {
    rename: (wanted, max) =>
      write(() => {
        const change: Change = { ...wanted, look: look(wanted.name) }
        sql.sweep.run(change)
        if (sql.holders.all(change).some(({ person }) => person !== change.id)) return 'taken'
        const { name: former, skeleton } = returned(sql.person.get(change))
        sql.free.run(change)
        const staysTaken = skeleton === change.skeleton
        if (!staysTaken && returned(sql.kept.get(change)).count >= max) return 'full'
        if (!staysTaken) sql.keep.run({ ...change, skeleton, name: former })
        sql.rename.run(change)
        sql.renameGrants.run(change)
        sql.renameCharges.run({ name: change.name, former })
        return 'renamed'
      }),
  }
}

function prepare(db: Connection['db']) {
  return {
    sweep: db.prepare<[NameChange]>('DELETE FROM kept_names WHERE until <= @at'),
    holders: db.prepare<[Change], Holder>(
      `SELECT id AS person FROM people WHERE skeleton IN (@skeleton, @look) OR look IN (@skeleton, @look)
       UNION SELECT person FROM kept_names WHERE skeleton IN (@skeleton, @look)`,
    ),
    person: db.prepare<[NameChange], { name: string; skeleton: string }>(
      'SELECT name, skeleton FROM people WHERE id = @id',
    ),
    kept: db.prepare<[NameChange], { count: number }>(
      'SELECT count(*) AS count FROM kept_names WHERE person = @id AND skeleton <> @skeleton',
    ),
    free: db.prepare<[NameChange]>('DELETE FROM kept_names WHERE skeleton = @skeleton AND person = @id'),
    keep: db.prepare<[NameChange]>(
      'INSERT INTO kept_names (skeleton, person, until, name) VALUES (@skeleton, @id, @keptUntil, @name)',
    ),
    rename: db.prepare<[Change]>(
      'UPDATE people SET name = @name, skeleton = @skeleton, look = @look WHERE id = @id',
    ),
    renameGrants: db.prepare<[NameChange]>('UPDATE grants SET name = @name WHERE person = @id'),
    renameCharges: db.prepare<[{ name: string; former: string }]>(
      'UPDATE charges SET person = @name WHERE person = @former',
    ),
  }
}
