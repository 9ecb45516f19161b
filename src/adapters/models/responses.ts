import type { Dialect, Piece } from './answer.ts'
import { argumentsIn, countIn, objectIn, textIn, type Fields } from './loose.ts'
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
    const type = textIn(event['type'])?.replace(/^response\./, '') ?? ''
    const text = textIn(event['delta'])
    const id = textIn(event['item_id'])
    // Calls are read when they are complete.
    if (type === 'output_item.done') yield* itemIn(objectIn(event['item']))
    if (text && /^(?:output_text|refusal)\.delta$/.test(type)) yield { text }
    if (text && /^reasoning_(?:summary_)?text\.delta$/.test(type)) yield { thought: { id, text } }
    const isNextPart = type === 'reasoning_summary_part.added' && countIn(event['summary_index'])
    if (isNextPart) yield { thought: { id, text: '\n\n' } }
    const { reason } = objectIn(objectIn(event['response'])['incomplete_details'])
    if (type === 'completed' || type === 'incomplete') yield { end: textIn(reason) ?? '' }
  },
  usage({ response }) {
    const { input_tokens, input_tokens_details, output_tokens } = objectIn(objectIn(response)['usage'])
    const { cached_tokens } = objectIn(input_tokens_details)
    return { input: input_tokens, cached: cached_tokens, output: output_tokens }
  },
}

/** The SDK sends `openai` back in the next request. */
function* itemIn(item: Fields): Iterable<Piece> {
  const id = textIn(item['id']) ?? ''
  if (item['type'] === 'reasoning') {
    const reasoningEncryptedContent = textIn(item['encrypted_content']) ?? null
    yield { thought: { id, providerData: { openai: { itemId: id, reasoningEncryptedContent } } } }
  }
  if (item['type'] === 'function_call')
    yield {
      call: {
        isWhole: true,
        id: textIn(item['call_id']) || id,
        name: textIn(item['name']),
        arguments: argumentsIn(item['arguments']) ?? '{}',
        ...(id ? { providerData: { openai: { itemId: id } } } : {}),
      },
    }
}
