import { z } from 'zod'
import type { Json, JsonSchema } from '../../lib/json.ts'
import type { Parameter, ValueType } from './definition.ts'

/** What checks the arguments of a call: an object with these parameters, and no others. */
export const toInput = (parameters: readonly Parameter[]) =>
  z.strictObject(
    Object.fromEntries(
      parameters.map(({ name, type, required }) => [name, required ? toType(type) : toType(type).optional()]),
    ),
  )

function toType(type: ValueType): z.ZodType {
  switch (type.type) {
    case 'string':
      return z.string()
    case 'number':
      return z.number()
    case 'integer':
      return z.int()
    case 'boolean':
      return z.boolean()
    case 'array':
      return z.array(toType(type.items))
    case 'object':
      return toInput(type.properties)
  }
}

/** The same as JSON Schema, as models are sent it. Made here, because zod would add bounds to each integer. */
export function toSchema(parameters: readonly Parameter[]): JsonSchema {
  const required = parameters.filter((each) => each.required).map((each) => each.name)
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map((each) => [each.name, propertySchema(each)])),
    ...(required.length > 0 ? { required } : {}),
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
