import type { RoomName } from '../../../../chat/entry.ts'
import type { PersonId } from '../../../../chat/people/person.ts'
import type { NewToken, TokenStore } from '../../../../chat/people/ports.ts'
import { type TokenRow, toToken } from '../../rows/token-row.ts'
import type { Connection } from '../connection.ts'

type TokenParameters = Pick<NewToken, 'by' | 'digest' | 'key' | 'until' | 'at'> & { readonly scoped: 0 | 1 }

/** Bearer tokens. */
export function createTokenStore({ db, read, write }: Connection): TokenStore {
  const sql = prepare(db)
  return {
    add: ({ rooms, by, digest, key, until, at }, max) =>
      write(() => {
        sql.sweep.run(at)
        if (sql.list.all(by, at).length >= max) return undefined
        const { lastInsertRowid } = sql.add.run({ by, digest, key, until, at, scoped: rooms ? 1 : 0 })
        const id = Number(lastInsertRowid)
        for (const room of rooms ?? []) sql.addRoom.run(id, room)
        return id
      }),
    list: (by, at) => read(() => sql.list.all(by, at).map(toToken)),
    find: (digest, at) =>
      read(() => {
        const row = sql.find.get(digest, at)
        return row && toToken(row)
      }),
    revoke: (id, at, by) => write(() => sql.revoke.run({ id, at, by: by ?? null }).changes === 1),
  }
}

function prepare(db: Connection['db']) {
  const rows = `SELECT tokens.id AS token, tokens.key, tokens.at, tokens.until, people.id, people.name, people.admin,
      CASE scoped WHEN 1 THEN
        (SELECT json_group_array(room) FROM (SELECT room FROM token_rooms WHERE token = tokens.id ORDER BY room))
      END AS rooms
    FROM tokens JOIN people ON people.id = tokens.person`
  return {
    sweep: db.prepare<[number]>('DELETE FROM tokens WHERE until <= ?'),
    add: db.prepare<[TokenParameters]>(
      `INSERT INTO tokens (digest, person, key, scoped, until, at)
       VALUES (@digest, @by, @key, @scoped, @until, @at)`,
    ),
    addRoom: db.prepare<[number, RoomName]>('INSERT INTO token_rooms (token, room) VALUES (?, ?)'),
    list: db.prepare<[PersonId, number], TokenRow>(
      `${rows} WHERE tokens.person = ? AND tokens.until > ? ORDER BY tokens.id`,
    ),
    find: db.prepare<[string, number], TokenRow>(`${rows} WHERE tokens.digest = ? AND tokens.until > ?`),
    revoke: db.prepare<[{ id: number; at: number; by: PersonId | null }]>(
      'DELETE FROM tokens WHERE id = @id AND until > @at AND person = ifnull(@by, person)',
    ),
  }
}
