import type { Dialect, Piece } from './answer.ts'
import { argumentsText, asCount, asObject, asText, type Fields } from './loose.ts'
import type { ModelAccess } from './provider.ts'

/** platform.openai.com/docs/api-reference/responses/create */
export const responsesSettings = (access: ModelAccess): Fields => {
  const { temperature, topP, effort, reasoningEffort = effort } = access
  return { temperature, top_p: topP, ...(reasoningEffort ? { reasoning: { effort: reasoningEffort } } : {}) }
}

/** The stream of OpenAI's Responses API (platform.openai.com/docs/api-reference/responses-streaming). */
export const responsesDialect: Dialect = {
  field: 'response',
  *read(event) {
    const type = asText(event['type'])?.replace(/^response\./, '') ?? ''
    const text = asText(event['delta'])
    const id = asText(event['item_id'])
    // Calls are read when they are complete.
    if (type === 'output_item.done') yield* piecesOfItem(asObject(event['item']))
    if (text && /^(?:output_text|refusal)\.delta$/.test(type)) yield { text }
    if (text && /^reasoning_(?:summary_)?text\.delta$/.test(type)) yield { thought: { id, text } }
    const isNextPart = type === 'reasoning_summary_part.added' && asCount(event['summary_index'])
    if (isNextPart) yield { thought: { id, text: '\n\n' } }
    const { reason } = asObject(asObject(event['response'])['incomplete_details'])
    if (type === 'completed' || type === 'incomplete') yield { end: asText(reason) ?? '' }
  },
  usage({ response }) {
    const { input_tokens, input_tokens_details, output_tokens } = asObject(asObject(response)['usage'])
    const { cached_tokens } = asObject(input_tokens_details)
    return { input: input_tokens, cached: cached_tokens, output: output_tokens }
  },
}

/** The SDK sends `openai` back in the next request. */
function* piecesOfItem(item: Fields): Iterable<Piece> {
  const id = asText(item['id']) ?? ''
  if (item['type'] === 'reasoning') {
    const reasoningEncryptedContent = asText(item['encrypted_content']) ?? null
    yield { thought: { id, providerData: { openai: { itemId: id, reasoningEncryptedContent } } } }
  }
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
