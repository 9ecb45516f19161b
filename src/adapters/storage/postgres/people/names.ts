import type { NameStore } from '../../../../chat/people/ports.ts'
import { look } from '../../../../lib/text/skeleton.ts'
import type { Connections } from '../connection.ts'
import { returned } from '../statements.ts'
import { NAMES } from '../../locks.ts'
import { sql } from '../sql.ts'

/** The names of registered people. */
export function createNameStore({ writeQueue }: Connections): NameStore {
  const writes = writeQueue()
  return {
    rename: ({ id, name, skeleton, at, keptUntil }, max) =>
      writes.write(async (tx) => {
        const marks = [skeleton, look(name)]
        await tx.run(sql`DELETE FROM kept_names WHERE until <= ${at}`)
        const holders = await tx.all<{ person: string }>(sql`
          SELECT id AS person FROM people WHERE skeleton = ANY(${marks}) OR look = ANY(${marks})
          UNION SELECT person FROM kept_names WHERE skeleton = ANY(${marks})`)
        if (holders.some(({ person }) => person !== id)) return 'taken'
        const former = returned(
          await tx.get<{ name: string; skeleton: string }>(
            sql`SELECT name, skeleton FROM people WHERE id = ${id}`,
          ),
        )
        const { count } = returned(
          await tx.get<{ count: number }>(
            sql`SELECT count(*) AS count FROM kept_names WHERE person = ${id} AND skeleton <> ${skeleton}`,
          ),
        )
        const staysTaken = former.skeleton === skeleton
        if (!staysTaken && count >= max) return 'full'
        await tx.run(sql`DELETE FROM kept_names WHERE skeleton = ${skeleton} AND person = ${id}`)
        if (!staysTaken)
          await tx.run(sql`
            INSERT INTO kept_names (skeleton, person, until, name)
            VALUES (${former.skeleton}, ${id}, ${keptUntil}, ${former.name})`)
        await tx.run(
          sql`UPDATE people SET name = ${name}, skeleton = ${skeleton}, look = ${look(name)} WHERE id = ${id}`,
        )
        await tx.run(sql`UPDATE grants SET name = ${name} WHERE person = ${id}`)
        await tx.run(sql`UPDATE charges SET person = ${name} WHERE person = ${former.name}`)
        return 'renamed'
      }, NAMES),
  }
}
