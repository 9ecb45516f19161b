import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import type { Usage } from '../../chat/entry.ts'
import type { JsonObject } from '../../lib/json.ts'
import type { LanguageModel, ModelEvent, ModelRequest, RequestMessage } from '../../turns/ports.ts'
import type { ToolCall } from '../../toolbox/tool-call.ts'
import { modelError, type Upstream } from './errors.ts'
import { sdkPrompt } from './sdk-prompt.ts'

/**
 * One of the AI SDK's provider models as ours. `load` makes it when it is first asked: the SDK of a provider takes longer
 * to load than the rest of the server. Its low-level `doStream` is used rather than `streamText`:
 * it sends what it is given and nothing else, runs no tool, and does not try again by itself.
 * Calls are given out at the end, when the answer is known to be whole: a cut stream leaves half a call.
 */
export function sdkModel(load: () => Promise<LanguageModelV3>, upstream: Upstream): LanguageModel {
  let loaded: Promise<LanguageModelV3> | undefined
  return {
    async *stream(request, signal) {
      const ending = new AbortController()
      try {
        const model = await (loaded ??= load())
        const { stream } = await model.doStream(
          callOptions(request, AbortSignal.any([signal, ending.signal])),
        )
        yield* events(stream)
      } catch (error) {
        signal.throwIfAborted()
        throw modelError(error, upstream)
      } finally {
        ending.abort()
      }
    },
  }
}

const callOptions = (
  request: ModelRequest<RequestMessage>,
  abortSignal: AbortSignal,
): LanguageModelV3CallOptions => ({
  prompt: sdkPrompt(request),
  maxOutputTokens: request.maxOutput,
  abortSignal,
  ...(request.tools.length > 0 ? { tools: request.tools.map(functionTool) } : {}),
})

const functionTool = (tool: ModelRequest['tools'][number]) => ({
  type: 'function' as const,
  name: tool.name,
  description: tool.description,
  inputSchema: tool.parameters as object,
})

async function* events(stream: ReadableStream<LanguageModelV3StreamPart>): AsyncGenerator<ModelEvent> {
  const calls: ToolCall[] = []
  for await (const part of stream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'text-delta') yield { type: 'text', text: part.delta }
    if (part.type === 'tool-call') calls.push(toolCall(part))
    if (part.type === 'finish') {
      for (const call of calls) yield { type: 'call', call }
      yield { type: 'finish', reason: finishReason(part.finishReason.unified), ...usageOf(part.usage) }
      return
    }
  }
  throw new Error('the stream ended without an end')
}

function toolCall(part: Extract<LanguageModelV3StreamPart, { type: 'tool-call' }>): ToolCall {
  const call = { id: part.toolCallId, name: part.toolName, arguments: part.input }
  return part.providerMetadata ? { ...call, providerData: part.providerMetadata as JsonObject } : call
}

function finishReason(reason: string): Extract<ModelEvent, { type: 'finish' }>['reason'] {
  if (reason === 'tool-calls') return 'calls'
  return reason === 'stop' || reason === 'length' ? reason : 'other'
}

/** No model can have read or written more than this in one step. */
const MAX_TOKENS = 1_000_000_000

/** A report that cannot be true is left out, because it would stay in the sums for ever. */
function usageOf({ inputTokens, outputTokens }: LanguageModelV3Usage): { usage?: Usage } {
  const [input, output] = [inputTokens.total, outputTokens.total]
  return isCount(input) && isCount(output) ? { usage: { input, output } } : {}
}

const isCount = (tokens: number | undefined): tokens is number =>
  Number.isInteger(tokens) && tokens! >= 0 && tokens! <= MAX_TOKENS
