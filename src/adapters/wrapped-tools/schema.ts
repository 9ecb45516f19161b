import type { Json, JsonSchema } from '../../lib/json.ts'
import type { Parameter, ValueType } from './definition.ts'

/** The JSON Schema of an object with these parameters, and no others. */
export function toSchema(parameters: readonly Parameter[]): JsonSchema {
  const required = parameters.filter((each) => each.required).map((each) => each.name)
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map((each) => [each.name, propertySchema(each)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

function propertySchema({ type, description }: Parameter): Json {
  const schema = typeSchema(type)
  return description === '' ? schema : { ...schema, description }
}

function typeSchema(type: ValueType): JsonSchema {
  if (type.type === 'array') return { type: 'array', items: typeSchema(type.items) }
  if (type.type !== 'object') return { type: type.type }
  return { ...toSchema(type.properties), ...(type.description ? { description: type.description } : {}) }
}
