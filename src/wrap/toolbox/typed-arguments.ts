import { Refusal } from '../../words/errors.ts'
import { isJsonList, isJsonObject, type Json, type JsonSchema } from '../../base/json.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import { parseArguments } from './tool-call.ts'

/**
 * Returns typed arguments as JSON. Text that is no JSON object becomes the tool's only required parameter, if
 * that is a text or a number: `2+2` is `{"expression":"2+2"}`. Throws `Refusal` for any other tool.
 */
export function typedArguments(text: string, name: string, schema: JsonSchema): string {
  if (parseArguments(text).ok) return text
  const { properties, required } = schema
  const [only, ...others] = isJsonList(required) ? required : []
  const parameter = typeof only === 'string' && isJsonObject(properties) ? properties[only] : undefined
  const type = isJsonObject(parameter) ? parameter['type'] : undefined
  const isNumber = type === 'number' || type === 'integer'
  if (
    typeof only !== 'string' ||
    others.length > 0 ||
    /^\s*[{[]/.test(text) ||
    !(isNumber || type === 'string')
  )
    throw new Refusal(`${name} takes JSON, such as /run ${name} ${exampleOf(schema)}`)
  const typed = text.trim()
  const value = isNumber ? Number(typed) : typed
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Refusal(`${cleanLine(only)} must be a number, such as /run ${name} 3`)
  return JSON.stringify({ [only]: value })
}

const MAX_PARAMETERS = 20

/** Returns JSON with each required parameter, or with all parameters if none is required. */
function exampleOf({ properties, required }: JsonSchema): string {
  const all = Object.entries(isJsonObject(properties) ? properties : {})
  const needed = all.filter(([key]) => isJsonList(required) && required.includes(key))
  const shown = (needed.length > 0 ? needed : all).slice(0, MAX_PARAMETERS)
  return `{${shown.map(([key, schema]) => `${JSON.stringify(cleanLine(key))}: ${valueText(schema)}`).join(', ')}}`
}

const VALUES: Readonly<Record<string, string>> = {
  number: '1',
  integer: '1',
  boolean: 'true',
  array: '[]',
  object: '{}',
  null: 'null',
}

function valueText(schema: Json): string {
  const { type, enum: values } = isJsonObject(schema) ? schema : {}
  if (isJsonList(values) && values[0] !== undefined) return cleanLine(JSON.stringify(values[0]))
  return (typeof type === 'string' ? VALUES[type] : undefined) ?? '"…"'
}
