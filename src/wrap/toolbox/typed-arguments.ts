import { Refusal } from '../../words/errors.ts'
import { isJsonList, isJsonObject, type JsonSchema } from '../../base/json.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import { formOf } from './direct-offer.ts'
import { parseArguments } from './tool-call.ts'

/**
 * Returns the arguments that a person typed, as JSON. Text that is no JSON object becomes the tool's only
 * required parameter, if that is a text or a number: `2+2` is `{"expression":"2+2"}`. Throws `Refusal` for
 * any other tool.
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
    throw new Refusal(`${name} takes JSON: /run ${name} ${formOf(schema)}`)
  const typed = text.trim()
  const value = isNumber ? Number(typed) : typed
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Refusal(
      `${cleanLine(only)} must be a number: /run ${name} 3, or /run ${name} ${formOf(schema)}`,
    )
  return JSON.stringify({ [only]: value })
}
