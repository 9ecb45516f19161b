// How names are filed, so that each stands for one person. It knows the rules of lib/text/skeleton.ts and the table of people,
// and does not decide who may have a name.

import { problemWithName } from '../../../../chat/people/names.ts'
import { whyReserved } from '../../../../chat/people/reserved-names.ts'
import type { NamesFiled } from '../../../../chat/people/name-filing.ts'
import { look, skeleton } from '../../../../lib/text/skeleton.ts'
import { UNICODE_SECURITY_VERSION } from '../../../../lib/text/unicode-security.ts'
import type { Connection } from '../connection.ts'

/** Changes with Unicode's tables, what skeleton.ts makes of them, and what is reserved: the number is ours. */
const RULES = `${UNICODE_SECURITY_VERSION}/2`

interface NameRow {
  readonly id: string
  readonly name: string
}

/**
 * Files all names by the rules of now, unless they are already. Two people keep one name where the older rules let both
 * have it: it is found under the one who had it first, and the other still comes in with their own key.
 */
export async function fileNames(connection: Connection): Promise<NamesFiled | undefined> {
  const known = connection.db.prepare<[], { rules: string }>('SELECT rules FROM name_rules')
  const rules = await connection.read(() => known.get()?.rules)
  return rules === RULES ? undefined : await fileAll(connection)
}

function fileAll({ db, write }: Connection): Promise<NamesFiled> {
  const forget = db.prepare('DELETE FROM name_rules')
  const remember = db.prepare<[string]>('INSERT INTO name_rules (rules) VALUES (?)')
  // A space is in no name: until all are filed, no skeleton is in the way of another.
  const clear = db.prepare("UPDATE people SET skeleton = ' ' || id")
  const all = db.prepare<[], NameRow>('SELECT id, name FROM people ORDER BY created_at, id')
  const file = db.prepare<[string, string, string]>('UPDATE people SET skeleton = ?, look = ? WHERE id = ?')
  return write(() => {
    const people = all.all()
    clear.run()
    const taken = new Map<string, string>()
    const alike = people.flatMap(({ id, name }) => {
      const marks = [skeleton(name), look(name)] as const
      const other = marks.map((mark) => taken.get(mark)).find((found) => found !== undefined)
      file.run(taken.has(marks[0]) ? secondOf(marks[0], id) : marks[0], marks[1], id)
      for (const mark of marks) if (!taken.has(mark)) taken.set(mark, name)
      return other === undefined ? [] : [{ name, like: other }]
    })
    forget.run()
    remember.run(RULES)
    return { names: people.length, alike, unfit: people.map(({ name }) => name).filter(isUnfit) }
  })
}

const isUnfit = (name: string): boolean => (problemWithName(name) ?? whyReserved(name)) !== undefined

/** Sorts behind the skeleton itself and before all others, so that a login finds both in one range. */
const secondOf = (mark: string, id: string): string => `${mark} ${id}`
