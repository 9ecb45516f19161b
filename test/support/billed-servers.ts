import type { ModelConfig } from '../../src/adapters/models/index.ts'
import { eventStream } from './hosted-wires.ts'
import { raw, startModelServer, type ModelServer, type RecordedRequest, type Script } from './model-server.ts'
import { end, jsonLines, part } from './ollama-wire.ts'

/** What a server reported for one request. */
export interface Report {
  readonly input: number
  readonly cached: number
  readonly output: number
}

/** What a server does in one request: says a word, or calls `echo`. */
type Answer = (isCall: boolean, report: Report) => Script

const CALL = { name: 'echo', arguments: { q: 'x' } }

/** Ollama's own API, which tells of no cache. */
const ollama: Answer = (isCall, { input, output }) =>
  jsonLines(part(isCall ? { tool_calls: [{ function: CALL }] } : { content: 'yes' }), end(input, output))

/** The chat-completions stream; the cached tokens are a part of the prompt's. */
const chat: Answer = (isCall, { input, cached, output }) => {
  const call = { index: 0, id: 'c', function: { name: CALL.name, arguments: JSON.stringify(CALL.arguments) } }
  const delta = isCall ? { tool_calls: [call] } : { content: 'yes' }
  const base = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' }
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  }
  const chunks = [
    { ...base, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...base, choices: [{ index: 0, delta: {}, finish_reason: isCall ? 'tool_calls' : 'stop' }] },
    { ...base, choices: [], usage },
  ]
  return raw(chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('') + 'data: [DONE]\n\n')
}

/** Anthropic's messages stream; the cached tokens are told besides the others. */
const anthropic: Answer = (isCall, { input, cached, output }) => {
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm-1', content: [] }
  const usage = { input_tokens: input - cached, cache_read_input_tokens: cached, output_tokens: 1 }
  const block = isCall
    ? { type: 'tool_use', id: 'c', name: CALL.name, input: {} }
    : { type: 'text', text: '' }
  const delta = isCall
    ? { type: 'input_json_delta', partial_json: JSON.stringify(CALL.arguments) }
    : { type: 'text_delta', text: 'yes' }
  return eventStream(
    { type: 'message_start', message: { ...message, usage } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: isCall ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: output },
    },
    { type: 'message_stop' },
  )
}

const ANSWERS = { ollama, 'openai-compatible': chat, anthropic } as const satisfies Partial<
  Record<ModelConfig['backend'], Answer>
>

/**
 * A local server that speaks a provider's wire format. It calls `echo` at the first request of a message that says so,
 * and tells `reported` what it reported, with the request.
 */
export async function startBilledServer(
  backend: keyof typeof ANSWERS,
  report: () => Report,
  reported: (request: string, report: Report) => void,
): Promise<ModelServer> {
  const server = await startModelServer()
  server.always(async (response, request: RecordedRequest) => {
    if (/\/(models|props|show)$/.test(request.path)) return void response.writeHead(404).end('{}')
    const body = JSON.stringify(request.body)
    const hasResult = /"role":"tool"|"type":"tool_result"/.test(body)
    const now = report()
    reported(body, now)
    await ANSWERS[backend](body.includes('with a call') && !hasResult, now)(response, request)
  })
  return server
}
