/**
 * Ollama by its own API: the adapter, and what goes over the wire (wire.ts). It knows one server that somebody runs, and
 * nothing of other providers.
 */
import { APICallError } from '@ai-sdk/provider'
import type { ToolCall } from '../../../toolbox/tool-call.ts'
import { cleanLine } from '../../../lib/text/clean-text.ts'
import type { FinishReason, LanguageModel, ModelEvent } from '../../../turns/ports.ts'
import { CAREFUL_FRAMING } from '../../../prompt/model-settings.ts'
import { cutOff, readAnswer, reportOf, usageOf, type Answer, type Dialect } from '../answer.ts'
import { endpoint } from '../endpoint.ts'
import { toModelError } from '../errors.ts'
import { guardedFetch } from '../guarded-fetch.ts'
import { bearer, inquire } from '../inquire.ts'
import { chatBody, shownFacts, shownSchema } from './wire.ts'
import { countIn, jsonTextIn, listIn, objectIn, textIn, type Fields } from '../loose.ts'
import type { ModelAccess, ModelLimits, Provider } from '../provider.ts'

/** Where Ollama listens unless told otherwise (https://docs.ollama.com/faq). */
export const OLLAMA_ENDPOINT = 'http://localhost:11434'

/** Ollama, by its own API: only there can a client say how large the window is to be. */
export const ollama: Provider = {
  create: ollamaModel,
  framing: CAREFUL_FRAMING,
  required: ['model'],
}

function ollamaModel(access: ModelAccess, limits: ModelLimits): LanguageModel {
  const base = endpoint(access, OLLAMA_ENDPOINT).replace(/\/v1$/, '')
  const target = { access, endpoint: base, advice: 'is ollama running?' }
  return {
    async *stream(request, signal) {
      const ending = new AbortController()
      const answer: Answer = { begun: false }
      try {
        const url = `${base}/api/chat`
        const body = JSON.stringify(chatBody(request, access))
        const init = {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...bearer(access) },
          body,
        }
        const ends = AbortSignal.any([signal, ending.signal])
        const chunks = await bodyOf(url, await guardedFetch(limits)(url, { ...init, signal: ends }))
        answer.begun = true
        yield* events(chunks, answer)
      } catch (error) {
        signal.throwIfAborted()
        throw toModelError(error, target, answer.begun)
      } finally {
        ending.abort()
      }
    },
    inquire: async (signal) =>
      shownFacts(
        await inquire(
          { url: `${base}/api/show`, body: { model: access.model }, schema: shownSchema },
          access,
          signal,
        ),
      ),
  }
}

/** The body of an answer; an answer that is an error is thrown. */
async function bodyOf(url: string, response: Response): Promise<ReadableStream<Uint8Array>> {
  if (response.ok && response.body) return response.body
  const responseBody = await response.text()
  throw new APICallError({
    message: response.statusText,
    url,
    requestBodyValues: {},
    statusCode: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody,
  })
}

/** Calls are given out at the end, when the answer is known to be whole. */
async function* events(body: ReadableStream<Uint8Array>, answer: Answer): AsyncGenerator<ModelEvent> {
  const calls: ToolCall[] = []
  let thought = ''
  for await (const { text, thinking, toolCalls, isDone, reason } of readAnswer(body, ollamaDialect, answer)) {
    if (thinking) {
      thought += thinking
      yield { type: 'thinking', text: thinking }
    }
    if (text) yield { type: 'text', text }
    for (const call of toolCalls) calls.push(toolCall(objectIn(call), calls.length))
    if (!isDone) continue
    if (thought !== '') yield { type: 'thought', thought: { text: thought } }
    for (const call of calls) yield { type: 'call', call }
    yield { type: 'finish', ...endOf(reason, calls), ...usageOf(answer.usage) }
    return
  }
  throw cutOff()
}

/** One line of the stream of `POST /api/chat` (docs.ollama.com/api/chat). */
interface ChatLine {
  readonly text: string
  readonly thinking: string
  readonly toolCalls: readonly unknown[]
  readonly isDone: boolean
  readonly reason: string
}

const ollamaDialect: Dialect<ChatLine> = {
  read(event) {
    const isDone = event['done'] === true
    if (!event['message'] && !isDone) return undefined
    const message = objectIn(event['message'])
    return {
      text: textIn(message['content']) ?? '',
      thinking: textIn(message['thinking']) ?? '',
      toolCalls: listIn(message['tool_calls']),
      isDone,
      reason: textIn(event['done_reason']) || 'stop',
    }
  },
  usage: ({ prompt_eval_count: input, eval_count: output }) =>
    input === undefined && output === undefined
      ? undefined
      : reportOf({ input: countIn(input), cached: undefined, output: countIn(output) }),
}

function toolCall(call: Fields, place: number): ToolCall {
  const { name, arguments: args } = objectIn(call['function'])
  return {
    id: textIn(call['id']) || `call_${place}`,
    name: textIn(name) ?? '',
    arguments: jsonTextIn(args) ?? '{}',
  }
}

/** `load` and `unload` come where it did nothing with the prompt (github.com/ollama/ollama, docs/api.md). */
function endOf(word: string, calls: readonly ToolCall[]): FinishReason {
  if (calls.length > 0) return { reason: 'calls' }
  if (word === 'stop' || word === 'length') return { reason: word }
  return { reason: 'other', word: cleanLine(word) }
}
