/** Finds the refused part of a request: many servers accept few of OpenAI's fields, or validate each tool. */
import type { ModelRefusal, ModelRequest, RequestMessage } from '../wrap/loop/index.ts'
import { asCount, asList, asObject, asText, errorText, parseIfJson, type Fields, isObject } from './loose.ts'
import { createHash } from 'node:crypto'

/** Fields that some servers know by the other name (platform.openai.com/docs/api-reference/chat/create). */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
}

/** Lower-case fields that a request needs. */
const NEEDED: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'input', 'contents', 'system', 'instructions', 'systeminstruction', 'prompt'],
  ...['tools', 'stream', 'options', 'generationconfig', 'max_output_tokens', 'maxoutputtokens'],
])

/** The object that contains Gemini's settings. */
const NESTED = 'generationConfig'

const OUTPUT_FIELDS = [
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens', 'num_predict'],
]

/** Returns the answer's limit in a request, in tokens; 0 if it has none. */
export function sentOutput(body: Fields): number {
  const fields: Fields = { ...body, ...asObject(body[NESTED]), ...asObject(body['options']) }
  return Math.max(...OUTPUT_FIELDS.map((field) => asCount(fields[field]) ?? 0))
}

const HISTORIES: ReadonlySet<string> = new Set(['messages', 'input', 'contents'])

/** Anthropic's mark for cached parts, which some of its gateways refuse. */
const CACHE_MARK = 'cache_control'

/** Fields whose parts may have the mark. */
const MARKED: ReadonlySet<string> = new Set([...HISTORIES, 'tools', 'system'])

/** Fields of earlier answers that a request gives back: thoughts, and marks of a provider. */
const ECHOED: ReadonlySet<string> = new Set([
  ...['reasoning', 'reasoning_content', 'reasoning_details', 'thinking', 'redacted_thinking'],
  ...['phase', 'extra_content', 'signature', 'encrypted_content', 'thoughtSignature', 'thinking_blocks'],
  CACHE_MARK,
])

/** Servers refuse a thought of these types if one of its fields is missing. */
const THOUGHTS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning'])

/** Fields of steps and tools whose content comes from models or tools. */
const OPAQUE: ReadonlySet<string> = new Set([
  ...['args', 'input', 'response', 'reasoning_details', 'thinking_blocks', 'input_schema', 'parameters'],
])

/** Removes the refused fields, or renames them to their other name. */
export const without = (body: Fields, refused: readonly string[]): Fields =>
  Object.fromEntries(
    Object.entries(body).flatMap(([key, value]) => {
      if (key === NESTED) return [[key, without(asObject(value), refused)]]
      if (MARKED.has(key) && refused.length > 0) return [[key, withoutEchoes(value, new Set(refused))]]
      if (!refused.includes(key)) return [[key, value]]
      const other = OTHER_NAMES[key]
      return other === undefined || refused.includes(other) ? [] : [[other, value]]
    }),
  )

function withoutEchoes(value: unknown, refused: ReadonlySet<unknown>): unknown {
  if (Array.isArray(value))
    return value
      .filter((one) => !isRefusedThought(asObject(one), refused))
      .map((one) => withoutEchoes(one, refused))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => !ECHOED.has(key) || !refused.has(key))
  return Object.fromEntries(
    kept.map(([key, one]) => [key, OPAQUE.has(key) ? one : withoutEchoes(one, refused)]),
  )
}

const isRefusedThought = (part: Fields, refused: ReadonlySet<unknown>): boolean =>
  THOUGHTS.has(part['type']) && [part['type'], ...Object.keys(part)].some((name) => refused.has(name))

/** Quotes inside a history's text are escaped, so text cannot be mistaken for a field. */
function echoesIn(fields: Fields): readonly string[] {
  const history = JSON.stringify([...MARKED].map((key) => fields[key]))
  return [...ECHOED].filter((name) => history.includes(`"${name}":`) || history.includes(`"type":"${name}"`))
}

/** The refusal's name for call IDs, which a request cannot omit but can rewrite. */
const CALL_ID = 'tool_call_id'

/** Texts of Mistral and its templates, OpenAI, Anthropic. */
const REFUSED_ID =
  /(?:tool[_ ]?(?:call|use)?s?(?:\[\d+\])?[._ ](?:call_|use_)?|\bcall_)ids?\b[^]{0,120}?(?:alphanumeric|a-z|length|pattern|too long)/i

/** A result's ID that some servers refuse: Mistral takes nine letters and digits. */
const OTHER_ID = /"(?:tool_call_id|tool_use_id|call_id)":"(?![a-zA-Z0-9]{9}")/

/** Returns undefined if the request's IDs are already rewritten. */
export const findRefusedIds = (said: string, sent: Fields): ModelRefusal | undefined =>
  REFUSED_ID.test(said.slice(0, 8_000)) && OTHER_ID.test(JSON.stringify(sent))
    ? { kind: 'field', field: CALL_ID }
    : undefined

