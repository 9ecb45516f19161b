import {
  InvalidResponseDataError,
  type LanguageModelV3,
  type LanguageModelV3CallOptions,
  type LanguageModelV3FinishReason,
  type LanguageModelV3StreamPart,
  type LanguageModelV3Usage,
  type SharedV3ProviderOptions,
} from '@ai-sdk/provider'
import type { Usage } from '../../chat/entry.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import type {
  FinishReason,
  LanguageModel,
  ModelEvent,
  ModelRequest,
  RequestMessage,
} from '../../turns/ports.ts'
import type { ToolCall } from '../../toolbox/tool-call.ts'
import { modelError } from './errors/errors.ts'
import type { Upstream } from './errors/upstream.ts'
import { keptData } from './provider-data.ts'
import { sdkPrompt } from './sdk-prompt.ts'
import { createThoughts } from './thoughts.ts'
import { usageOf, type ReportIn } from './usage.ts'

/**
 * One of the AI SDK's provider models as ours. `load` makes it when it is first asked: the SDK of a provider takes longer
 * to load than the rest of the server. Its low-level `doStream` is used rather than `streamText`:
 * it sends what it is given and nothing else, runs no tool, and does not try again by itself.
 * Calls are given out at the end, when the answer is known to be whole: a cut stream leaves half a call.
 */
export function sdkModel(
  load: () => Promise<LanguageModelV3>,
  upstream: Upstream,
  { cacheMark, reportIn, inquire }: SdkOptions,
): LanguageModel {
  let loaded: Promise<LanguageModelV3> | undefined
  return {
    async *stream(request, signal) {
      const ending = new AbortController()
      let begun = false
      try {
        const model = await (loaded ??= load())
        const { stream } = await model.doStream(
          callOptions(request, AbortSignal.any([signal, ending.signal]), cacheMark),
        )
        begun = true
        yield* events(stream, reportIn)
      } catch (error) {
        signal.throwIfAborted()
        throw modelError(error, upstream, begun)
      } finally {
        ending.abort()
      }
    },
    ...(inquire ? { inquire } : {}),
  }
}

/** What some providers do beyond answering. */
export interface SdkOptions {
  /** Marks the end of what stays the same from turn to turn, the tools and the system text, for the provider's cache. */
  readonly cacheMark?: SharedV3ProviderOptions
  /** Reads what the provider reports before the end: it is all that is known where an answer breaks off. */
  readonly reportIn: ReportIn
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
  includeRawChunks: true,
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
  reportIn: ReportIn,
): AsyncGenerator<ModelEvent> {
  const calls: ToolCall[] = []
  const thoughts = createThoughts()
  for await (const part of stream) {
    if (part.type === 'error') throw part.error
    const usage = part.type === 'raw' ? reportIn(part.rawValue) : undefined
    if (usage) yield { type: 'reported', usage }
    if (part.type === 'text-delta') yield { type: 'text', text: part.delta }
    if (part.type === 'reasoning-delta' && part.delta !== '') yield { type: 'thinking', text: part.delta }
    if (part.type === 'tool-call') calls.push(toolCall(part))
    thoughts.take(part)
    if (part.type === 'finish') {
      // Some of the SDKs end a stream that was cut as if it were whole.
      if (part.finishReason.raw === undefined) break
      for (const thought of thoughts.all()) yield { type: 'thought', thought }
      for (const call of calls) yield { type: 'call', call }
      yield { type: 'finish', ...endOf(part.finishReason), ...reported(part.usage) }
      return
    }
  }
  throw new InvalidResponseDataError({ data: undefined, message: 'the stream ended without an end' })
}

const toolCall = (part: Extract<LanguageModelV3StreamPart, { type: 'tool-call' }>): ToolCall => ({
  id: part.toolCallId,
  name: part.toolName,
  arguments: part.input,
  ...keptData(part.providerMetadata),
})

/** Anthropic's word, which its SDK gives out as a cut at max_tokens (platform.claude.com/docs/en/api/handling-stop-reasons). */
const WINDOW_FULL = 'model_context_window_exceeded'

function endOf({ unified, raw = '' }: LanguageModelV3FinishReason): FinishReason {
  if (raw === WINDOW_FULL) return { reason: 'window' }
  if (unified === 'tool-calls') return { reason: 'calls' }
  if (unified === 'stop' || unified === 'length') return { reason: unified }
  const reason = unified === 'content-filter' || unified === 'error' ? 'refused' : 'other'
  return { reason, word: cleanLine(raw) }
}

const reported = ({ inputTokens, outputTokens }: LanguageModelV3Usage): { usage?: Usage } =>
  usageOf({ input: inputTokens.total, cached: inputTokens.cacheRead, output: outputTokens.total })
