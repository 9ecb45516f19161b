import type { KnownSchema } from './own-schema.ts'
import { type LoginRole, settingAdvice } from './settings.ts'

/** How the role comes to have `rights` in a schema, and to look there for tables. */
export function reached(
  role: LoginRole,
  { schema, isInPath, mayUse }: Pick<KnownSchema, 'schema' | 'isInPath' | 'mayUse'>,
  rights: 'USAGE' | 'USAGE, CREATE',
): string {
  const isEntered = mayUse && rights === 'USAGE' && !isInPath
  return advice(role, isEntered ? [] : [granting(role, rights, schema)], isInPath ? undefined : schema)
}

export const granting = ({ name }: LoginRole, rights: string, schema: string): string =>
  `GRANT ${rights} ON SCHEMA ${schema} TO ${name}`

/** What to run in the database, and the search_path that the role is to have then. */
export function advice(role: LoginRole, statements: readonly string[], path?: string): string {
  if (path === undefined) return `run there: ${statements.join('; ')}`
  const found = settingAdvice(role, 'search_path', path)
  if (statements.length === 0) return found
  return found.startsWith(RUN)
    ? `${RUN}${[...statements, found.slice(RUN.length)].join('; ')}`
    : `${found}; ${RUN}${statements.join('; ')}`
}

const RUN = 'run there: '
