// How names are filed, so that each stands for one person. It knows the rules of lib/text/skeleton.ts and the table of people,
// and does not decide who may have a name.

import type { NamesFiled } from '../../../../chat/people/name-filing.ts'
import { fileEach, type NameRow, RULES } from '../../filing.ts'
import type { Connection } from '../connection.ts'

/** Files all names by the rules of now, unless they are already. */
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
    const { filed, found } = fileEach(all.all())
    clear.run()
    for (const { id, skeleton, look } of filed) file.run(skeleton, look, id)
    forget.run()
    remember.run(RULES)
    return found
  })
}
