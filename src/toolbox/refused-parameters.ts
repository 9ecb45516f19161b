import { isJsonObject, type JsonSchema } from '../lib/json.ts'
import { schemasIn } from '../lib/json-schema.ts'
import { cleanLine } from '../lib/text/clean-text.ts'
import { headOf } from '../lib/text/characters.ts'
import type { Framing } from '../prompt/model-settings.ts'

/**
 * Says why a provider would refuse every request with a tool: the name of one of its parameters. Undefined where it takes the
 * tool.
 */
export type RefusedParameter = (
  framing: Pick<Framing, 'parameterNames'>,
  tool: { readonly schema: JsonSchema },
) => string | undefined

/** Each tool is looked through once for as long as its object lives, because every step asks. */
export function createRefusedParameter(): RefusedParameter {
  const known = new Map<string, WeakMap<object, { readonly reason: string | undefined }>>()
  return ({ parameterNames }, tool) => {
    if (parameterNames === undefined) return undefined
    const reasons = known.get(parameterNames) ?? new WeakMap<object, { reason: string | undefined }>()
    known.set(parameterNames, reasons)
    const answer = reasons.get(tool) ?? { reason: reasonFor(new RegExp(parameterNames), tool.schema) }
    reasons.set(tool, answer)
    return answer.reason
  }
}

function reasonFor(allowed: RegExp, schema: JsonSchema): string | undefined {
  for (const { schema: one } of schemasIn(schema)) {
    const { properties } = one
    const names = isJsonObject(properties) ? Object.keys(properties) : []
    const refused = names.find((name) => !allowed.test(name))
    if (refused !== undefined) return `its provider takes no parameter called ${quoted(refused)}`
  }
  return undefined
}

/** Characters of a name that are told. */
const MAX_NAME_CHARS = 80

const quoted = (name: string): string =>
  JSON.stringify(name.length > MAX_NAME_CHARS ? `${headOf(name, MAX_NAME_CHARS)}…` : cleanLine(name))
