import type { StorageError } from '../../../../chat/errors.ts'
import type { Statements } from '../statements.ts'
import type { OwnNames } from '../schema/own.ts'
import type { LoginRole } from './settings.ts'
import { closedFunctions, type OwnTable, pathOf } from './tables.ts'
import { mayNot } from './trouble.ts'

/** `reading` is what an audit does, `serving` what a server does. */
export type Use = 'reading' | 'serving'

const SELECT = 'SELECT'
const WRITE = 'SELECT, INSERT, UPDATE, DELETE'

/** Before a server serves, it brings the tables to its schema. */
export function unchangeable(role: LoginRole, tables: readonly OwnTable[]): StorageError | undefined {
  const unowned = tables.find(({ isOwned }) => !isOwned)
  if (unowned)
    return mayNot(role, `change the table ${unowned.name}`, 'start this version with the role that owns it')
  if (role.mayMake) return undefined
  const schema = role.schema ?? 'public'
  return mayNot(role, 'make tables', `run there: GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role.name}`)
}

/** Of the record of migrations a server that has nothing to apply only reads. */
export function unusable(role: LoginRole, tables: readonly OwnTable[], use: Use): StorageError | undefined {
  const isFit = ({ mayRead, mayWrite, isRecord }: OwnTable): boolean =>
    mayRead && (mayWrite || isRecord || use === 'reading')
  const lacking = tables.filter((table) => !isFit(table))
  const [first] = lacking
  if (!first) return undefined
  const reads = use === 'reading' || first.isRecord
  return mayNot(
    role,
    `${reads ? 'read' : 'read and write'} the table ${first.name}`,
    granting(role, lacking, use),
  )
}

/** Where a schema has tables of others, too, ours are named. */
function granting(role: LoginRole, lacking: readonly OwnTable[], use: Use): string {
  const rights = use === 'reading' ? SELECT : WRITE
  const isAlone =
    new Set(lacking.map(({ schema }) => schema)).size === 1 && lacking.every(({ areAllOurs }) => areAllOurs)
  if (isAlone && lacking.length > MANY)
    return `run there: GRANT ${rights} ON ALL TABLES IN SCHEMA ${lacking[0]?.schema} TO ${role.name}`
  const records = lacking.filter(({ isRecord }) => isRecord)
  const others = lacking.filter(({ isRecord }) => !isRecord)
  const grants = [...grantOn(role, records, SELECT), ...grantOn(role, others, rights)]
  return `run there: ${grants.join('; ')}`
}

/** So many names fit into a sentence. */
const MANY = 8

const grantOn = (role: LoginRole, tables: readonly OwnTable[], rights: string): readonly string[] =>
  tables.length === 0 ? [] : [`GRANT ${rights} ON ${tables.map(pathOf).join(', ')} TO ${role.name}`]

/** The statements call functions of ours, and a few of PostgreSQL. */
export async function uncalled(
  statements: Statements,
  role: LoginRole,
  { own, tables }: { readonly own: OwnNames; readonly tables: readonly OwnTable[] },
): Promise<StorageError | undefined> {
  const functions = await closedFunctions(statements, own, tables[0]?.schema ?? '')
  const [first] = functions
  if (!first) return undefined
  const signatures = functions.map(({ signature }) => signature).join(', ')
  return mayNot(
    role,
    `call the function ${first.name}`,
    `run there: GRANT EXECUTE ON FUNCTION ${signatures} TO ${role.name}`,
  )
}
