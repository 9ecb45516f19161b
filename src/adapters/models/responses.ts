import { addCall, reportOf, type Dialect } from './answer.ts'
import { countIn, jsonTextIn, objectIn, textIn, type Fields } from './loose.ts'
import type { ModelAccess } from './provider.ts'

/** platform.openai.com/docs/api-reference/responses/create */
export const responsesSettings = (access: ModelAccess): Fields => {
  const { temperature, topP, effort, reasoningEffort = effort } = access
  return { temperature, top_p: topP, ...(reasoningEffort ? { reasoning: { effort: reasoningEffort } } : {}) }
}

/**
 * The stream of OpenAI's Responses API (platform.openai.com/docs/api-reference/responses-streaming). Calls and
 * thoughts are read when they are whole; the SDK fails for pieces of a thought that did not begin.
 */
export function responsesDialect(): Dialect {
  const thoughts = new Set<string>()
  const calls: object[] = []
  return {
    field: 'response',
    read(event) {
      const known = eventIn(event)
      return known ? [known] : []
    },
    usage(event) {
      const counts = objectIn(objectIn(event['response'])['usage'])
      if (Object.keys(counts).length === 0) return undefined
      return reportOf({
        input: countIn(counts['input_tokens']),
        cached: countIn(objectIn(counts['input_tokens_details'])['cached_tokens']),
        output: countIn(counts['output_tokens']),
      })
    },
  }

  function eventIn(event: Fields): object | undefined {
    const type = textIn(event['type'])
    const response = objectIn(event['response'])
    const item = objectIn(event['item'])
    const output_index = countIn(event['output_index']) ?? 0
    const item_id = textIn(event['item_id']) ?? ''
    const delta = textIn(event['delta'])
    switch (type) {
      case 'response.output_item.added':
        return item['type'] === 'reasoning' ? { type, output_index, item: beginThought(item) } : undefined
      case 'response.output_item.done': {
        if (item['type'] !== 'function_call')
          return thoughts.has(textIn(item['id']) ?? '')
            ? { type, output_index, item: thoughtIn(item) }
            : undefined
        const call = callIn(item)
        addCall(calls, call)
        return { type, output_index, item: call }
      }
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return delta ? { type: 'response.output_text.delta', item_id, delta } : undefined
      case 'response.reasoning_summary_part.added':
        return countIn(event['summary_index']) ? thinking(item_id, '\n\n') : undefined
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return delta ? thinking(item_id, delta) : undefined
      case 'response.completed':
      case 'response.incomplete': {
        const reason = textIn(objectIn(response['incomplete_details'])['reason'])
        return { type, response: reason ? { incomplete_details: { reason } } : {} }
      }
      default:
        return undefined
    }
  }

  function beginThought(item: Fields): object {
    const thought = thoughtIn(item)
    thoughts.add(thought.id)
    return thought
  }
}

/** All parts of a thought become one. */
const thinking = (item_id: string, delta: string): object => ({
  type: 'response.reasoning_summary_text.delta',
  ...{ item_id, delta, summary_index: 0 },
})

const thoughtIn = (item: Fields) => ({
  type: 'reasoning',
  id: textIn(item['id']) ?? '',
  encrypted_content: textIn(item['encrypted_content']),
})

function callIn(item: Fields): object {
  const call_id = textIn(item['call_id']) || textIn(item['id']) || ''
  return {
    type: 'function_call',
    id: textIn(item['id']) || call_id,
    call_id,
    name: textIn(item['name']) ?? '',
    arguments: jsonTextIn(item['arguments']) ?? '{}',
    status: 'completed',
  }
}
