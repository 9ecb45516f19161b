/** A JSON Schema, as far as it is looked at here. */
export interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

/** The paths of all keys of a schema that hold a value: `limits.turn_s`, `models[].name`. */
export function keysOf(schema: Schema, path = ''): readonly string[] {
  if (schema.items?.properties) return keysOf(schema.items, `${path}[]`)
  if (!schema.properties) return [path]
  return Object.entries(schema.properties).flatMap(([key, inner]) =>
    keysOf(inner, path === '' ? key : `${path}.${key}`),
  )
}
