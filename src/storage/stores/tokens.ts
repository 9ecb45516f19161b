import { type RawBuilder, sql } from 'kysely'
import type { RoomName } from '../../words/entry.ts'
import type { StoredToken, TokenStore } from '../../chat/people/index.ts'
import { changesRow, type Database, integer } from '../database.ts'
import { personOf } from '../locks.ts'
import type { Tables } from '../tables.ts'
import { type PersonRow, toPerson } from './people.ts'

export function createTokenStore({ dialect, read, writes }: Database): TokenStore {
  const { write, statement } = writes()
  return {
    add: ({ rooms, by, digest, key, until, at }, max) =>
      write(async (db) => {
        await db.deleteFrom('tokens').where('until', '<=', at).execute()
        const open = await db.selectFrom('tokens').select('id').where('person', '=', by).execute()
        if (open.length >= max) return undefined
        const { id } = await db
          .insertInto('tokens')
          .values({ digest, person: by, key, scoped: rooms ? 1 : 0, until, at })
          .returning('id')
          .executeTakeFirstOrThrow()
        if (rooms)
          await sql`INSERT INTO token_rooms (token, room)
            SELECT ${integer(id)}, rooms.* FROM ${dialect.list(rooms)} AS rooms`.execute(db)
        return id
      }, personOf(by)),
    list: (by, at) =>
      read(async (db) => {
        const { rows } = await sql<TokenRow>`${TOKENS}
          WHERE tokens.person = ${by} AND tokens.until > ${at} ORDER BY tokens.id`.execute(db)
        return rows.map(toToken)
      }),
    find: (digest, at) =>
      read(async (db) => {
        const { rows } = await sql<TokenRow>`${TOKENS}
          WHERE tokens.digest = ${digest} AND tokens.until > ${at}`.execute(db)
        return rows.map(toToken)[0]
      }),
    revoke: (id, at, by) =>
      statement((db) => {
        const isOwn = sql`person = coalesce(${by ?? null}, person)`
        return changesRow(db, sql`DELETE FROM tokens WHERE id = ${id} AND until > ${at} AND ${isOwn}`)
      }),
  }
}

/** A row of `tokens` joined with the person who created it. `rooms` is a space-separated list of names. */
type TokenRow = Pick<Tables['tokens'], 'key' | 'scoped' | 'at' | 'until'> &
  PersonRow & { readonly token: number; readonly rooms: string | null }

const TOKENS: RawBuilder<TokenRow> = sql`
  SELECT tokens.id AS token, tokens.key, tokens.scoped, tokens.at, tokens.until,
    people.id, people.name, people.admin,
    (SELECT string_agg(room, ' ' ORDER BY room) FROM token_rooms WHERE token = tokens.id) AS rooms
  FROM tokens JOIN people ON people.id = tokens.person`

const toToken = ({ token, key, scoped, rooms, at, until, ...maker }: TokenRow): StoredToken => ({
  id: token,
  by: toPerson(maker),
  key,
  // Null if all rooms of the token were deleted.
  rooms: scoped === 1 ? ((rooms?.split(' ') ?? []) as RoomName[]) : null,
  at,
  until,
})
