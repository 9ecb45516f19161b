import { type Kysely, sql } from 'kysely'
import type { ReindexedNames, NameStore } from '../../chat/people/index.ts'
import { problemWithName, whyReserved } from '../../words/names.ts'
import { look, skeleton } from '../../base/text/names.ts'
import { UNICODE_SECURITY_VERSION } from '../../base/text/unicode-security.ts'
import type { Database, Writes } from '../database.ts'
import { NAMES } from '../locks.ts'
import type { Tables } from '../tables.ts'

export function createNameStore({ writes }: Database): NameStore {
  const { write } = writes()
  return {
    rename: ({ id, name, skeleton, at, keptUntil }, max) =>
      write(async (db) => {
        const mark = look(name)
        await db.deleteFrom('kept_names').where('until', '<=', at).execute()
        const { rows: holders } = await sql<{ person: string }>`
          SELECT id AS person FROM people
          WHERE skeleton IN (${skeleton}, ${mark}) OR look IN (${skeleton}, ${mark})
          UNION SELECT person FROM kept_names WHERE skeleton IN (${skeleton}, ${mark})`.execute(db)
        if (holders.some(({ person }) => person !== id)) return 'taken'
        const people = db.selectFrom('people').select(['name', 'skeleton'])
        const former = await people.where('id', '=', id).executeTakeFirstOrThrow()
        const kept = db.selectFrom('kept_names').select('name').where('person', '=', id)
        const others = await kept.where('skeleton', '<>', skeleton).execute()
        const isOther = former.skeleton !== skeleton
        if (isOther && others.length >= max) return 'full'
        await db.deleteFrom('kept_names').where('skeleton', '=', skeleton).execute()
        if (isOther) {
          const row = { ...former, person: id, until: keptUntil }
          await db.insertInto('kept_names').values(row).execute()
        }
        await db.updateTable('people').set({ name, skeleton, look: mark }).where('id', '=', id).execute()
        await db.updateTable('grants').set({ name }).where('person', '=', id).execute()
        await db.updateTable('charges').set({ person: name }).where('person', '=', former.name).execute()
        return 'renamed'
      }, NAMES),
  }
}

/** Unicode's version, then a number to raise when base/text/names.ts or the reserved names change. */
const RULES = `${UNICODE_SECURITY_VERSION}/4`

/** Names in one statement. Each has three parameters; both engines allow over 30,000 in all. */
const NAMES_AT_ONCE = 1_000

/** Changes nothing and gives undefined if these rules were applied already, perhaps by another server. */
export async function indexNames(
  read: Database['read'],
  write: Writes['write'],
): Promise<ReindexedNames | undefined> {
  if (await read(areIndexed)) return undefined
  return await write(async (db) => {
    if (await areIndexed(db)) return undefined
    const people = db.selectFrom('people').select(['id', 'name']).orderBy('created_at').orderBy('id')
    const { indexed, found } = indexEach(await people.execute())
    // No name begins with a space, so these temporary skeletons conflict with no new one.
    await db
      .updateTable('people')
      .set({ skeleton: sql`' ' || id` })
      .execute()
    for (let i = 0; i < indexed.length; i += NAMES_AT_ONCE) {
      const values = indexed.slice(i, i + NAMES_AT_ONCE).map((row) => sql`(${sql.join(row)})`)
      await sql`UPDATE people SET skeleton = column2, look = column3
        FROM (VALUES ${sql.join(values)}) AS indexed WHERE id = column1`.execute(db)
    }
    await db.deleteFrom('name_rules').execute()
    await db.insertInto('name_rules').values({ rules: RULES }).execute()
    return found
  }, NAMES)
}

async function areIndexed(db: Kysely<Tables>): Promise<boolean> {
  const known = await db.selectFrom('name_rules').select('rules').executeTakeFirst()
  return known?.rules === RULES
}

/** People who share a name by older rules all keep it: a login finds the oldest one, or the key's owner. */
function indexEach(people: readonly Pick<Tables['people'], 'id' | 'name'>[]): {
  readonly indexed: readonly (readonly string[])[]
  readonly found: ReindexedNames
} {
  const taken = new Map<string, string>()
  const indexed: string[][] = []
  const alike = people.flatMap(({ id, name }) => {
    const marks = [skeleton(name), look(name)] as const
    const other = marks.map((mark) => taken.get(mark)).find((known) => known !== undefined)
    // Sorts directly after the skeleton itself, so that a login finds both people in one range.
    indexed.push([id, taken.has(marks[0]) ? `${marks[0]} ${id}` : marks[0], marks[1]])
    for (const mark of marks) if (!taken.has(mark)) taken.set(mark, name)
    return other === undefined ? [] : [{ name, like: other }]
  })
  const unfit = people.map(({ name }) => name).filter(isInvalidName)
  return { indexed, found: { names: people.length, alike, unfit } }
}

const isInvalidName = (name: string): boolean => (problemWithName(name) ?? whyReserved(name)) !== undefined
