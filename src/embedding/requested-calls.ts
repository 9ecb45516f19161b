import { cleanLine } from '../lib/text/clean-text.ts'
import { createDeferred } from '../lib/jobs/waiting.ts'
import { errorMessage } from '../lib/errors.ts'
import { cleanResult } from '../toolbox/results.ts'
import type { ToolCall } from '../toolbox/tool-call.ts'
import type { ToolMessage } from '../tools/context.ts'
import { failed } from '../tools/result.ts'
import type { ChatEvents } from './listeners.ts'

/** How calls are handed to listeners. */
interface Handing {
  readonly listeners: readonly ChatEvents['toolCallRequested'][]
  readonly signal: AbortSignal
  /** Characters that a reply may have. */
  readonly maxChars: number
  readonly replied: (reply: ToolMessage) => void
}

/**
 * Has listeners run the calls of one step, in order. Each call gets one reply: the first that was appended for it, or an
 * error where none was. Rejects with the signal's reason, also while a listener is at work.
 */
export async function requestCalls(calls: readonly ToolCall[], handing: Handing): Promise<void> {
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

/** Gives what to say of the call if there is no reply to it. */
async function askAll(
  listeners: Handing['listeners'],
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
