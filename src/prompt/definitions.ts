import { isJsonObject, type Json, type JsonSchema } from '../lib/json.ts'
import type { Framing } from './framing.ts'
import type { TokenCounter } from './ports.ts'
import type { ToolDefinition, ToolForm } from './prompt.ts'
import type { CatalogueTool } from './snapshot.ts'

/** Characters of a shortened description. */
const shortest = 160

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
  { factor, perTool }: Framing,
  counter: TokenCounter,
): number {
  return Math.ceil(counter.count(JSON.stringify(definition)) * factor) + perTool
}

/** A tool's line in the prompt, with its line break. */
export function lineOf(tool: CatalogueTool, form: ToolForm): string {
  const words = form === 'full' ? oneLine(tool.description) : firstSentence(tool.description)
  return form === 'deferred' || words === '' ? `- **${tool.name}**\n` : `- **${tool.name}**: ${words}\n`
}

const oneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim()

/** Up to the first full stop that ends a sentence, and never long. */
export function firstSentence(text: string): string {
  const line = oneLine(text.slice(0, shortest * 4))
  const sentence = /^.*?[.!?。！？](?=\s|$)/u.exec(line)?.[0] ?? line
  const points = Array.from(sentence)
  return points.length <= shortest ? sentence : `${points.slice(0, shortest - 1).join('')}…`
}

/** Keys whose values are schemas by name: a name may well be `description`. */
const maps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])
const words: ReadonlySet<string> = new Set(['description', 'title', 'examples', '$comment'])

/** A schema that says what fits but no longer explains it. */
function withoutWords(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([key]) => !words.has(key))
  return Object.fromEntries(
    kept.map(([key, value]) => [key, maps.has(key) ? mapValues(value) : inner(key, value)]),
  )
}

const mapValues = (value: Json): Json =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, inner('', schema)]))
    : value

/** Values that are compared, not described, stay as they are. */
function inner(key: string, value: Json): Json {
  if (key === 'enum' || key === 'const' || key === 'default') return value
  if (Array.isArray(value)) return (value as readonly Json[]).map((element) => inner('', element))
  return isJsonObject(value) ? withoutWords(value) : value
}
