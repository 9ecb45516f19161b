import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  SharedV3ProviderMetadata,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider'
import type { JsonObject, JsonSchema } from '../../lib/json.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import type {
  FinishReason,
  LanguageModel,
  ModelEvent,
  ModelFacts,
  ModelRequest,
  RequestMessage,
  Thought,
} from '../../turns/ports.ts'
import type { ToolCall } from '../../toolbox/tool-call.ts'
import { cutOff, openAnswer, usageOf, type Answer, type Dialect } from './answer.ts'
import { toModelError } from './errors.ts'
import { modelFetch } from './fetch.ts'
import type { ModelAccess, ModelLimits } from './provider.ts'
import { fetchWithout, type SentRequest } from './refused-parts.ts'
import { sdkPrompt } from './sdk-prompt.ts'
import { withSettings, type BodySettings } from './settings.ts'

/** What differs between the providers that the AI SDK reaches. */
interface SdkProvider {
  /** The base of its API. Throws as `Provider.create`. */
  readonly endpointOf: (access: ModelAccess) => string
  readonly load: (options: SdkOptions, access: ModelAccess) => Promise<LanguageModelV3>
  readonly dialect: (access: ModelAccess) => Dialect
  readonly settings: BodySettings
  /** What an admin should look at if nothing answers at the endpoint. */
  readonly advice?: string
  /** Marks the end of what stays the same from turn to turn, for the provider's cache. */
  readonly cacheMark?: SharedV3ProviderOptions
  /** The schema of a tool as the SDK takes it, if it does not take all. */
  readonly schema?: (schema: JsonSchema) => JsonSchema
  readonly inquire?: (access: ModelAccess, signal: AbortSignal) => Promise<ModelFacts>
}

/** What an SDK is made with. `apiKey` is empty if there is none. */
export interface SdkOptions {
  readonly baseURL: string
  readonly apiKey: string
  readonly fetch: typeof fetch
}

/**
 * Models of the AI SDK as ours. `load` imports it at the first request: it takes longer to load than the rest of
 * the server. `doStream` sends what it is given, runs no tool and does not try again, unlike `streamText`.
 */
export const sdkModel =
  (provider: SdkProvider) =>
  (access: ModelAccess, limits: ModelLimits): LanguageModel => {
    const { endpointOf, load, dialect, settings, advice = 'is the network up?', inquire } = provider
    const baseURL = endpointOf(access)
    const target = { access, endpoint: baseURL, advice }
    const send = modelFetch(access, limits)
    // The SDK hands the signal of a request on to `fetch`, which finds the answer of the request by it.
    const fetches = new WeakMap<AbortSignal, typeof fetch>()
    const fetchIt: typeof fetch = async (input, init) => {
      const own = init?.signal && fetches.get(init.signal)
      if (!own) throw new Error('the SDK asked without the signal of its request')
      return await own(input, init)
    }
    // Without a key, even an empty one, the libraries would look in the environment.
    const options = { baseURL, apiKey: access.apiKey ?? '', fetch: fetchIt }
    let loading: Promise<LanguageModelV3> | undefined
    return {
      async *stream(request, caller) {
        const ending = new AbortController()
        const signal = AbortSignal.any([caller, ending.signal])
        const sent: SentRequest = {}
        const sendWithoutRefused = fetchWithout(send, sent, request.withoutFields)
        const answer = openAnswer(dialect(access), (input, init) =>
          sendWithoutRefused(input, withSettings(init, access, settings(access, request.maxOutput))),
        )
        fetches.set(signal, answer.fetch)
        try {
          const model = await (loading ??= load(options, access))
          const { stream } = await model.doStream(callOptions(request, signal, access, provider))
          yield* events(stream, answer)
        } catch (error) {
          caller.throwIfAborted()
          throw toModelError(answer.failure ?? error, target, answer.begun, sent)
        } finally {
          ending.abort()
        }
      },
      ...(inquire && !access.endpointIsWhole ? { inquire: (signal) => inquire(access, signal) } : {}),
    }
  }

const callOptions = (
  request: ModelRequest<RequestMessage>,
  abortSignal: AbortSignal,
  { api }: ModelAccess,
  provider: Pick<SdkProvider, 'cacheMark' | 'schema'>,
): LanguageModelV3CallOptions => ({
  prompt: sdkPrompt(request, provider.cacheMark),
  maxOutputTokens: request.maxOutput,
  abortSignal,
  ...(request.tools.length > 0 ? { tools: functionTools(request.tools, api, provider) } : {}),
  // The Responses API keeps all it is sent for 30 days unless told otherwise.
  ...(api === 'responses' ? { providerOptions: { openai: { store: false } } } : {}),
})

