import type { TokenStore } from '../../../../chat/people/ports.ts'
import { type TokenRow, toToken } from '../../rows/token-row.ts'
import type { Connections } from '../connection.ts'
import { returned } from '../statements.ts'
import { personOf } from '../../locks.ts'
import { sql } from '../sql.ts'

/** Bearer tokens. */
export function createTokenStore({ read, writeQueue }: Connections): TokenStore {
  const writes = writeQueue()
  return {
    add: ({ rooms, by, digest, key, until, at }, max) =>
      writes.write(async (tx) => {
        await tx.run(sql`DELETE FROM tokens WHERE until <= ${at}`)
        const { count } = returned(
          await tx.get<{ count: number }>(sql`SELECT count(*) AS count FROM tokens WHERE person = ${by}`),
        )
        if (count >= max) return undefined
        const { id } = returned(
          await tx.get<{ id: number }>(sql`
            INSERT INTO tokens (digest, person, key, scoped, until, at)
            VALUES (${digest}, ${by}, ${key}, ${rooms ? 1 : 0}, ${until}, ${at}) RETURNING id`),
        )
        if (rooms)
          await tx.run(
            sql`INSERT INTO token_rooms (token, room) SELECT ${id}::bigint, room FROM unnest(${rooms}::text[]) AS room`,
          )
        return id
      }, personOf(by)),
    list: async (by, at) =>
      (
        await read.all<TokenRow>(
          sql`${ROWS} WHERE tokens.person = ${by} AND tokens.until > ${at} ORDER BY tokens.id`,
        )
      ).map(toToken),
    async find(digest, at) {
      const row = await read.get<TokenRow>(
        sql`${ROWS} WHERE tokens.digest = ${digest} AND tokens.until > ${at}`,
      )
      return row && toToken(row)
    },
    revoke: async (id, at, by) =>
      (await writes.run(
        sql`DELETE FROM tokens WHERE id = ${id} AND until > ${at} AND person = coalesce(${by ?? null}, person)`,
      )) === 1,
  }
}

const ROWS = sql`
  SELECT tokens.id AS token, tokens.key, tokens.at, tokens.until, people.id, people.name, people.admin,
    CASE scoped WHEN 1 THEN
      array_to_json(ARRAY(SELECT room FROM token_rooms WHERE token = tokens.id ORDER BY room))::text
    END AS rooms
  FROM tokens JOIN people ON people.id = tokens.person`
