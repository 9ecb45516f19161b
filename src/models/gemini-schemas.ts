import { isJsonList, isJsonObject, type Json, type JsonObject, type JsonSchema } from '../base/json.ts'

/**
 * Adapts a schema for Google's SDK, which rejects the whole request for a schema that it cannot convert.
 * Lists of values of several types become strings; empty lists are dropped. References are inlined; a
 * circular or broken one becomes an object.
 */
export function geminiSchema(whole: JsonSchema): JsonSchema {
  function convert(schema: Json, open: readonly string[]): Json {
    if (isJsonList(schema)) return schema.map((one) => convert(one, open))
    if (!isJsonObject(schema)) return schema
    const { $ref, ...beside } = schema
    if (typeof $ref === 'string') {
      const definition = open.includes($ref) ? undefined : definitionAt(whole, $ref)
      if (isJsonObject(definition)) return convert({ ...definition, ...beside }, [...open, $ref])
      const { description } = beside
      return { type: 'object', ...(description ? { description } : {}) }
    }
    const within = Object.entries(withTakenValues(schema)).map(([key, value]) => {
      if (key === 'properties' && isJsonObject(value)) {
        const properties = Object.entries(value).map(([name, one]) => [name, convert(one, open)])
        return [key, Object.fromEntries(properties)]
      }
      return [key, ['items', 'allOf', 'anyOf', 'oneOf'].includes(key) ? convert(value, open) : value]
    })
    return Object.fromEntries(within) as JsonObject
  }

  const { $defs: _, definitions: __, ...root } = whole
  return convert(root, []) as JsonObject
}

/** Finds only direct children of `$defs` and `definitions`. */
function definitionAt(whole: JsonSchema, reference: string): Json | undefined {
  const [, source = '', encoded = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? []
  const definitions = whole[source]
  const name = decoded(encoded).replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~'))
  return isJsonObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
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

/** True if all values have one type that the schema names, as the SDK requires. */
function isOfOneType(values: readonly Json[], type: Json | undefined): boolean {
  const types = isJsonList(type) ? type : type === undefined ? [...Object.keys(IS_OF), 'null'] : [type]
  const said = types.includes('null') && types.length > 1 ? values.filter((value) => value !== null) : values
  if (said.length === 0) return false
  return Object.entries(IS_OF).some(([name, isOf]) => types.includes(name) && said.every(isOf))
}
