import { APICallError } from '@ai-sdk/provider'
import type { ToolCall } from '../../toolbox/tool-call.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import type {
  FinishReason,
  LanguageModel,
  ModelEvent,
  ModelFacts,
  ModelRequest,
  RequestMessage,
} from '../../turns/ports.ts'
import { CAREFUL_FRAMING } from '../../prompt/model-settings.ts'
import { addCall, cutOff, readAnswer, reportOf, usageOf, type Answer, type Dialect } from './answer.ts'
import { toModelError } from './errors.ts'
import { authorizationHeader, modelFetch, queryServer } from './fetch.ts'
import {
  argumentsIn,
  countIn,
  isSaid,
  listIn,
  objectIn,
  parsedIn,
  textIn,
  wordsIn,
  type Fields,
} from './loose.ts'
import { endpoint, REQUEST_KEYS, type ModelAccess, type ModelLimits, type Provider } from './provider.ts'
import { fetchWithout, type SentRequest } from './refused-parts.ts'
import { systemAndUser } from '../../prompt/prompt.ts'
import { argumentsAsObject } from './sdk-prompt.ts'
import { merge } from './settings.ts'

/** docs.ollama.com/faq */
export const OLLAMA_ENDPOINT = 'http://localhost:11434'

export const ollama: Provider = {
  create: ollamaModel,
  framing: CAREFUL_FRAMING,
  required: ['model'],
  takes: [...REQUEST_KEYS, 'seed', 'think', 'options', 'keep_alive'],
}

function ollamaModel(access: ModelAccess, limits: ModelLimits): LanguageModel {
  const base = endpoint(access, OLLAMA_ENDPOINT).replace(/\/(?:v1|api(?:\/chat)?)$/, '')
  const send = modelFetch(access, limits)
  const target = { access, endpoint: base, advice: 'is ollama running?' }
  return {
    async *stream(request, signal) {
      const ending = new AbortController()
      const answer: Answer = { begun: false }
      const sent: SentRequest = {}
      const sendWithoutRefused = fetchWithout(send, sent, request.withoutFields)
      try {
        const url = `${base}/api/chat`
        const body = JSON.stringify(chatBody(request, access))
        const init = {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...authorizationHeader(access) },
          body,
        }
        const ends = AbortSignal.any([signal, ending.signal])
        const chunks = await bodyOf(url, await sendWithoutRefused(url, { ...init, signal: ends }))
        answer.begun = true
        yield* events(chunks, answer)
      } catch (error) {
        signal.throwIfAborted()
        throw toModelError(error, target, answer.begun, sent)
      } finally {
        ending.abort()
      }
    },
    ...(access.endpointIsWhole
      ? {}
      : {
          inquire: async (signal: AbortSignal) =>
            factsIn(await queryServer(`${base}/api/show`, access, signal, { model: access.model })),
        }),
  }
}

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

async function* events(body: ReadableStream<Uint8Array>, answer: Answer): AsyncGenerator<ModelEvent> {
  const calls: ToolCall[] = []
  let thought = ''
  for await (const { text, thinking, toolCalls, isDone, reason } of readAnswer(body, ollamaDialect, answer)) {
    if (thinking) {
      thought += thinking
      yield { type: 'thinking', text: thinking }
    }
    if (text) yield { type: 'text', text }
    for (const call of toolCalls) addCall(calls, toolCall(call, calls.length))
    if (!isDone) continue
    if (thought !== '') yield { type: 'thought', thought: { text: thought } }
    for (const call of calls) yield { type: 'call', call }
    yield { type: 'finish', ...endOf(reason, calls), ...usageOf(answer.usage) }
    return
  }
  throw cutOff()
}

/** docs.ollama.com/api/chat */
interface ChatLine {
  readonly text: string
  readonly thinking: string
  readonly toolCalls: readonly Fields[]
  readonly isDone: boolean
  readonly reason: string
}

