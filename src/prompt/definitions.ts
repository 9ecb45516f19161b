import { isJsonList, isJsonObject, type Json, type JsonSchema } from '../lib/json.ts'
import type { Framing } from './framing.ts'
import type { TokenCounter } from './ports.ts'
import type { ToolDefinition, ToolForm } from './prompt.ts'
import type { CatalogueTool } from './snapshot.ts'

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
