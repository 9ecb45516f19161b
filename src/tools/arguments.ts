import type { z } from 'zod'
import type { Json, JsonSchema } from '../lib/json.ts'

type Issue = z.core.$ZodIssue

/**
 * Says what is wrong with a call's arguments so that a model can do better: the parameter, what it must
 * be, what it was. `schema` is the tool's JSON Schema, which knows the bounds that an issue leaves out.
 */
export function explainArguments(error: z.ZodError, schema: JsonSchema, args: unknown): string {
  return error.issues.map((issue) => explainIssue(issue, schema, args)).join('; ')
}

function explainIssue(issue: Issue, schema: JsonSchema, args: unknown): string {
  const where = issue.path.join('.') || 'arguments'
  const value = valueAt(args, issue.path)
  if (issue.code === 'unrecognized_keys') return unknownParameters(issue.keys, schema)
  if (value === undefined && issue.path.length > 0) return `${where} is required${typeNote(issue)}`
  return `${where} must be ${expectation(issue, schema)}, got ${shown(value)}`
}

function expectation(issue: Issue, schema: JsonSchema): string {
  switch (issue.code) {
    case 'invalid_type':
      return withArticle(issue.expected)
    case 'invalid_value':
      return `one of ${issue.values.map((value) => `'${String(value)}'`).join(', ')}`
    case 'too_big':
    case 'too_small':
      return bounds(issue, propertyAt(schema, issue.path))
    default:
      return `different (${issue.message})`
  }
}

function bounds(
  issue: Extract<Issue, { code: 'too_big' | 'too_small' }>,
  property: { readonly [key: string]: Json } | undefined,
): string {
  const [low, high] = [property?.['minimum'], property?.['maximum']]
  if (isBound(low) && isBound(high)) return `between ${low} and ${high}`
  const unit = issue.origin === 'string' ? ' characters long' : issue.origin === 'array' ? ' items long' : ''
  return issue.code === 'too_big' ? `at most ${issue.maximum}${unit}` : `at least ${issue.minimum}${unit}`
}

/** The ends of what a double holds exactly stand on every integer, and tell nobody anything. */
const isBound = (value: Json | undefined): value is number =>
  typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER

function unknownParameters(keys: readonly string[], schema: JsonSchema): string {
  const known = Object.keys((schema['properties'] as { readonly [key: string]: Json } | undefined) ?? {})
  const takes = known.length > 0 ? `it takes ${known.map((name) => `'${name}'`).join(', ')}` : 'it takes none'
  return `unknown parameter ${keys.map((key) => shown(key)).join(', ')}; ${takes}`
}

const typeNote = (issue: Issue): string =>
  issue.code === 'invalid_type' ? ` (${withArticle(issue.expected)})` : ''

/** A type's name as a sentence says it. */
export function withArticle(type: string): string {
  const name = type === 'int' ? 'integer' : type
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`
}

/** A value as JSON, cut to a length that fits a sentence. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined
    current = (current as Record<PropertyKey, unknown>)[key]
  }
  return current
}

function propertyAt(
  schema: JsonSchema,
  path: readonly PropertyKey[],
): { readonly [key: string]: Json } | undefined {
  if (path.length !== 1) return undefined
  const properties = schema['properties'] as Record<string, { readonly [key: string]: Json }> | undefined
  return properties?.[String(path[0])]
}