const ollamaDialect: Dialect<ChatLine> = {
  field: 'message',
  read(event) {
    const { message, done } = event
    const isDone = done === true || done === 1 || done === 'true'
    const fields = objectIn(message)
    const text = wordsIn(fields['content'])
    const thinking = wordsIn(fields['thinking'])
    const toolCalls = listIn(fields['tool_calls']).map(objectIn).filter(isSaid)
    if (!text && !thinking && toolCalls.length === 0 && !isDone) return []
    return [{ text, thinking, toolCalls, isDone, reason: textIn(event['done_reason']) || 'stop' }]
  },
  end: (isWhole) =>
    isWhole ? [{ text: '', thinking: '', toolCalls: [], isDone: true, reason: 'stop' }] : [],
  usage: ({ prompt_eval_count: input, eval_count: output }) =>
    input === undefined && output === undefined
      ? undefined
      : reportOf({ input: countIn(input), cached: undefined, output: countIn(output) }),
}

function toolCall(call: Fields, place: number): ToolCall {
  const { name, arguments: args } = parsedIn(call['function'] ?? call)
  return {
    id: textIn(call['id']) || `call_${place}`,
    name: textIn(name) ?? '',
    arguments: argumentsIn(args) ?? '{}',
  }
}

/** `load` and `unload` say that it did nothing with the prompt (github.com/ollama/ollama, docs/api.md). */
function endOf(word: string, calls: readonly ToolCall[]): FinishReason {
  if (calls.length > 0) return { reason: 'calls' }
  if (word === 'stop' || word === 'length') return { reason: word }
  return { reason: 'other', word: cleanLine(word) }
}

/**
 * Without `num_ctx` the server takes a window of its own, often 4,096 tokens
 * (docs.ollama.com/context-length), and cuts longer prompts silently; newer versions obey `truncate` and
 * `shift` (api/types.go at v0.33.2). A `num_ctx` that changes makes it load the model again, so it is always
 * the whole window.
 */
export function chatBody(request: ModelRequest<RequestMessage>, access: ModelAccess): object {
  const { prompt, messages, tools, maxOutput, contextWindow, withoutSystemRole = false } = request
  const { system, user } = systemAndUser(prompt, withoutSystemRole)
  const { temperature, topP, seed, stop, options = {}, extraBody = {} } = access
  const settings = { temperature, top_p: topP, seed, stop, num_ctx: contextWindow, num_predict: maxOutput }
  const body = {
    model: access.model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: user },
      ...messages.map(messageOf),
    ],
    ...(tools.length > 0 ? { tools: tools.map(functionOf) } : {}),
    stream: true,
    truncate: false,
    shift: false,
    options: merge(settings, options),
    think: thinkOf(access),
    keep_alive: access.keepAlive,
  }
  return merge(body, extraBody)
}

/** Only gpt-oss knows degrees; some versions refuse them for others (server/routes.go). */
const thinkOf = ({
  model,
  effort,
  think = effort && (/gpt-?oss/i.test(model) ? effort : true),
}: ModelAccess) => think

const functionOf = ({ name, description, parameters }: ModelRequest['tools'][number]): object => ({
  type: 'function',
  function: { name, description, parameters },
})

function messageOf(step: RequestMessage): object {
  switch (step.role) {
    case 'user':
      return { role: 'user', content: step.text }
    case 'tool':
      return { role: 'tool', tool_name: step.name, content: step.content }
    case 'assistant': {
      const thinking = (step.thoughts ?? []).map(({ text }) => text).join('')
      const calls = step.calls.map(({ name, arguments: args }) => ({
        function: { name, arguments: argumentsAsObject(args) },
      }))
      return {
        role: 'assistant',
        content: step.text,
        ...(thinking === '' ? {} : { thinking }),
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      }
    }
  }
}

/** docs.ollama.com/api-reference/show-model-details; older versions tell no capabilities. */
function factsIn(shown: Fields): ModelFacts {
  const info = objectIn(shown['model_info'])
  const window = countIn(info[`${textIn(info['general.architecture'])}.context_length`])
  const template = textIn(shown['template']) ?? ''
  const modelfile = textIn(shown['modelfile']) ?? ''
  return {
    ...(window ? { window } : {}),
    ...(shown['capabilities'] ? { tools: listIn(shown['capabilities']).includes('tools') } : {}),
    ...(dropsSystem(template, modelfile) ? { systemRole: false } : {}),
  }
}

/** A template without a place for a system message drops it silently, unless a renderer does its work. */
const dropsSystem = (template: string, modelfile: string): boolean =>
  template !== '' && !/system|\.Messages/i.test(template) && !/^RENDERER /m.test(modelfile)
