import { isJsonList, isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../lib/json.ts'

/**
 * A schema that Google's SDK can turn into one of Gemini; it throws for others, and all of the request fails.
 * Lists of values of several types become texts, empty ones are left out. A reference that leads back to
 * itself, or to nothing that the SDK finds, becomes an object.
 */
export function geminiSchema(whole: JsonSchema): JsonSchema {
  const done = new Map<string, Json>()
  const open = new Set<string>()

  function taken(schema: Json): Json {
    if (isJsonList(schema)) return schema.map(taken)
    if (!isJsonObject(schema)) return schema
    const { $ref, ...beside } = schema
    const { description = null } = beside
    if (typeof $ref === 'string' && !isTaken($ref))
      return { type: 'object', ...(description === null ? {} : { description }) }
    const within = Object.entries(withTakenValues(schema)).map(([key, value]) => [key, takenAt(key, value)])
    return Object.fromEntries(within) as JsonObject
  }

  function takenAt(key: string, value: Json): Json {
    if (key === 'properties' && isJsonObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, taken(one)]))
    return ['items', 'allOf', 'anyOf', 'oneOf'].includes(key) ? taken(value) : value
  }

  /** Visits the definition, so that references within it which lead back to it are found. */
  function isTaken(reference: string): boolean {
    if (open.has(reference)) return false
    if (done.has(reference)) return true
    const definition = definitionAt(whole, reference)
    if (definition === undefined) return false
    open.add(reference)
    const own = taken(definition)
    open.delete(reference)
    done.set(reference, own)
    return true
  }

  const { $defs: _, definitions: __, ...root } = whole
  const schema = taken(root) as JsonObject
  const named = SOURCES.map((source) => {
    const own = [...done].flatMap(([reference, definition]) => {
      const found = parsed(reference)
      return found?.source === source ? [[found.name, definition] as const] : []
    })
    return [source, Object.fromEntries(own)] as const
  })
  return done.size === 0 ? schema : { ...schema, ...Object.fromEntries(named) }
}

const SOURCES = ['$defs', 'definitions'] as const

/** Only these the SDK finds: direct children of the two, of the outer schema. */
function parsed(reference: string): { readonly source: string; readonly name: string } | undefined {
  const [, source, encoded] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? []
  if (source === undefined || encoded === undefined) return undefined
  try {
    const name = decodeURIComponent(encoded)
    if (name.includes('/') || /~(?![01])/.test(name)) return undefined
    return { source, name: name.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~')) }
  } catch {
    return undefined
  }
}

function definitionAt(whole: JsonSchema, reference: string): Json | undefined {
  const { source, name } = parsed(reference) ?? {}
  const definitions = source === undefined ? undefined : whole[source]
  const isThere = isJsonObject(definitions) && name !== undefined && Object.hasOwn(definitions, name)
  return isThere ? definitions[name] : undefined
}

function withTakenValues(schema: JsonObject): JsonObject {
  const { enum: listed, const: only, ...others } = schema
  const values = isJsonList(listed) ? listed : only === undefined ? undefined : [only]
  if (!values || isOfOneType(values, schema['type'])) return schema
  const texts = values
    .filter((value) => value !== null)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  if (texts.length === 0) return values.length > 0 ? { type: 'null', ...others } : others
  const { format: _, ...rest } = others
  return { ...rest, type: values.includes(null) ? ['string', 'null'] : 'string', enum: [...new Set(texts)] }
}

const IS_OF: Readonly<Record<string, (value: Json) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: Number.isFinite,
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
}

/** As the SDK requires it: all values of one type, which is the one that the schema names. */
function isOfOneType(values: readonly Json[], type: Json | undefined): boolean {
  const types = isJsonList(type) ? type : type === undefined ? [...Object.keys(IS_OF), 'null'] : [type]
  const said = types.includes('null') && types.length > 1 ? values.filter((value) => value !== null) : values
  if (said.length === 0) return false
  return Object.entries(IS_OF).some(([name, isOf]) => types.includes(name) && said.every(isOf))
}
