import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'

/**
 * The same schema, which is made JSON once: whoever lists the tools would pay some milliseconds of the thread for that each
 * time.
 */
export function rememberedSchema<In, Out>(
  schema: StandardSchemaWithJSON<In, Out>,
): StandardSchemaWithJSON<In, Out> {
  const standard = schema['~standard']
  const { input, output } = standard.jsonSchema
  return { '~standard': { ...standard, jsonSchema: { input: once(input), output: once(output) } } }
}

type ToJson = StandardSchemaWithJSON['~standard']['jsonSchema']['input']

function once(toJson: ToJson): ToJson {
  const known = new Map<string, ReturnType<ToJson>>()
  return (options) => {
    const json = known.get(options.target) ?? toJson(options)
    known.set(options.target, json)
    return json
  }
}
