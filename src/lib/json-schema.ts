import { isJsonList, isJsonObject, type Json, type JsonObject } from './json.ts'

/** What the value of a keyword must be. */
type Kind =
  | 'a schema'
  | 'a list of schemas'
  | 'an object of schemas'
  | 'a text'
  | 'a list of texts'
  | 'a number'
  | 'a whole number, 0 or more'
  | 'true or false'
  | 'a list'
  | 'a type of JSON, or a list of them'

const SCHEMA_KEYS = [
  ...['items', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
]
const SCHEMA_LIST_KEYS = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const NAMED_SCHEMA_KEYS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
const TEXT_KEYS = ['$ref', '$id', '$anchor', '$comment', 'title', 'description', 'format', 'pattern']
const NUMBER_KEYS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
const COUNT_KEYS = [
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
  ...['minContains', 'maxContains'],
]
const BOOLEAN_KEYS = ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly']

/** The keywords of JSON Schema, draft 2020-12 (json-schema.org/draft/2020-12), and what each holds. */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...SCHEMA_KEYS.map((key) => [key, 'a schema'] as const),
  ...SCHEMA_LIST_KEYS.map((key) => [key, 'a list of schemas'] as const),
  ...NAMED_SCHEMA_KEYS.map((key) => [key, 'an object of schemas'] as const),
  ...TEXT_KEYS.map((key) => [key, 'a text'] as const),
  ...NUMBER_KEYS.map((key) => [key, 'a number'] as const),
  ...COUNT_KEYS.map((key) => [key, 'a whole number, 0 or more'] as const),
  ...BOOLEAN_KEYS.map((key) => [key, 'true or false'] as const),
  ['required', 'a list of texts'],
  ['enum', 'a list'],
  ['examples', 'a list'],
  ['type', 'a type of JSON, or a list of them'],
])

const TYPES: readonly Json[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']

const isSchema = (value: Json): boolean => typeof value === 'boolean' || isJsonObject(value)
const isListOf = (value: Json, isOne: (one: Json) => boolean): boolean =>
  isJsonList(value) && value.every(isOne)

/** Whether a value is of a kind. What a schema holds in its turn is not looked at. */
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

/** A schema within another one, and the way to it: `.properties.path.items`; empty for the outer one. */
interface Subschema {
  readonly at: string
  readonly schema: JsonObject
}

/** A schema and all schemas in it, from the outside in. Its nesting must be bounded. */
export function* schemasIn(schema: JsonObject, at = ''): Iterable<Subschema> {
  yield { at, schema }
  for (const [key, value] of Object.entries(schema))
    for (const [name, one] of heldBy(key, value))
      if (isJsonObject(one)) yield* schemasIn(one, `${at}.${key}${name}`)
}

/** The schemas that a keyword holds, each with what follows the keyword on the way to it. */
function heldBy(key: string, value: Json): readonly (readonly [string, Json])[] {
  const kind = KINDS.get(key)
  if (kind === 'a schema') return [['', value]]
  const hasMany = kind === 'a list of schemas' || kind === 'an object of schemas'
  if (!hasMany || typeof value !== 'object' || value === null) return []
  return Object.entries(value).map(([name, one]) => [`.${name}`, one])
}

/** The first thing in a schema that the draft does not allow, as `.properties.n.minimum must be a number`. */
export function mistakeIn(schema: JsonObject): string | undefined {
  for (const { at, schema: one } of schemasIn(schema))
    for (const [key, value] of Object.entries(one)) {
      const kind = KINDS.get(key)
      if (kind && !IS_OF[kind](value)) return `${`${at}.${key}`.slice(1)} must be ${kind}`
    }
  return undefined
}

/** The same schema, in which each list has `items` and each object has `properties`, if only empty ones. */
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
