import { cleanLine } from '../../base/text/clean-text.ts'
import { createDeferred } from '../../base/jobs/waiting.ts'
import { errorMessage } from '../../base/errors.ts'
import { cleanResult } from '../toolbox/results.ts'
import type { ToolCall } from '../toolbox/tool-call.ts'
import type { ChatMessage, ToolMessage } from '../../tools/index.ts'
import { failed } from '../../tools/results/index.ts'

export interface ChatEvents {
  /**
   * The model requested a call. The listener runs it and appends the reply to `replies`, after the replies of
   * earlier calls of this step; then the next call is requested. If it throws or appends nothing, the model
   * gets an error as the result.
   */
  toolCallRequested(call: ToolCall, replies: ToolMessage[]): void | Promise<void>
  /** A sanitized piece of the answer, as soon as it arrives. An error ends the step. */
  text(piece: string): void
  /** A message was appended to the conversation. An error ends the step. */
  message(message: ChatMessage): void
}

interface CallRequest {
  readonly listeners: readonly ChatEvents['toolCallRequested'][]
  readonly signal: AbortSignal
  readonly maxChars: number
  readonly replied: (reply: ToolMessage) => void
}

/** Lets listeners run calls in order. The first reply for a call counts. Rejects with the signal's reason. */
export async function requestCalls(calls: readonly ToolCall[], handing: CallRequest): Promise<void> {
  const { listeners, signal, maxChars, replied } = handing
  const replies: ToolMessage[] = []
  for (const call of calls) {
    signal.throwIfAborted()
    const trouble = await untilAborted(askAll(listeners, call, replies), signal)
    const given = replies.find((reply) => reply.call === call.id)?.content
    const result = typeof given === 'string' ? { content: given, isError: false } : failed(trouble)
    const { content } = cleanResult(result, maxChars)
    replied({ role: 'tool', call: call.id, name: call.name, content })
  }
}

/** Resolves to the error of a call without a reply. */
async function askAll(
  listeners: CallRequest['listeners'],
  call: ToolCall,
  replies: ToolMessage[],
): Promise<string> {
  try {
    for (const listener of listeners) await listener(call, replies)
    return `${call.name}: it was not answered`
  } catch (error) {
    return `${call.name}: ${cleanLine(errorMessage(error)) || 'it failed without saying why'}`
  }
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = createDeferred<never>()
  const stop = (): void => stopped.reject(signal.reason)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  return await Promise.race([work, stopped.promise]).finally(() => signal.removeEventListener('abort', stop))
}
