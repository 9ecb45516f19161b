import {
  cleanJson,
  isTooDeep,
  MAX_JSON_DEPTH,
  isJsonObject,
  type Json,
  type JsonSchema,
} from '../../base/json.ts'
import { completeSchema, mistakeIn } from '../../base/json-schema.ts'
import { headOf } from '../../base/text/characters.ts'
import { cleanLine, cleanText } from '../../base/text/clean-text.ts'

export interface ModelTexts {
  readonly title: string
  readonly description: string
  readonly schema: JsonSchema
}

/** `problem` is the reason if the definition cannot be sent. */
export type SanitizedDefinition = ModelTexts & { readonly problem?: string }

/** Tools written without types may have anything. */
type GivenTexts = Readonly<Record<keyof ModelTexts, unknown>>

const MAX_DESCRIPTION_CHARS = 1_000_000
const MAX_SCHEMA_CHARS = 262_144

const NO_SCHEMA: JsonSchema = { type: 'object', properties: {} }

/** Never throws. A `problem` hides the tool, because a provider refuses a whole request for it. */
export function sanitizeDefinition(tool: GivenTexts): SanitizedDefinition {
  try {
    const { title, description } = tool
    const words = { title: cleanLine(textOf(title)), description: cleanText(textOf(description)) }
    return { ...words, schema: checkedSchema(tool.schema) }
  } catch (error) {
    const problem =
      error instanceof RefusedDefinition ? error.message : `what it says of itself cannot be read`
    return { title: '', description: '', schema: NO_SCHEMA, problem }
  }
}

class RefusedDefinition extends Error {
  override readonly name = 'RefusedDefinition'
}

function refuse(problem: string): never {
  throw new RefusedDefinition(problem)
}

function textOf(value: unknown): string {
  if (typeof value !== 'string')
    return refuse(`its title and its description must be texts, one is ${kindOf(value)}`)
  if (value.length > MAX_DESCRIPTION_CHARS)
    refuse(`its description has ${value.length} characters, at most ${MAX_DESCRIPTION_CHARS} are taken`)
  return value
}

/** Keys that Anthropic and OpenAI refuse at the top of a schema. */
const CHOICES: ReadonlySet<string> = new Set(['oneOf', 'anyOf', 'allOf', 'not', 'enum', 'const'])

/** Removes choices at the top of a schema, which the tool itself still checks. */
function checkedSchema(given: unknown): JsonSchema {
  const plain = plainJson(given)
  if (isTooDeep(plain)) refuse(`its schema is nested more than ${MAX_JSON_DEPTH} deep`)
  const schema = cleanJson(plain)
  if (!isJsonObject(schema)) return refuse(`its schema must be an object, it is ${kindOf(schema)}`)
  const { type = 'object', properties } = schema
  if (type !== 'object')
    refuse(`its schema is of type ${JSON.stringify(type).slice(0, 40)}, arguments are an object`)
  const choice = Object.keys(schema).find((key) => CHOICES.has(key))
  if (choice !== undefined && !properties)
    refuse(`its schema has only ${choice} at the top, which providers refuse; name the properties`)
  // Anthropic and OpenAI check schemas against the draft (github.com/anthropics/claude-code/issues/9605).
  const mistake = mistakeIn(schema)
  if (mistake !== undefined) refuse(`its schema is no JSON Schema of draft 2020-12: ${cut(mistake)}`)
  const rest = Object.entries(schema).filter(([key]) => key !== 'type' && !CHOICES.has(key))
  const chosen =
    choice === undefined && 'type' in schema ? schema : Object.fromEntries([['type', type], ...rest])
  // OpenAI refuses an object without properties, OpenAI and Gemini a list without items
  // (github.com/sigoden/aichat/pull/1049, github.com/cline/cline/issues/7339).
  return completeSchema(chosen)
}

function plainJson(given: unknown): Json {
  const text = jsonText(given)
  if (text === undefined) return refuse('it has no schema that is JSON')
  if (text.length > MAX_SCHEMA_CHARS)
    refuse(`its schema has ${text.length} characters, at most ${MAX_SCHEMA_CHARS} are taken`)
  return JSON.parse(text) as Json
}

/** Returns undefined for a cycle, a big integer, a function, or a getter that throws. */
function jsonText(given: unknown): string | undefined {
  try {
    return JSON.stringify(given)
  } catch {
    return undefined
  }
}

const MAX_QUOTED_CHARS = 200

const cut = (text: string): string =>
  text.length > MAX_QUOTED_CHARS ? `${headOf(text, MAX_QUOTED_CHARS)}…` : text

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`
}
