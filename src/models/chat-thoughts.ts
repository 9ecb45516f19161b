// Thoughts in OpenAI's chat completions, which have no field for them. Servers use several names, and many
// expect a thought back under the name that they sent, or refuse it under another.
import type { JsonObject } from '../base/json.ts'
import type { ModelRequest, RequestMessage, Thought } from '../wrap/loop/index.ts'
import type { Dialect, Piece } from './answer.ts'
import { asList, asObject, asText, hasContent, joinTexts, type Fields } from './loose.ts'

/** The most common name; also used for thoughts between tags in the text. */
const USUAL = 'reasoning_content'

/**
 * Lists of plain or encrypted thoughts: OpenRouter (openrouter.ai/docs/use-cases/reasoning-tokens) and
 * LiteLLM for Claude (docs.litellm.ai/docs/reasoning_content).
 */
const LISTS: readonly string[] = ['reasoning_details', 'thinking_blocks']

/** Mistral's content is a list of texts and thoughts. */
const CONTENT = 'content'

/** Yields the thoughts of a delta. If a server sends a thought under two names, people see it once. */
export function* piecesOfThought(delta: Fields): Iterable<Piece> {
  const list = LISTS.find((field) => hasContent(delta[field])) ?? ''
  const details = asList(delta[list]).map(asObject).filter(hasContent)
  const texts: readonly (readonly [name: string, text: string])[] = [
    [USUAL, joinTexts(delta[USUAL])],
    ['reasoning', joinTexts(delta['reasoning'])],
    [CONTENT, joinTexts(asList(delta[CONTENT]).map((part) => asObject(part)['thinking']))],
    [list, joinTexts(details.map(({ text, summary, thinking }) => text ?? summary ?? thinking))],
  ]
  const [name, text] = texts.find(([, one]) => one !== '') ?? []
  if (name === USUAL) yield { thought: { text } }
  else if (name && name !== list) yield { thought: { id: name, text, providerData: { chat: { name } } } }
  if (details.length === 0) return
  const providerData = { chat: { name: list, details: details as JsonObject[] } }
  yield { thought: { id: list, providerData, ...(name === list ? { text } : {}) } }
}

/** Makes each piece of an answer's details contain all details so far. */
export function withWholeDetails(dialect: Dialect): Dialect {
  const details: Fields[] = []
  return {
    ...dialect,
    *read(event) {
      for (const piece of dialect.read(event)) {
        const { details: added, ...chat } = asObject(piece.thought?.providerData?.['chat'])
        for (const detail of asList(added)) addDetail(details, asObject(detail))
        const providerData = { chat: { ...chat, details } as JsonObject }
        yield added ? { thought: { ...piece.thought, providerData } } : piece
      }
    },
  }
}

/** Fields of a detail whose pieces are joined. */
const TEXTS: ReadonlySet<string> = new Set(['text', 'summary', 'thinking'])

/** Adds a detail, or joins a piece to the last detail. In LiteLLM, a signature ends a detail. */
function addDetail(details: Fields[], detail: Fields): void {
  const last = details.at(-1)
  const isMore = last?.['type'] === detail['type'] && last?.['index'] === detail['index']
  const isSigned = last?.['type'] === 'thinking' && hasContent(last['signature'])
  if (!last || !isMore || isSigned || 'data' in detail) return void details.push(detail)
  const known = Object.entries(detail).filter(([, value]) => value !== null)
  const joined = known.map(([key, value]) => {
    return [key, TEXTS.has(key) ? joinTexts(last[key]) + joinTexts(value) : value]
  })
  details[details.length - 1] = { ...last, ...Object.fromEntries(joined) }
}

/** Adds the thoughts of earlier steps to `body`, whose messages have the order of the request. */
export function withThoughts(body: Fields, { messages }: ModelRequest<RequestMessage>): Fields {
  if (!body['messages']) return body
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const steps = messages.flatMap((step, index) =>
    step.role === 'assistant' ? [{ ...step, isOld: index < asked }] : [],
  )
  const written = asList(body['messages'])
    .map(asObject)
    .map((message) => {
      const step = message['role'] === 'assistant' ? steps.shift() : undefined
      const { [USUAL]: _, ...others } = message
      return step ? { ...others, ...fieldsOf(step.thoughts ?? [], step) } : message
    })
  return { ...body, messages: written }
}

/** Servers refuse details of earlier turns (github.com/OpenRouterTeam/ai-sdk-provider/issues/491). */
function fieldsOf(
  thoughts: readonly Thought[],
  { text: said, isOld }: { readonly text: string; readonly isOld: boolean },
): Fields {
  const fields: Record<string, unknown> = {}
  for (const { text, providerData } of thoughts) {
    const { name, details } = asObject(providerData?.['chat'])
    const field = asText(name) ?? USUAL
    if (LISTS.includes(field)) Object.assign(fields, isOld ? {} : { [field]: details })
    else if (field === CONTENT)
      fields[CONTENT] = [
        { type: 'thinking', thinking: [{ type: 'text', text }] },
        ...(said === '' ? [] : [{ type: 'text', text: said }]),
      ]
    else if (text !== '') fields[field] = joinTexts(fields[field]) + text
  }
  return fields
}
