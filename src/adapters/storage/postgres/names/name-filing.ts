// How names are filed, so that each stands for one person. It knows the rules of ../../filing.ts and the table of people, and does
// not decide who may have a name.

import type { NamesFiled } from '../../../../chat/people/name-filing.ts'
import { fileEach, type NameRow, RULES } from '../../filing.ts'
import type { Connections } from '../connection.ts'
import type { Statements } from '../statements.ts'
import { NAMES } from '../../locks.ts'
import { sql } from '../sql.ts'

/** Files all names by the rules of now, unless they are already: of servers that start at once, one does it. */
export async function fileNames({ read, transaction }: Connections): Promise<NamesFiled | undefined> {
  return (await areFiled(read)) ? undefined : await transaction(fileAll, [NAMES])
}

async function areFiled(statements: Statements): Promise<boolean> {
  const known = await statements.get<{ rules: string }>(sql`SELECT rules FROM name_rules`)
  return known?.rules === RULES
}

async function fileAll(tx: Statements): Promise<NamesFiled | undefined> {
  if (await areFiled(tx)) return undefined
  const { filed, found } = fileEach(
    await tx.all<NameRow>(sql`SELECT id, name FROM people ORDER BY created_at, id`),
  )
  // A space is in no name: until all are filed, no skeleton is in the way of another.
  await tx.run(sql`UPDATE people SET skeleton = ' ' || id`)
  await tx.run(sql`
    UPDATE people SET skeleton = filed.skeleton, look = filed.look
    FROM unnest(${filed.map(({ id }) => id)}::text[], ${filed.map(({ skeleton }) => skeleton)}::text[],
      ${filed.map(({ look }) => look)}::text[]) AS filed (id, skeleton, look) WHERE people.id = filed.id`)
  await tx.run(sql`DELETE FROM name_rules`)
  await tx.run(sql`INSERT INTO name_rules (rules) VALUES (${RULES})`)
  return found
}
