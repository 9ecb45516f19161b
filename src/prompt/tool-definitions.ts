import type { ToolDefinition, PromptTool, ToolForm } from './prompt.ts'
import { utf8Bytes } from '../lib/bytes.ts'
import type { Framing } from './model-settings.ts'
import type { TokenCounter } from './ports.ts'
import type { CatalogueTool } from './snapshot.ts'
import { isJsonList, isJsonObject, type Json, type JsonSchema } from '../lib/json.ts'

/** The function that is offered in place of definitions that do not fit into the budget. */
export const findToolsDefinition: ToolDefinition = {
  name: 'find_tools',
  description:
    'Find functions by what they do. Returns the matching functions with their parameters; they can be called from the next step on.',
  parameters: {
    type: 'object',
    properties: { query: { type: 'string', description: 'A few words, or the name of a function' } },
    required: ['query'],
    additionalProperties: false,
  },
}

/** One tool in one form: what is sent, its line in the prompt, and what both cost. */
export interface PricedTool {
  readonly sent: PromptTool
  /** Ends with its line break, so that the tokens of the lines add up to the tokens of the text. */
  readonly line: string
  readonly lineTokens: number
}

/** Prices in one encoding and with one provider's framing. */
export interface Pricer {
  /** Counts the tool in this form when it is first asked for. */
  of(tool: CatalogueTool, form: ToolForm): PricedTool
  /** Bytes of the definition: how dear it is, about, without counting. */
  bytes(tool: CatalogueTool, form: 'full' | 'short'): number
}

/** Gives the pricer for a provider's framing and a counter. */
export type PriceList = (framing: Framing, counter: TokenCounter) => Pricer

/** A price is worked out once for as long as the tool's object and the list live. */
export function createPriceList(): PriceList {
  const pricers = new WeakMap<TokenCounter, Map<string, Pricer>>()
  return (framing, counter) => {
    // Each snapshot may bring its own copy of the framing, so its figure is compared, not the objects.
    const key = `${framing.perTool}`
    const known = pricers.get(counter) ?? new Map<string, Pricer>()
    pricers.set(counter, known)
    const pricer = known.get(key) ?? createPricer(framing, counter)
    known.set(key, pricer)
    return pricer
  }
}

function createPricer(framing: Framing, counter: TokenCounter): Pricer {
  return {
    of: oncePerForm((tool, form) => priceOf(tool, form, framing, counter)),
    bytes: oncePerForm((tool, form) => utf8Bytes(JSON.stringify(definitionOf(tool, form)))),
  }
}

/** Works something out once for each tool and form. */
function oncePerForm<Form extends ToolForm, T>(
  work: (tool: CatalogueTool, form: Form) => T,
): (tool: CatalogueTool, form: Form) => T {
  const known = new WeakMap<CatalogueTool, Map<Form, T>>()
  return (tool, form) => {
    const forms = known.get(tool) ?? new Map<Form, T>()
    known.set(tool, forms)
    const found = forms.get(form)
    if (found !== undefined) return found
    const made = work(tool, form)
    forms.set(form, made)
    return made
  }
}

function priceOf(tool: CatalogueTool, form: ToolForm, framing: Framing, counter: TokenCounter): PricedTool {
  const line = lineOf(tool, form)
  return { sent: sentAs(tool, form, framing, counter), line, lineTokens: counter.count(line) }
}

function sentAs(tool: CatalogueTool, form: ToolForm, framing: Framing, counter: TokenCounter): PromptTool {
  const { id, name } = tool
  if (form === 'deferred') return { id, name, form, tokens: 0 }
  const definition = definitionOf(tool, form)
  return { id, name, form, tokens: definitionTokens(definition, framing, counter), definition }
}

/** A tool as it is sent in one of the forms that send anything. */
export function definitionOf(tool: CatalogueTool, form: 'full' | 'short'): ToolDefinition {
  const { $schema: _, ...parameters } = tool.schema
  if (form === 'full') return { name: tool.name, description: tool.description, parameters }
  return {
    name: tool.name,
    description: firstSentence(tool.description),
    parameters: withoutWords(parameters),
  }
}

/** Tokens of a definition, the provider's own framing included: its compact JSON, keys in the order they are sent. */
export function definitionTokens(
  definition: ToolDefinition,
  framing: Framing,
  counter: TokenCounter,
): number {
  return framedTokens(counter.count(JSON.stringify(definition)), framing)
}

/** Tokens of a definition, of which the text has `counted`. */
export const framedTokens = (counted: number, { perTool }: Framing): number => counted + perTool

/** A tool's line in the prompt, with its line break. The rest of the description is in the definition. */
export function lineOf(tool: CatalogueTool, form: ToolForm): string {
  const words = firstSentence(tool.description)
  return form === 'deferred' || words === '' ? `- **${tool.name}**\n` : `- **${tool.name}**: ${words}\n`
}

const oneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim()

/** Characters of a shortened description. */
const MAX_SHORT_DESCRIPTION = 160

/** The text up to the first full stop that ends a sentence, cut where even that is too long. */
export function firstSentence(text: string): string {
  const line = oneLine(text.slice(0, MAX_SHORT_DESCRIPTION * 4))
  const sentence = /^.*?[.!?。！？](?=\s|$)/u.exec(line)?.[0] ?? line
  const points = Array.from(sentence)
  return points.length <= MAX_SHORT_DESCRIPTION
    ? sentence
    : `${points.slice(0, MAX_SHORT_DESCRIPTION - 1).join('')}…`
}

/** Keys whose values are schemas by name: a name may well be `description`. */
const KEYS_OF_NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])
/** Keys that explain a schema to a reader. */
const KEYS_OF_WORDS: ReadonlySet<string> = new Set(['description', 'title', 'examples', '$comment'])
/** Keys whose values are compared with arguments, so that they stay as they are. */
const KEYS_OF_DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default'])

/** A schema that allows the same arguments but no longer explains them. */
const withoutWords = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !KEYS_OF_WORDS.has(key))
      .map(([key, value]) => [key, shortened(key, value)]),
  )

function shortened(key: string, value: Json): Json {
  if (KEYS_OF_DATA.has(key)) return value
  if (KEYS_OF_NAMED_SCHEMAS.has(key)) return isJsonObject(value) ? eachShortened(value) : value
  return anyShortened(value)
}

const eachShortened = (schemas: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, anyShortened(schema)]))

function anyShortened(value: Json): Json {
  if (isJsonList(value)) return value.map(anyShortened)
  return isJsonObject(value) ? withoutWords(value) : value
}
