import { calls, raw, says, type Script } from './model-server.ts'

/** How a provider's server sends the two answers that matter, in its own wire format. */
export interface Wire {
  says(text: string): Script
  calls(name: string, args: object): Script
}

/** The chat-completions stream. */
export const chatWire: Wire = { says, calls }

/** Server-sent events, each named by its `type` where it has one. */
export const eventStream = (
  ...events: readonly { readonly type?: string; readonly [key: string]: unknown }[]
): Script =>
  raw(events.map((event) => `event: ${event.type ?? 'message'}\ndata: ${JSON.stringify(event)}\n\n`).join(''))

/** Anthropic's messages stream: one content block. */
export const anthropicWire: Wire = {
  says: (text) => anthropicAnswer({ type: 'text', text: '' }, { type: 'text_delta', text }, 'end_turn'),
  calls: (name, args) =>
    anthropicAnswer(
      { type: 'tool_use', id: 'toolu_1', name, input: {} },
      { type: 'input_json_delta', partial_json: JSON.stringify(args) },
      'tool_use',
    ),
}

/** Anthropic's stream of one block with one delta, which ends for this reason. */
export function anthropicAnswer(
  block: object,
  delta: object,
  reason: string,
  usage: object = { input_tokens: 21 },
  output_tokens = 9,
): Script {
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm-1', content: [] }
  return eventStream(
    { type: 'message_start', message: { ...message, usage: { ...usage, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens } },
    { type: 'message_stop' },
  )
}

/** Gemini's stream of candidates: one part. */
export const geminiWire: Wire = {
  says: (text) => geminiAnswer({ text }),
  calls: (name, args) => geminiAnswer({ functionCall: { name, args } }),
}

export const geminiAnswer = (part: object, input = 33, output = 4): Script =>
  eventStream({
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
  })

/** The stream of OpenAI's Responses API: one item. */
export const responsesWire: Wire = {
  says: (text) =>
    responsesAnswer(
      { type: 'response.output_item.added', item: { type: 'message', id: 'msg_1', content: [] } },
      { type: 'response.output_text.delta', item_id: 'msg_1', delta: text },
      { type: 'response.output_item.done', item: { type: 'message', id: 'msg_1', content: [{ text }] } },
    ),
  calls(name, args) {
    const item = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name }
    const text = JSON.stringify(args)
    return responsesAnswer(
      { type: 'response.output_item.added', item: { ...item, arguments: '' } },
      { type: 'response.function_call_arguments.delta', item_id: 'fc_1', delta: text },
      { type: 'response.output_item.done', item: { ...item, arguments: text } },
    )
  },
}

/** The stream of the Responses API with these events between its first and its last one. */
export function responsesAnswer(
  ...events: readonly { readonly type: string; readonly [key: string]: unknown }[]
): Script {
  const usage = { input_tokens: 21, input_tokens_details: { cached_tokens: 5 }, output_tokens: 9 }
  const numbered = events.map((event, sequence_number) => ({ output_index: 0, sequence_number, ...event }))
  return eventStream(
    { type: 'response.created', response: { id: 'resp_1', created_at: 0, model: 'm-1' } },
    ...numbered,
    { type: 'response.completed', response: { id: 'resp_1', usage } },
  )
}
