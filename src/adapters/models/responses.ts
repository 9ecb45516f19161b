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
    const text = textIn(event['delta'])
    const id = textIn(event['item_id'])
    switch (event['type']) {
      // Calls are read when they are whole.
      case 'response.output_item.done':
        yield* itemIn(objectIn(event['item']))
        break
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        if (text) yield { text }
        break
      case 'response.reasoning_summary_part.added':
        if (countIn(event['summary_index'])) yield { thought: { id, text: '\n\n' } }
        break
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        if (text) yield { thought: { id, text } }
        break
      case 'response.completed':
      case 'response.incomplete':
        yield { end: textIn(objectIn(objectIn(event['response'])['incomplete_details'])['reason']) ?? '' }
    }
  },
  usage({ response }) {
    const { input_tokens, input_tokens_details, output_tokens } = objectIn(objectIn(response)['usage'])
    const { cached_tokens } = objectIn(input_tokens_details)
    return { input: input_tokens, cached: cached_tokens, output: output_tokens }
  },
}

/** `openai` is what the SDK writes back into the next request. */
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
