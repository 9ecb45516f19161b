import { utf8Bytes } from '../../base/amounts.ts'
import { isJsonList, isJsonObject, type Json, type JsonSchema } from '../../base/json.ts'
import { memoizePer } from '../../base/basics.ts'
import { codePointAt } from '../../base/text/characters.ts'
import type { Framing } from '../model-settings.ts'
import type { TokenCounter } from '../ports.ts'
import type { PromptTool, ToolDefinition, ToolForm } from '../prompt.ts'
import type { CatalogueTool } from '../snapshot.ts'

/** The tool that replaces definitions that do not fit. */
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

interface PricedTool {
  readonly sent: PromptTool
  /** Ends with a line break, so that tokens of lines add up. */
  readonly line: string
  readonly lineTokens: number
}

export type Pricer = ReturnType<typeof createPricer>

/** Counts each tool once, as long as its object lives. */
export function createPricer(framing: Framing, counter: TokenCounter) {
  const prices = memoizePer<CatalogueTool, PricedTool>()
  const bytes = memoizePer<CatalogueTool, number>()
  return {
    of: (tool: CatalogueTool, form: ToolForm): PricedTool =>
      prices(tool, form, () => priceOf(tool, form, framing, counter)),
    bytes: (tool: CatalogueTool, form: 'full' | 'short'): number =>
      bytes(tool, form, () => utf8Bytes(JSON.stringify(definitionOf(tool, form)))),
    /** True if a definition surely has more tokens than `most`, without counting all of it. */
    isFarAbove(tool: CatalogueTool, form: 'full' | 'short', most: number): boolean {
      if (this.bytes(tool, form) <= MAX_BYTES_PER_TOKEN * Math.max(most, 2000)) return false
      return hasMoreTokens(JSON.stringify(definitionOf(tool, form)), most, counter)
    },
  }
}

/** Hardly any text has more. A definition that is short enough by this bound is counted once, as a whole. */
const MAX_BYTES_PER_TOKEN = 8
/** Long enough that a cut adds little to the count, short enough to be counted in a few ms. */
const PART_CHARS = 16_000
/** Far more than the tokens that a text may gain when it is cut in two. */
const TOKENS_OF_CUT = 64

/** Counts parts of a text, until the text surely has more tokens than `most`. */
function hasMoreTokens(text: string, most: number, counter: TokenCounter): boolean {
  let sure = 0
  for (let start = 0; start < text.length && sure <= most;) {
    const end = codePointAt(text, Math.min(text.length, start + PART_CHARS))
    sure += counter.count(text.slice(start, end)) - TOKENS_OF_CUT
    start = end
  }
  return sure > most
}

function priceOf(tool: CatalogueTool, form: ToolForm, framing: Framing, counter: TokenCounter): PricedTool {
  const { id, name } = tool
  const line = lineOf(tool, form)
  const lineTokens = counter.count(line)
  if (form === 'deferred') return { sent: { id, name, form, tokens: 0 }, line, lineTokens }
  const definition = definitionOf(tool, form)
  const tokens = definitionTokens(definition, framing, counter)
  return { sent: { id, name, form, tokens, definition }, line, lineTokens }
}

export function definitionOf(tool: CatalogueTool, form: 'full' | 'short'): ToolDefinition {
  const { name, description } = tool
  const { $schema: _, ...parameters } = tool.schema
  if (form === 'full') return { name, description, parameters }
  return { name, description: firstSentence(description), parameters: withoutWords(parameters) }
}

/** Returns the tokens of the compact JSON as sent, with the provider's framing. */
export const definitionTokens = (
  definition: ToolDefinition,
  framing: Framing,
  counter: TokenCounter,
): number => framedTokens(counter.count(JSON.stringify(definition)), framing)

export const framedTokens = (counted: number, { perTool }: Framing): number => counted + perTool

export function lineOf(tool: CatalogueTool, form: ToolForm): string {
  const words = firstSentence(tool.description)
  return form === 'deferred' || words === '' ? `- **${tool.name}**\n` : `- **${tool.name}**: ${words}\n`
}

const MAX_SHORT_DESCRIPTION = 160

/** Returns the first sentence, cut if it is too long. */
export function firstSentence(text: string): string {
  const line = text
    .slice(0, MAX_SHORT_DESCRIPTION * 4)
    .replace(/\s+/gu, ' ')
    .trim()
  const sentence = /^.*?[.!?。！？](?=\s|$)/u.exec(line)?.[0] ?? line
  const points = Array.from(sentence)
  return points.length <= MAX_SHORT_DESCRIPTION
    ? sentence
    : `${points.slice(0, MAX_SHORT_DESCRIPTION - 1).join('')}…`
}

/** Keywords whose keys are names, which may be `description`. */
const KEYS_OF_NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])
const KEYS_OF_WORDS: ReadonlySet<string> = new Set(['description', 'title', 'examples', '$comment'])
/** Keywords whose values are compared with arguments, so they stay unchanged. */
const KEYS_OF_DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default'])

/** Returns a schema that allows the same arguments without explaining them. */
const withoutWords = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !KEYS_OF_WORDS.has(key))
      .map(([key, value]) => [key, shortenValue(key, value)]),
  )

function shortenValue(key: string, value: Json): Json {
  if (KEYS_OF_DATA.has(key)) return value
  if (!KEYS_OF_NAMED_SCHEMAS.has(key)) return shortenAny(value)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, shortenAny(schema)]))
}

function shortenAny(value: Json): Json {
  if (isJsonList(value)) return value.map(shortenAny)
  return isJsonObject(value) ? withoutWords(value) : value
}
