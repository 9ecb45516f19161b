/** A statement, or a part of one, with the values that stand in it. */
export class Sql {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings
    this.values = values
  }
}

/** A statement as the driver takes it: values are `$1`, `$2`, …, and never a part of the text. */
export interface BoundSql {
  readonly text: string
  readonly values: readonly unknown[]
}

/** Writes a statement: ``sql`SELECT 1 FROM rooms WHERE name = ${name}` ``. Another `Sql` in it becomes a part of it. */
export const sql = (strings: TemplateStringsArray, ...values: readonly unknown[]): Sql =>
  new Sql(strings, values)

/** Parts, one after the other. */
export const joined = (parts: readonly Sql[], between: string): Sql =>
  new Sql(['', ...parts.slice(1).map(() => between), ''], parts)

/** The statement with its values numbered. */
export function bound(statement: Sql): BoundSql {
  const values: unknown[] = []
  return { text: textOf(statement, values), values }
}

const textOf = ({ strings, values: inserted }: Sql, values: unknown[]): string =>
  strings.reduce((text, string, at) => `${text}${placed(inserted[at - 1], values)}${string}`)

function placed(value: unknown, values: unknown[]): string {
  if (value instanceof Sql) return textOf(value, values)
  return `$${values.push(value)}`
}