const functionTools = (
  tools: ModelRequest['tools'],
  api: ModelAccess['api'],
  { cacheMark, schema = (same) => same }: Pick<SdkProvider, 'cacheMark' | 'schema'>,
) =>
  tools.map((tool, index) => ({
    type: 'function' as const,
    // The Responses API would change a schema into a strict one, whose parameters are all required.
    ...(api === 'responses' ? { strict: false } : {}),
    name: tool.name,
    description: tool.description,
    inputSchema: schema(tool.parameters) as object,
    ...(cacheMark && index === tools.length - 1 ? { providerOptions: cacheMark } : {}),
  }))

/** Calls come at the end: a stream that is cut leaves half a call. */
async function* events(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  answer: Answer,
): AsyncGenerator<ModelEvent> {
  const calls: ToolCall[] = []
  const thoughts = createThoughts()
  let reported: typeof answer.usage
  for await (const part of stream) {
    if (answer.usage && answer.usage !== reported)
      yield { type: 'reported', usage: (reported = answer.usage) }
    if (part.type === 'error') throw part.error
    if (part.type === 'text-delta' && part.delta !== '') yield { type: 'text', text: part.delta }
    if (part.type === 'reasoning-delta' && part.delta !== '') yield { type: 'thinking', text: part.delta }
    if (part.type === 'tool-call') calls.push(toolCall(part))
    thoughts.take(part)
    // The SDK's end is none if the answer broke off or gave no reason for its end, which it calls "other".
    if (part.type === 'finish' && !answer.failure && isEnd(part.finishReason)) {
      for (const thought of thoughts.all()) yield { type: 'thought', thought }
      for (const call of calls) yield { type: 'call', call }
      yield { type: 'finish', ...endOf(part.finishReason, calls), ...usageOf(answer.usage) }
      return
    }
  }
  throw cutOff()
}

/** The Responses API gives no word for an ordinary end. */
const isEnd = ({ unified, raw }: LanguageModelV3FinishReason): boolean =>
  raw !== undefined || unified === 'stop' || unified === 'tool-calls'

const toolCall = (part: Extract<LanguageModelV3StreamPart, { type: 'tool-call' }>): ToolCall => ({
  id: part.toolCallId,
  name: part.toolName,
  arguments: part.input,
  ...keptData(part.providerMetadata),
})

/** The SDK reports it as `length` (platform.claude.com/docs/en/api/handling-stop-reasons). */
const WINDOW_FULL = 'model_context_window_exceeded'

function endOf({ unified, raw = '' }: LanguageModelV3FinishReason, calls: readonly ToolCall[]): FinishReason {
  if (raw === WINDOW_FULL) return { reason: 'window' }
  // Some servers say "stop" also after calls.
  if (unified === 'tool-calls' || (unified === 'stop' && calls.length > 0)) return { reason: 'calls' }
  if (unified === 'stop' || unified === 'length') return { reason: unified }
  const reason = unified === 'content-filter' || unified === 'error' ? 'refused' : 'other'
  return { reason, word: cleanLine(raw) }
}

const keptData = (metadata: SharedV3ProviderMetadata | undefined): { providerData?: JsonObject } =>
  metadata ? { providerData: metadata as JsonObject } : {}

/**
 * The signature of a thought may come with any of its parts
 * (platform.claude.com/docs/en/build-with-claude/extended-thinking).
 */
function createThoughts() {
  const thoughts = new Map<string, { text: string; metadata: SharedV3ProviderMetadata | undefined }>()
  return {
    take(part: LanguageModelV3StreamPart): void {
      if (part.type !== 'reasoning-start' && part.type !== 'reasoning-delta' && part.type !== 'reasoning-end')
        return
      const before = thoughts.get(part.id)
      const text = (before?.text ?? '') + (part.type === 'reasoning-delta' ? part.delta : '')
      thoughts.set(part.id, { text, metadata: part.providerMetadata ?? before?.metadata })
    },
    all: (): readonly Thought[] =>
      [...thoughts.values()]
        .filter(({ text, metadata }) => text !== '' || metadata)
        .map(({ text, metadata }) => ({ text, ...keptData(metadata) })),
  }
}
