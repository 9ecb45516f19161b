import type { Migration } from '../../migrations.ts'
import { statementsOf } from '../expansion/reading.ts'

/** What a migration makes. An index has its name among those of the tables. */
export interface Made {
  readonly name: string
  /** The types of a function's parameters, separated by commas. Null for what is no function. */
  readonly parameters: string | null
  /** Of the migration. */
  readonly file: string
}

export const madeBy = ({ sql: text, name: file }: Migration): readonly Made[] =>
  statementsOf(text).flatMap((statement) => {
    const [, name, parameters] = FUNCTION.exec(statement) ?? RELATION.exec(statement) ?? []
    if (name === undefined) return []
    return [{ name, parameters: parameters === undefined ? null : typesOf(parameters), file }]
  })

const RELATION = /^CREATE (?:TABLE|VIEW|MATERIALIZED VIEW|SEQUENCE|TYPE|(?:UNIQUE )?INDEX) (\w+)/i
const FUNCTION = /^CREATE FUNCTION (\w+) ?\(([^)]*)\)/i

/** Each parameter is a name and a type. */
const typesOf = (parameters: string): string =>
  parameters
    .split(',')
    .map((one) => one.trim().replace(/^\w+ /, '').toLowerCase())
    .join(', ')
