import { keysOf } from './basics.ts'
import { isJsonList, isJsonObject, type Json, type JsonObject } from './json.ts'

/** The keywords of draft 2020-12 (json-schema.org/draft/2020-12), by the kind of their values. */
const KEYWORDS = {
  'a schema': [
    ...['items', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'],
    ...['unevaluatedItems', 'unevaluatedProperties'],
  ],
  'a list of schemas': ['allOf', 'anyOf', 'oneOf', 'prefixItems'],
  'an object of schemas': ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'],
  'a text': ['$ref', '$id', '$anchor', '$comment', 'title', 'description', 'format', 'pattern'],
  'a list of texts': ['required'],
  'a number': ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  'a whole number, 0 or more': [
    ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
    ...['minContains', 'maxContains'],
  ],
  'true or false': ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'],
  'a list': ['enum', 'examples'],
  'a type of JSON, or a list of them': ['type'],
}

type Kind = keyof typeof KEYWORDS

const KINDS: ReadonlyMap<string, Kind> = new Map(
  keysOf(KEYWORDS).flatMap((kind) => KEYWORDS[kind].map((key) => [key, kind] as const)),
)

const TYPES: readonly Json[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']

const isSchema = (value: Json): boolean => typeof value === 'boolean' || isJsonObject(value)
const isListOf = (value: Json, isOne: (one: Json) => boolean): boolean =>
  isJsonList(value) && value.every(isOne)

/** Checks only the outer value, not the schemas inside. */
const IS_OF: Readonly<Record<Kind, (value: Json) => boolean>> = {
  'a schema': isSchema,
  'a list of schemas': (value) => isListOf(value, isSchema) && isJsonList(value) && value.length > 0,
  'an object of schemas': (value) => isJsonObject(value) && Object.values(value).every(isSchema),
  'a text': (value) => typeof value === 'string',
  'a list of texts': (value) => isListOf(value, (one) => typeof one === 'string'),
  'a number': (value) => typeof value === 'number',
  'a whole number, 0 or more': (value) => Number.isInteger(value) && Number(value) >= 0,
  'true or false': (value) => typeof value === 'boolean',
  'a list': isJsonList,
  'a type of JSON, or a list of them': (value) =>
    isListOf(isJsonList(value) ? value : [value], (one) => TYPES.includes(one)),
}

/** `at` is the schema's path, such as `.properties.path.items`; empty for the outermost schema. */
interface Subschema {
  readonly at: string
  readonly schema: JsonObject
}

/** Yields a schema and all schemas inside it, outermost first. The caller must limit the nesting. */
export function* schemasIn(schema: JsonObject, at = ''): Iterable<Subschema> {
  yield { at, schema }
  for (const [key, value] of Object.entries(schema))
    for (const [name, one] of subschemasIn(key, value))
      if (isJsonObject(one)) yield* schemasIn(one, `${at}.${key}${name}`)
}

function subschemasIn(key: string, value: Json): readonly (readonly [string, Json])[] {
  const kind = KINDS.get(key)
  if (kind === 'a schema') return [['', value]]
  const hasMany = kind === 'a list of schemas' || kind === 'an object of schemas'
  if (!hasMany || typeof value !== 'object' || value === null) return []
  return Object.entries(value).map(([name, one]) => [`.${name}`, one])
}

/** Returns the first mistake, such as `properties.n.minimum must be a number`. */
export function mistakeIn(schema: JsonObject): string | undefined {
  for (const { at, schema: one } of schemasIn(schema))
    for (const [key, value] of Object.entries(one)) {
      const kind = KINDS.get(key)
      if (kind && !IS_OF[kind](value)) return `${`${at}.${key}`.slice(1)} must be ${kind}`
    }
  return undefined
}

/** Adds empty `items` and `properties` to list and object types that lack them, at any depth. */
export function completeSchema(schema: JsonObject): JsonObject {
  const inside = Object.entries(schema).map(([key, value]) => [key, completeIn(value, KINDS.get(key))])
  const isOfType = (type: string): boolean => [schema['type']].flat().includes(type)
  const missing = [
    ...(isOfType('object') && !('properties' in schema) ? [['properties', {}]] : []),
    ...(isOfType('array') && !('items' in schema) ? [['items', {}]] : []),
  ]
  return Object.fromEntries([...inside, ...missing])
}

function completeIn(value: Json, kind: Kind | undefined): Json {
  const inSchema = (one: Json): Json => (isJsonObject(one) ? completeSchema(one) : one)
  if (kind === 'a schema') return inSchema(value)
  if (kind === 'a list of schemas' && isJsonList(value)) return value.map(inSchema)
  if (kind === 'an object of schemas' && isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inSchema(one)]))
  return value
}
