import type { StorageError } from '../../../../chat/errors.ts'
import { type LoginRole, settingAdvice } from './settings.ts'
import { type OwnTable, pathOf } from './tables.ts'
import { lack } from './trouble.ts'

/** With row level security, whoever no policy lets in finds no rows, and stores none. */
export const shut = (role: LoginRole, tables: readonly OwnTable[]): StorageError | undefined =>
  unlet(role, tables) ?? narrowed(role, tables) ?? refused(role, tables)

/** With `row_security` off, whatever the policies are. */
function refused(role: LoginRole, tables: readonly OwnTable[]): StorageError | undefined {
  const first = tables.find(({ isSecured }) => isSecured)
  if (!first || !role.refusesPart) return undefined
  return lack(
    `row_security is off for the role ${role.name}, and the table ${first.name} has row level security: PostgreSQL refuses what is done with it; ${settingAdvice(role, 'row_security', 'on')}`,
  )
}

function unlet(role: LoginRole, tables: readonly OwnTable[]): StorageError | undefined {
  const all = tables.filter(({ isShut }) => isShut)
  const [first] = all
  if (!first) return undefined
  const made = all.map(
    (table) => `CREATE POLICY ${freeName(role, table)} ON ${pathOf(table)} TO ${role.name} USING (true)`,
  )
  return lack(
    `row level security may keep the role ${role.name} from rows of the table ${first.name}; run there: ${made.join('; ')}`,
  )
}

/** The role's own name, or else a numbered one: a role's name with a number may be too long. */
function freeName({ name }: LoginRole, { policies }: OwnTable): string {
  const numbered = policies.map((_, at) => `sshawl_${at + 1}`)
  return [name, ...numbered].find((one) => !policies.includes(one)) ?? name
}

/** A restrictive policy holds beside all that others give. */
function narrowed(role: LoginRole, tables: readonly OwnTable[]): StorageError | undefined {
  const dropped = tables.flatMap((table) =>
    table.restrictive.map((policy) => `DROP POLICY ${policy} ON ${pathOf(table)}`),
  )
  const first = tables.find(({ restrictive }) => restrictive.length > 0)
  if (!first) return undefined
  return lack(
    `the restrictive policy ${first.restrictive[0]} keeps rows of the table ${first.name} from the role ${role.name}; let it hold for others only (ALTER POLICY ... TO), or run there: ${dropped.join('; ')}`,
  )
}
