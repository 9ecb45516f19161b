import type { Dialect, Piece } from './answer.ts'
import { argumentsText, asCount, asList, asObject, asText, joinTexts, type Fields } from './loose.ts'
import type { ModelAccess } from './provider.ts'

/** Source: platform.openai.com/docs/api-reference/responses/create */
export const responsesSettings = (access: ModelAccess): Fields => {
  const { temperature, topP, effort, reasoningEffort = effort } = access
  return { temperature, top_p: topP, ...(reasoningEffort ? { reasoning: { effort: reasoningEffort } } : {}) }
}

/**
 * OpenAI's Responses API (platform.openai.com/docs/api-reference/responses-streaming). Proxies may omit
 * deltas or whole items that a later event repeats.
 */
export function responsesDialect(): Dialect {
  const said = { part: '', item: '', response: '' }
  const read = new Set<unknown>()
  /** True if the current item's thoughts came in deltas. */
  let hasThought = false
  const say = (text: string): Piece => {
    for (const level of LEVELS) said[level] += text
    return { text }
  }
  /** Returns the end of a text that deltas omitted; nothing if the deltas differ from the text. */
  const rest = (level: keyof typeof said, text: string): readonly Piece[] =>
    text.startsWith(said[level]) && text !== said[level] ? [say(text.slice(said[level].length))] : []
  function* readItem(item: Fields): Iterable<Piece> {
    const { id, type } = item
    const key = asText(item['call_id']) || id
    if (key !== undefined && read.has(key)) return
    read.add(key)
    const text = joinTexts(item['summary']) + joinTexts(item['content'])
    if (type === 'reasoning' && text && !hasThought) yield { thought: { id: asText(id) ?? '', text } }
    if (type === 'reasoning') hasThought = false
    yield* piecesOfItem(item)
  }
  return {
    field: 'response',
    *read(event) {
      const type = asText(event['type'])?.replace(/^response\./, '') ?? ''
      const text = asText(event['delta'])
      const id = asText(event['item_id'])
      if (text && /^(?:output_text|refusal)\.delta$/.test(type)) yield say(text)
      if (/^(?:output_text|refusal)\.done$/.test(type)) yield* rest('part', textOf(event))
      if (type === 'content_part.done') {
        if (asObject(event['part'])['type'] !== 'reasoning_text') yield* rest('part', textOf(event['part']))
        said.part = ''
      }
      if (type === 'output_item.done') {
        const item = asObject(event['item'])
        if (item['type'] === 'message') yield* rest('item', textsOf(item))
        yield* readItem(item)
        said.item = said.part = ''
      }
      if (text && /^reasoning_(?:summary_)?text\.delta$/.test(type)) {
        hasThought = true
        yield { thought: { id, text } }
      }
      const isNextPart = type === 'reasoning_summary_part.added' && asCount(event['summary_index'])
      if (isNextPart) yield { thought: { id, text: '\n\n' } }
      const response = responseOf(event)
      if (!/^(?:completed|incomplete|cancelled|done)$/.test(type) && response !== event) return
      const output = asList(response['output']).map(asObject)
      yield* rest(
        'response',
        output
          .filter((item) => item['type'] === 'message')
          .map(textsOf)
          .join(''),
      )
      for (const item of output) yield* readItem(item)
      const { reason } = asObject(response['incomplete_details'])
      yield { end: asText(reason) ?? (type === 'cancelled' ? type : '') }
    },
    usage(event) {
      const { input_tokens, input_tokens_details, output_tokens } = asObject(responseOf(event)['usage'])
      const { cached_tokens } = asObject(input_tokens_details)
      return { input: input_tokens, cached: cached_tokens, output: output_tokens }
    },
  }
}

const LEVELS = ['part', 'item', 'response'] as const

/** Some servers send the response whole, without events. */
const responseOf = (event: Fields): Fields =>
  event['object'] === 'response' ? event : asObject(event['response'])

const textOf = (part: unknown): string =>
  joinTexts(asObject(part)['text']) + joinTexts(asObject(part)['refusal'])

const textsOf = (message: Fields): string => asList(message['content']).map(textOf).join('')

/** The SDK sends `openai` back in the next request. */
function* piecesOfItem(item: Fields): Iterable<Piece> {
  const id = asText(item['id']) ?? ''
  if (item['type'] === 'reasoning') {
    const reasoningEncryptedContent = asText(item['encrypted_content']) ?? null
    yield { thought: { id, providerData: { openai: { itemId: id, reasoningEncryptedContent } } } }
  }
  const phase = asText(item['phase'])
  if (item['type'] === 'message' && phase) yield { textData: { openai: { phase } } }
  if (item['type'] === 'function_call')
    yield {
      call: {
        isWhole: true,
        id: asText(item['call_id']) || id,
        name: asText(item['name']),
        arguments: argumentsText(item['arguments']) ?? '{}',
        ...(id ? { providerData: { openai: { itemId: id } } } : {}),
      },
    }
}
