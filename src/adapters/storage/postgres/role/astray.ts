import { StorageError } from '../../../../chat/errors.ts'
import { type LoginRole, settingAdvice } from './settings.ts'
import { type OwnTable, pathOf } from './tables.ts'

/** Names without a schema lead the role to other tables than ours or, where it `makes` some, would not put them beside ours. */
export function astray(
  role: LoginRole,
  tables: readonly OwnTable[],
  { makes = false } = {},
): StorageError | undefined {
  const [first] = tables
  if (!first) return undefined
  const advice = settingAdvice(role, 'search_path', first.schema)
  for (const table of tables)
    if (table.hiddenBy !== null) return misled(role, table.hiddenBy, pathOf(table), advice)
  if (!makes || role.schema === null || role.schema === first.schema) return undefined
  return new StorageError(
    'other',
    `by its search_path, the role ${role.name} makes tables in the schema ${role.schema}, and those of sshawl are in ${first.schema}; ${advice}`,
  )
}

/** That the role finds another program's table before ours. Whoever wrote to it would harm that program. */
export const misled = ({ name }: LoginRole, other: string, ours: string, advice: string): StorageError =>
  new StorageError(
    'other',
    `the search_path of the role ${name} finds ${other} of another program first, and not ${ours} of sshawl; give sshawl a role of its own if that program uses this one, or ${advice}`,
  )
