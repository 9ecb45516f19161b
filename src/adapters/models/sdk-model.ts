import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  SharedV3ProviderMetadata,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider'
import type { JsonObject } from '../../lib/json.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import type {
  FinishReason,
  LanguageModel,
  ModelEvent,
  ModelRequest,
  RequestMessage,
  Thought,
} from '../../turns/ports.ts'
import type { ToolCall } from '../../toolbox/tool-call.ts'
import { cutOff, openAnswer, usageOf, type Answer, type Dialect } from './answer.ts'
import { toModelError } from './errors.ts'
import type { Target } from './errors.ts'
import type { ModelAccess, ModelLimits, Provider } from './provider.ts'
import { sdkPrompt } from './sdk-prompt.ts'

/**
 * One of the AI SDK's provider models as ours. `load` makes it at the first request: the SDK of a provider takes
 * longer to load than the rest of the server. Its low-level `doStream` is used rather than `streamText`:
 * it sends what it is given and nothing else, runs no tool, and does not try again by itself.
 * Calls are given out at the end, when the answer is known to be whole: a cut stream leaves half a call.
 */
export function createSdkModel(
  load: (fetchIt: typeof fetch) => Promise<LanguageModelV3>,
  target: Target,
  { dialect, limits, cacheMark, inquire }: SdkOptions,
): LanguageModel {
  // The SDK hands the signal of a request on to `fetch`, which finds the answer of the request by it.
  const fetches = new WeakMap<AbortSignal, typeof fetch>()
  const fetchIt: typeof fetch = async (input, init) => {
    const own = init?.signal && fetches.get(init.signal)
    if (!own) throw new Error('the SDK asked without the signal of its request')
    return await own(input, init)
  }
  let loading: Promise<LanguageModelV3> | undefined

  return {
    async *stream(request, caller) {
      const ending = new AbortController()
      const signal = AbortSignal.any([caller, ending.signal])
      const answer = openAnswer(dialect(), limits)
      fetches.set(signal, answer.fetch)
      try {
        const model = await (loading ??= load(fetchIt))
        const { stream } = await model.doStream(callOptions(request, signal, cacheMark))
        yield* events(stream, answer)
      } catch (error) {
        caller.throwIfAborted()
        throw toModelError(answer.failure ?? error, target, answer.begun)
      } finally {
        ending.abort()
      }
    },
    ...(inquire ? { inquire } : {}),
  }
}

/** What differs between the SDKs. */
interface SdkOptions {
  /** Reads the provider's answers. */
  readonly dialect: () => Dialect
  readonly limits: ModelLimits
  /** Marks the end of what stays the same from turn to turn, the tools and the system text, for the provider's cache. */
  readonly cacheMark?: SharedV3ProviderOptions
  readonly inquire?: LanguageModel['inquire']
}

const callOptions = (
  request: ModelRequest<RequestMessage>,
  abortSignal: AbortSignal,
  cacheMark: SharedV3ProviderOptions | undefined,
): LanguageModelV3CallOptions => ({
  prompt: sdkPrompt(request, cacheMark),
  maxOutputTokens: request.maxOutput,
  abortSignal,
  ...(request.tools.length > 0 ? { tools: functionTools(request.tools, cacheMark) } : {}),
})

const functionTools = (tools: ModelRequest['tools'], cacheMark: SharedV3ProviderOptions | undefined) =>
  tools.map((tool, index) => ({
    type: 'function' as const,
    name: tool.name,
    description: tool.description,
    inputSchema: tool.parameters as object,
    ...(cacheMark && index === tools.length - 1 ? { providerOptions: cacheMark } : {}),
  }))

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
    // The SDK's end is no real one if the answer broke off, or gave no reason for its end.
    if (part.type === 'finish' && !answer.failure && part.finishReason.raw !== undefined) {
      for (const thought of thoughts.all()) yield { type: 'thought', thought }
      for (const call of calls) yield { type: 'call', call }
      yield { type: 'finish', ...endOf(part.finishReason, calls), ...usageOf(answer.usage) }
      return
    }
  }
  throw cutOff()
}

const toolCall = (part: Extract<LanguageModelV3StreamPart, { type: 'tool-call' }>): ToolCall => ({
  id: part.toolCallId,
  name: part.toolName,
  arguments: part.input,
  ...keptData(part.providerMetadata),
})

/** Anthropic's word, which its SDK gives out as a cut at max_tokens (platform.claude.com/docs/en/api/handling-stop-reasons). */
const WINDOW_FULL = 'model_context_window_exceeded'

function endOf({ unified, raw = '' }: LanguageModelV3FinishReason, calls: readonly ToolCall[]): FinishReason {
  if (raw === WINDOW_FULL) return { reason: 'window' }
  // Some servers say "stop" also after calls.
  if (unified === 'tool-calls' || (unified === 'stop' && calls.length > 0)) return { reason: 'calls' }
  if (unified === 'stop' || unified === 'length') return { reason: unified }
  const reason = unified === 'content-filter' || unified === 'error' ? 'refused' : 'other'
  return { reason, word: cleanLine(raw) }
}

/** What the provider wants back with a call or a thought. */
const keptData = (metadata: SharedV3ProviderMetadata | undefined): { providerData?: JsonObject } =>
  metadata ? { providerData: metadata as JsonObject } : {}

/**
 * The signature of a thought may come with any of its parts: Anthropic sends it last, with an empty piece, and sends a
 * thought that it hides with the first part alone (platform.claude.com/docs/en/build-with-claude/extended-thinking).
 */
function createThoughts() {
  const thoughts = new Map<string, { text: string; metadata: SharedV3ProviderMetadata | undefined }>()
  return {
    /** Takes a part; one that is not about a thought changes nothing. */
    take(part: LanguageModelV3StreamPart): void {
      if (part.type !== 'reasoning-start' && part.type !== 'reasoning-delta' && part.type !== 'reasoning-end')
        return
      const before = thoughts.get(part.id)
      const text = (before?.text ?? '') + (part.type === 'reasoning-delta' ? part.delta : '')
      thoughts.set(part.id, { text, metadata: part.providerMetadata ?? before?.metadata })
    },
    /** All so far, in order. */
    all: (): readonly Thought[] =>
      [...thoughts.values()]
        .filter(({ text, metadata }) => text !== '' || metadata)
        .map(({ text, metadata }) => ({ text, ...keptData(metadata) })),
  }
}

/** What the SDKs of such providers are made with. */
interface HostedOptions {
  readonly baseURL: string
  readonly apiKey: string
  readonly fetch: typeof fetch
}

/** The adapter for a provider on the internet. `load` makes the SDK's model; see `createSdkModel`. */
export const hosted =
  (
    endpointOf: (access: ModelAccess) => string,
    load: (options: HostedOptions, model: string) => Promise<LanguageModelV3>,
    sdkOptions: Omit<SdkOptions, 'limits'>,
  ): Provider['create'] =>
  (access, limits) => {
    const baseURL = endpointOf(access)
    // Without a key, even an empty one, the libraries would look in the environment.
    const options = { baseURL, apiKey: access.apiKey ?? '' }
    const target = { access, endpoint: baseURL, advice: 'is the network up?' }
    return createSdkModel((fetchIt) => load({ ...options, fetch: fetchIt }, access.model), target, {
      ...sdkOptions,
      limits,
    })
  }
