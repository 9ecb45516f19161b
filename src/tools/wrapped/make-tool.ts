import { isJsonList, isJsonObject, type Json, type JsonSchema } from '../../base/json.ts'
import { argumentWords } from '../argv.ts'
import { ArgumentError, checkArguments } from '../arguments.ts'
import type { ToolContext } from '../context.ts'
import { renamedTrouble, withTrouble } from '../results/result.ts'
import { unavailable, type Tool, type WrappedCall } from '../tool.ts'
import { createWordCheck } from './check-arguments.ts'
import { toInput, toSchema, type Parameter } from './parameters.ts'
import type { ToolFile, Wrapper } from './parse.ts'

/** Returns the same tool under a second name, which its errors use, too. */
export const makeAlias = (file: ToolFile, target: Tool): Tool => ({
  ...target,
  id: file.name,
  title: file.title || target.title,
  description: file.description || target.description,
  aliasOf: target.id,
  run: async (args, context) => renamedTrouble(await target.run(args, context), target.id, file.name),
})

export type Wrappable = Tool & Required<Pick<Tool, 'wrap'>>

export function makeWrapped(file: ToolFile, wrapper: Wrapper, base: Wrappable): Tool {
  const id = file.name
  const access = wrapper.access ?? base.access
  const checkWords = createWordCheck(wrapper, access)
  const input = toInput(wrapper.parameters)
  const schema = toSchema(wrapper.parameters)

  async function prepare(given: unknown, context: ToolContext): Promise<WrappedCall> {
    const args = checkArguments(input, schema, given)
    const own = base.wrapsCommand ? args : toBaseArguments(args, wrapper.parameters, base)
    const call = base.wrap({ tool: id, access, words: wrapper.words, args: own })
    await checkWords(args, context.workspace)
    return call
  }

  const tool: Tool = {
    id,
    title: file.title,
    description: file.description,
    schema,
    access,
    base: base.id,
    asks: async (args, context) => (await prepare(args, context)).asks(context),
    run: (args, context) => withTrouble(id, async () => (await prepare(args, context)).run(context)),
  }
  return base.unavailable === undefined ? tool : unavailable(tool, base.unavailable)
}

/** The words of this parameter become the values of the base's other parameters, in order. */
const WORDS = 'arguments'

type Arguments = { readonly [key: string]: unknown }

/** Returns a sentence about the first `@param` that the base, which is no command, cannot take. */
export function parameterProblem(
  parameters: readonly Parameter[],
  base: Pick<Tool, 'id' | 'schema'>,
): string | undefined {
  const baseParameters = propertiesOf(base.schema)
  const accepts = ([name, schema]: readonly [string, Json]): boolean =>
    isWordList(name, baseParameters)
      ? typeText(schema) === 'array<string>'
      : allows(baseParameters.get(name), schema)
  const wrong = [...propertiesOf(toSchema(parameters))].find((own) => !accepts(own))
  if (!wrong) return undefined
  const names = [...baseParameters].map(declared).join(', ')
  const words = isWordList(WORDS, baseParameters)
    ? ', or their values in this order as arguments {array<string>}'
    : ''
  return `${base.id} cannot take @param ${declared(wrong)}; it takes ${names || 'no parameters'}${words}`
}

/** Returns the arguments as the base takes them. Throws `ArgumentError` for too few or too many words. */
export function toBaseArguments(
  args: Arguments,
  parameters: readonly Parameter[],
  { schema }: Pick<Tool, 'schema'>,
): Arguments {
  const baseParameters = propertiesOf(schema)
  if (!parameters.some(({ name }) => isWordList(name, baseParameters))) return args
  const open = [...baseParameters].filter(([name]) => !parameters.some((own) => own.name === name))
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

/** True for the parameter `arguments`, unless the base itself has a parameter of this name. */
const isWordList = (name: string, baseParameters: ReadonlyMap<string, Json>): boolean =>
  name === WORDS && baseParameters.size > 0 && !baseParameters.has(name)

const isRequired = (name: string, { required }: JsonSchema): boolean =>
  isJsonList(required) && required.includes(name)

function propertiesOf({ properties }: JsonSchema): ReadonlyMap<string, Json> {
  return new Map(isJsonObject(properties) ? Object.entries(properties) : [])
}

/** Parses a word as JSON if the schema allows no string. The base refuses wrong values. */
function valueOf(word: string, schema: Json): unknown {
  const types = typesOf(schema)
  if (types.length === 0 || types.includes('string')) return word
  try {
    return JSON.parse(word)
  } catch {
    return word
  }
}

/** True if the base's schema allows all values that the file's schema allows. */
function allows(baseSchema: Json | undefined, own: Json): boolean {
  if (baseSchema === undefined) return false
  const types = typesOf(baseSchema)
  const items = itemsOf(baseSchema)
  const ownItems = itemsOf(own)
  const isOf = (type: string): boolean =>
    types.includes(type) || (type === 'integer' && types.includes('number'))
  const fitsItems = items === undefined || ownItems === undefined || allows(items, ownItems)
  return types.length === 0 || (typesOf(own).every(isOf) && fitsItems)
}

/** Returns [] if the schema allows any type. */
function typesOf(schema: Json): readonly string[] {
  if (!isJsonObject(schema)) return []
  const { type, anyOf } = schema
  if (isJsonList(anyOf)) return anyOf.flatMap(typesOf)
  return [type].flat().filter((one) => typeof one === 'string')
}

const itemsOf = (schema: Json): Json | undefined => (isJsonObject(schema) ? schema['items'] : undefined)

const declared = ([name, schema]: readonly [string, Json]): string => `${name} {${typeText(schema)}}`

function typeText(schema: Json): string {
  const items = itemsOf(schema)
  const types = typesOf(schema).map((type) =>
    type === 'array' && items !== undefined ? `array<${typeText(items)}>` : type,
  )
  return types.join(' or ') || 'any'
}