export function withAcceptedIds(request: ModelRequest<RequestMessage>): ModelRequest<RequestMessage> {
  if (!request.withoutFields?.includes(CALL_ID)) return request
  const messages = request.messages.map((step): RequestMessage => {
    if (step.role === 'tool') return { ...step, call: acceptedId(step.call) }
    if (step.role === 'user') return step
    return { ...step, calls: step.calls.map((call) => ({ ...call, id: acceptedId(call.id) })) }
  })
  return { ...request, messages }
}

const acceptedId = (id: string): string =>
  /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9)

/** Returns the part that a server's text names first; undefined if it names none that can be omitted. */
export function findRefusedPart(said: string, fields: Fields): ModelRefusal | undefined {
  const text = said.slice(0, 8_000)
  if (text.includes(CACHE_MARK) && echoesIn(fields).includes(CACHE_MARK))
    return { kind: 'field', field: CACHE_MARK }
  // The sentence is right if it names another tool than the error's `param`.
  const sentence = errorText(parseIfJson(text)) ?? ''
  const names = toolNames(fields)
  const tool = findNamedTool(sentence, names) ?? findNamedTool(text, names)
  if (tool !== undefined) return { kind: 'tool', tool }
  const field = findNamedField(text.toLowerCase(), [
    ...Object.keys(fields),
    ...Object.keys(asObject(fields[NESTED])),
    ...(WANTED.test(text) ? [] : echoesIn(fields)),
  ])
  return field === undefined ? undefined : { kind: 'field', field }
}

/** Texts of servers that require a thought back; these servers do not refuse it. */
const WANTED = /pass(?:ed)? back|preserve|missing|required/i

/** Reads the tool formats of OpenAI's two APIs, Anthropic and Gemini. */
const toolNames = ({ tools }: Fields): readonly unknown[] =>
  asList(tools)
    .map(asObject)
    .flatMap((tool) => asList(tool['functionDeclarations'] ?? tool['function'] ?? tool))
    .map((declaration) => asObject(declaration)['name'])

/** Gemini's `tools[0].function_declarations[3]`; others: `tools.3.custom`, `tools[3]`, `"tools", 3`. */
const DECLARATION = /function_?declarations\[(\d{1,4})/i
const PLACE = /\btools\\?["']?\s{0,9}[.,[(]{1,2}\s{0,9}(\d{1,4})\b/i

/** A quoted word, or a word after `function` or `tool`. */
const NAMED =
  /["'`](?<quoted>[\w-]{1,64})\\?["'`]|\b(?:function|tool)(?: named| called| name)?:? (?<bare>[\w-]{1,64})/gi

const CALLED = /\b(?:function|tool)(?: named| called| name)?:? ["'`]([\w-]{1,64})["'`]/i

function findNamedTool(text: string, names: readonly unknown[]): string | undefined {
  const called = CALLED.exec(text)?.[1]
  if (called !== undefined && names.includes(called)) return called
  const place = (/function_?declarations/i.test(text) ? DECLARATION : PLACE).exec(text)?.[1]
  if (place !== undefined) return asText(names[Number(place)])
  if (!/function|tool|schema/i.test(text)) return undefined
  const words = [...text.matchAll(NAMED)].map(({ groups }) => groups?.['quoted'] ?? groups?.['bare'])
  return words.find((word) => word !== undefined && names.includes(word))
}

/** Texts for an unknown field. If only a token limit's value is refused, the text also names the field. */
const UNKNOWN =
  /unsupported|not supported|unrecogni[sz]ed|unknown|unexpected|not (?:permitted|allowed)|extra (?:inputs|fields)|instead/

function findNamedField(text: string, fields: readonly string[]): string | undefined {
  const named = fields
    .filter((field) => !NEEDED.has(field.toLowerCase()))
    .filter((field) => OTHER_NAMES[field] === undefined || UNKNOWN.test(text))
    .map((field) => ({ field, place: text.search(namePattern(field.toLowerCase())) }))
    .filter(({ place }) => place >= 0)
  return named.toSorted((a, b) => a.place - b.place)[0]?.field
}

/** Texts of Ollama, Claude and Gemini for a field that a model does not take. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  think: 'not support thinking|think value',
  thinking: 'not support thinking|thinking is not supported',
  thinkingconfig: 'thinking (?:level|budget) is not supported|not support thinking',
  output_config: 'effort parameter',
}

/**
 * Matches a short name without `_` only in quotes, paths and after words such as `parameter`: `stop` may be
 * any word. Some servers write `Stream options` or `streamOptions`.
 */
function namePattern(field: string): RegExp {
  const name = field.replaceAll(/\W/g, '\\$&').replaceAll('_', '[_ ]?')
  const isPlain = field.includes('_') || field.length > 9
  const pattern = isPlain
    ? `(?<!\\w)${name}(?!\\w)`
    : `["'\`.]${name}["'\`\\\\:.\\]]|(?:parameter|argument|on this model:) ${name}(?!\\w)`
  return new RegExp([pattern, ...(OTHER_WORDS[field] ? [OTHER_WORDS[field]] : [])].join('|'))
}
