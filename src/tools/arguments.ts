import type { z } from 'zod'
import type { Json, JsonObject, JsonSchema } from '../base/json.ts'

/** Thrown for wrong arguments. The message tells the model what to change. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError'
}

/** Problems per message: a model corrects no more at once. */
const MAX_PROBLEMS = 5

/** Throws `ArgumentError`. Null counts as absent, because models like to fill in all parameters. */
export function checkArguments<Shape extends z.ZodRawShape>(
  input: z.ZodObject<Shape>,
  schema: JsonSchema,
  args: unknown,
): z.output<z.ZodObject<Shape>> {
  const given = withoutNulls(args ?? {}, schema)
  const parsed = input.safeParse(given)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => explain(issue, schema, given))
  const rest = problems.length - MAX_PROBLEMS
  throw new ArgumentError(
    [...problems.slice(0, MAX_PROBLEMS), ...(rest > 0 ? [`and ${rest} more`] : [])].join('; '),
  )
}

/** Returns the problems of a program's value, each with a field's path below `at`. */
export function problemsIn(form: z.ZodType, value: unknown, at: string): readonly string[] {
  const issues = form.safeParse(value).error?.issues ?? []
  return issues.map((issue) => {
    const expected = expectation(issue, undefined)
    const name = `${at}${issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')}`
    const given = shown(issue.path.length === 0 ? value : valueAt(value, issue.path))
    return `${name.replace(/^\./, '') || 'it'} ${expected ? `must be ${expected}` : issue.message}, got ${given}`
  })
}

/** Drops nulls among properties that the schema names, at any depth. */
function withoutNulls(value: unknown, schema: JsonObject | undefined): unknown {
  if (Array.isArray(value)) {
    const items = objectAt(schema, 'items')
    return value.map((item: unknown) => withoutNulls(item, items))
  }
  if (!isObject(value)) return value
  const properties = objectAt(schema, 'properties')
  // No prototype, so that an absent parameter called `constructor` stays absent.
  const kept: Record<string, unknown> = Object.create(null)
  for (const [name, one] of Object.entries(value)) {
    if (one !== null || at(properties, name) === undefined)
      kept[name] = withoutNulls(one, objectAt(properties, name))
  }
  return kept
}

type Issue = z.core.$ZodIssue

function explain(issue: Issue, schema: JsonSchema, args: unknown): string {
  const name = nameOf(issue.path)
  const wanted = schemaAt(schema, issue.path)
  const value = valueAt(args, issue.path)
  if (issue.code === 'unrecognized_keys') return unknownParameters(issue, wanted)
  if (value !== undefined) {
    const expected = expectation(issue, wanted)
    return `${name}${expected ? ` must be ${expected}` : `: ${issue.message}`}, got ${shown(value)}`
  }
  return `${name} is required${issue.code === 'invalid_type' ? ` (${typeName(wanted, issue.expected)})` : ''}`
}

/** Formats a path such as `todos[0].content`. */
const nameOf = (path: readonly PropertyKey[]): string =>
  path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key)}`))
    .join('') || 'arguments'

/** Returns words that complete `must be`. */
function expectation(issue: Issue, wanted: JsonObject | undefined): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return typeName(wanted, issue.expected)
    case 'invalid_value':
      return `one of ${issue.values.map((value) => `'${String(value)}'`).join(', ')}`
    case 'too_big':
    case 'too_small':
      return bounds(issue, wanted)
    default:
      return undefined
  }
}

/** Uses the schema, because an issue names only one bound. */
function bounds(
  issue: Extract<Issue, { code: 'too_big' | 'too_small' }>,
  wanted: JsonObject | undefined,
): string {
  const [low, high] = [wanted?.['minimum'], wanted?.['maximum']]
  if (isBound(low) && isBound(high)) return `between ${low} and ${high}`
  const unit = issue.origin === 'string' ? ' characters long' : issue.origin === 'array' ? ' items long' : ''
  return issue.code === 'too_big' ? `at most ${issue.maximum}${unit}` : `at least ${issue.minimum}${unit}`
}

/** Ignores the largest safe integers, which zod sets as bounds of every integer. */
const isBound = (value: Json | undefined): value is number =>
  typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER

function unknownParameters(
  { keys, path }: Extract<Issue, { code: 'unrecognized_keys' }>,
  wanted: JsonObject | undefined,
): string {
  const known = Object.keys(objectAt(wanted, 'properties') ?? {})
  const takes = known.length > 0 ? `it takes ${known.map((name) => `'${name}'`).join(', ')}` : 'it takes none'
  const where = path.length > 0 ? ` in ${nameOf(path)}` : ''
  return `unknown parameter ${keys.map((key) => shown(key)).join(', ')}${where}; ${takes}`
}

/** Returns `an integer`, `an array of strings`. */
function typeName(wanted: JsonObject | undefined, expected: string): string {
  const type = textAt(wanted, 'type') ?? (expected === 'record' ? 'object' : expected)
  const items = textAt(objectAt(wanted, 'items'), 'type')
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}${items ? ` of ${items}s` : ''}`
}

/** Formats a value as JSON, cut to fit into a sentence. */
export function shown(value: unknown): string {
  // `1e400` is parsed as infinity, which JSON cannot express.
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number that is too large'
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (current, key) =>
      typeof current === 'object' && current !== null && Object.hasOwn(current, key)
        ? Reflect.get(current, key)
        : undefined,
    value,
  )

const schemaAt = (schema: JsonSchema, path: readonly PropertyKey[]): JsonObject | undefined =>
  path.reduce<JsonObject | undefined>(
    (current, key) =>
      typeof key === 'number' ? objectAt(current, 'items') : objectAt(objectAt(current, 'properties'), key),
    schema,
  )

const at = (object: JsonObject | undefined, key: PropertyKey): Json | undefined =>
  object !== undefined && Object.hasOwn(object, key) ? object[String(key)] : undefined

function objectAt(object: JsonObject | undefined, key: PropertyKey): JsonObject | undefined {
  const value = at(object, key)
  return isObject(value) ? value : undefined
}

function textAt(object: JsonObject | undefined, key: PropertyKey): string | undefined {
  const value = at(object, key)
  return typeof value === 'string' ? value : undefined
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
