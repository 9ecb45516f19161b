import type { ModelConfig } from '../../src/models/providers.ts'
import { anthropicAnswer } from './hosted-wires.ts'
import {
  answer,
  startModelServer,
  type ModelServer,
  type RecordedRequest,
  type Script,
} from './model-server.ts'
import { end, jsonLines, part } from './ollama-wire.ts'

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
  const call = { index: 0, id: 'c', name: CALL.name, arguments: JSON.stringify(CALL.arguments) }
  return answer([isCall ? { call } : { text: 'yes' }], { usage: [input, output, cached] })
}

/** Anthropic's messages stream; the cached tokens are told besides the others. */
const anthropic: Answer = (isCall, { input, cached, output }) => {
  const usage = { input_tokens: input - cached, cache_read_input_tokens: cached }
  return isCall
    ? anthropicAnswer(
        { type: 'tool_use', id: 'c', name: CALL.name, input: {} },
        { type: 'input_json_delta', partial_json: JSON.stringify(CALL.arguments) },
        ...(['tool_use', usage, output] as const),
      )
    : anthropicAnswer(
        { type: 'text', text: '' },
        { type: 'text_delta', text: 'yes' },
        ...(['end_turn', usage, output] as const),
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
