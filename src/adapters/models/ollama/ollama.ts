/**
 * Ollama by its own API: the adapter, and what goes over the wire (wire.ts). It knows one server that somebody runs, and
 * nothing of other providers.
 */
import { APICallError, InvalidResponseDataError, JSONParseError } from '@ai-sdk/provider'
import type { ToolCall } from '../../../toolbox/tool-call.ts'
import { cleanLine } from '../../../lib/text/clean-text.ts'
import type { FinishReason, LanguageModel, ModelEvent } from '../../../turns/ports.ts'
import { CAREFUL_FRAMING } from '../../../prompt/model-settings.ts'
import { endpoint } from '../endpoint.ts'
import { modelError, StreamError } from '../errors/errors.ts'
import { guardedFetch } from '../guarded-fetch.ts'
import { bearer, inquire } from '../inquire.ts'
import { linesOf } from '../lines.ts'
import { chatBody, chatLineSchema, shownFacts, shownSchema, type ChatLine } from './wire.ts'
import type { ModelAccess, ModelLimits, Provider } from '../provider.ts'
import { usageOf } from '../usage.ts'

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
  const upstream = { access, endpoint: base, advice: 'is ollama running?' }
  return {
    async *stream(request, signal) {
      const ending = new AbortController()
      let begun = false
      try {
        const url = `${base}/api/chat`
        const body = JSON.stringify(chatBody(request, access))
        const init = {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...bearer(access) },
          body,
        }
        const ends = AbortSignal.any([signal, ending.signal])
        const answer = await bodyOf(url, await guardedFetch(limits)(url, { ...init, signal: ends }))
        begun = true
        yield* events(answer)
      } catch (error) {
        signal.throwIfAborted()
        throw modelError(error, upstream, begun)
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
async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<ModelEvent> {
  const calls: ToolCall[] = []
  let thinking = ''
  for await (const text of linesOf(body)) {
    if (text.trim() === '') continue
    const line = lineIn(text)
    if (line.error !== undefined) throw new StreamError(line.error)
    const { message } = line
    if (message?.thinking) {
      thinking += message.thinking
      yield { type: 'thinking', text: message.thinking }
    }
    if (message?.content) yield { type: 'text', text: message.content }
    calls.push(...(message?.tool_calls ?? []).map((call, index) => toolCall(call, calls.length + index)))
    if (!line.done) continue
    if (thinking !== '') yield { type: 'thought', thought: { text: thinking } }
    for (const call of calls) yield { type: 'call', call }
    yield { type: 'finish', ...endOf(line, calls), ...usageIn(line) }
    return
  }
  throw new InvalidResponseDataError({ data: undefined, message: 'the stream ended without an end' })
}

function lineIn(text: string): ChatLine {
  try {
    return chatLineSchema.parse(JSON.parse(text))
  } catch (cause) {
    throw new JSONParseError({ text: text.slice(0, 500), cause })
  }
}

type WireCall = NonNullable<NonNullable<ChatLine['message']>['tool_calls']>[number]

const toolCall = ({ id, function: { name, arguments: args } }: WireCall, number: number): ToolCall => ({
  id: id ?? `call_${number}`,
  name,
  arguments: JSON.stringify(args),
})

/** `load` and `unload` come where it did nothing with the prompt (github.com/ollama/ollama, docs/api.md). */
function endOf({ done_reason: word }: ChatLine, calls: readonly ToolCall[]): FinishReason {
  if (calls.length > 0) return { reason: 'calls' }
  if (word === undefined || word === 'stop') return { reason: 'stop' }
  return word === 'length' ? { reason: 'length' } : { reason: 'other', word: cleanLine(word) }
}

const usageIn = ({ prompt_eval_count: input, eval_count: output }: ChatLine): ReturnType<typeof usageOf> =>
  usageOf({ input, output })
