/**
 * How the parameters of a `.tool` file become those of a base that is no command: each under its own name,
 * and the words of `arguments` in the order of the rest.
 */
import { isJsonList, isJsonObject, type Json, type JsonSchema } from '../../lib/json.ts'
import { argumentWords } from '../../tools/argv.ts'
import { ArgumentError } from '../../tools/arguments.ts'
import type { Tool } from '../../tools/tool.ts'
import type { Parameter } from './definition.ts'
import { toSchema } from './schema.ts'

const WORDS = 'arguments'

/** The arguments of a call, by name. */
type Arguments = { readonly [key: string]: unknown }

/** A sentence about the first `@param` that the base cannot take, with all that it takes. */
export function parameterProblem(
  parameters: readonly Parameter[],
  base: Pick<Tool, 'id' | 'schema'>,
): string | undefined {
  const taken = propertiesOf(base.schema)
  const accepts = ([name, schema]: readonly [string, Json]): boolean =>
    isWords(name, taken) ? typeText(schema) === 'array<string>' : allows(taken.get(name), schema)
  const wrong = [...propertiesOf(toSchema(parameters))].find((own) => !accepts(own))
  if (!wrong) return undefined
  const names = [...taken].map(declared).join(', ')
  const words = isWords(WORDS, taken) ? ', or their values in this order as arguments {array<string>}' : ''
  return `${base.id} cannot take @param ${declared(wrong)}; it takes ${names || 'no parameters'}${words}`
}

/** The arguments as the base takes them. Throws `ArgumentError` if there are too few words or too many. */
export function toBaseArguments(
  args: Arguments,
  parameters: readonly Parameter[],
  { schema }: Pick<Tool, 'schema'>,
): Arguments {
  const taken = propertiesOf(schema)
  if (!parameters.some(({ name }) => isWords(name, taken))) return args
  const open = [...taken].filter(([name]) => !parameters.some((own) => own.name === name))
  const words = argumentWords(WORDS, args)
  const least = open.findLastIndex(([name]) => isRequired(name, schema)) + 1
  if (words.length < least || words.length > open.length) {
    const names = open.map(([name]) => name).join(', ')
    const bounds = `at least ${least} and at most ${open.length}`
    throw new ArgumentError(`${WORDS} are ${names}, in this order: ${bounds}, got ${words.length}`)
  }
  const { [WORDS]: _, ...named } = args
  const ordered = open.slice(0, words.length).map(([name, one], at) => [name, valueOf(words[at] ?? '', one)])
  return { ...named, ...Object.fromEntries(ordered) }
}

/** A base may have a parameter of that name itself. */
const isWords = (name: string, taken: ReadonlyMap<string, Json>): boolean =>
  name === WORDS && taken.size > 0 && !taken.has(name)

const isRequired = (name: string, { required }: JsonSchema): boolean =>
  isJsonList(required) && required.includes(name)

function propertiesOf({ properties }: JsonSchema): ReadonlyMap<string, Json> {
  return new Map(isJsonObject(properties) ? Object.entries(properties) : [])
}

/** A word as the schema wants it. The base refuses what is left as text, and says what it must be. */
function valueOf(word: string, schema: Json): unknown {
  const types = typesOf(schema)
  if (types.length === 0 || types.includes('string')) return word
  try {
    return JSON.parse(word)
  } catch {
    return word
  }
}

/** Whether all values of one schema's type may be given for the other. */
function allows(taken: Json | undefined, own: Json): boolean {
  if (taken === undefined) return false
  const types = typesOf(taken)
  const items = itemsOf(taken)
  const ownItems = itemsOf(own)
  const isOf = (type: string): boolean =>
    types.includes(type) || (type === 'integer' && types.includes('number'))
  const fitsItems = items === undefined || ownItems === undefined || allows(items, ownItems)
  return types.length === 0 || (typesOf(own).every(isOf) && fitsItems)
}

/** The types that a schema names; none if it takes any. */
function typesOf(schema: Json): readonly string[] {
  if (!isJsonObject(schema)) return []
  const { type, anyOf } = schema
  if (isJsonList(anyOf)) return anyOf.flatMap(typesOf)
  return [type].flat().filter((one) => typeof one === 'string')
}

const itemsOf = (schema: Json): Json | undefined => (isJsonObject(schema) ? schema['items'] : undefined)

/** `url {string}`, as an author writes it. */
const declared = ([name, schema]: readonly [string, Json]): string => `${name} {${typeText(schema)}}`

function typeText(schema: Json): string {
  const items = itemsOf(schema)
  const types = typesOf(schema).map((type) =>
    type === 'array' && items !== undefined ? `array<${typeText(items)}>` : type,
  )
  return types.join(' or ') || 'any'
}
