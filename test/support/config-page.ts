import { format } from 'prettier'
import { z } from 'zod'
import { fileSchema } from '../../src/server/config/schema.ts'

/** The text of docs/config.md, as prettier wants it. */
export const configPage = (): Promise<string> => {
  const { properties = {} } = z.toJSONSchema(fileSchema, { io: 'input' }) as Schema
  const sections = Object.entries(properties).map(([name, schema]) => section(name, schema))
  return format([INTRODUCTION, ...sections].join('\n\n'), {
    parser: 'markdown',
    printWidth: 110,
    proseWrap: 'always',
  })
}

const INTRODUCTION = `# The config file

\`npm run docs\` writes this page from src/config. A key that is absent has its default. Flags and variables of the
environment are in [admin.md](admin.md#starting-and-stopping), and so is when a reload follows a change.`

interface Schema {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: unknown
  readonly required?: readonly string[]
}

/** A heading, what the section is for, and its keys; sections inside it follow. */
function section(name: string, schema: Schema): string {
  const { properties = {}, required = [] } = schema.items ?? schema
  const inner = Object.entries(properties).filter(([, one]) => isSection(one))
  const keys = Object.entries(properties).filter(([, one]) => !isSection(one))
  const items = keys.map(
    ([key, one]) => `- \`${key}\` (${facts(one, required.includes(key))}): ${one.description}`,
  )
  const title = schema.items ? `## \\[\\[${name}]]` : `## \\[${name}]`
  const sections = inner.map(([key, one]) => section(`${name}.${key}`, one))
  return [title, schema.description ?? '', items.join('\n'), ...sections].join('\n\n')
}

/** `price` is written in one line, so it is a key. */
const isSection = ({ properties }: Schema): boolean => properties !== undefined && !('cached' in properties)

const facts = (schema: Schema, isRequired: boolean): string =>
  [
    typeOf(schema),
    ...(isRequired ? ['required'] : []),
    ...(schema.default === undefined || isEmpty(schema.default) ? [] : [`default ${code(schema.default)}`]),
  ].join(', ')

function typeOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map(code).join(', ')
  if (schema.const !== undefined) return code(schema.const)
  if (schema.anyOf)
    return schema.anyOf
      .map(typeOf)
      .filter((type, at, all) => all.indexOf(type) === at)
      .join(' or ')
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {}).replace(/^\w+/, '$&s')}`
  if (schema.properties)
    return `table of ${Object.keys(schema.properties)
      .map((key) => `\`${key}\``)
      .join(', ')}`
  if (schema.type === 'object')
    return isEmpty(schema.additionalProperties ?? {}) ? 'table' : 'table of strings'
  return `${schema.type}${bounds(schema)}`
}

/** Bounds that say no more than that a number is a number are left out. */
function bounds({ type, minimum, maximum = Infinity }: Schema): string {
  if (type !== 'integer' && type !== 'number') return ''
  if (maximum < 1_000_000_000) return ` ${minimum} to ${maximum}`
  return minimum === undefined || minimum < -1 ? '' : ` from ${minimum}`
}

const isEmpty = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && Object.keys(Object(value) as object).length === 0)

const code = (value: unknown): string => `\`${JSON.stringify(value).replaceAll(',', ', ')}\``
