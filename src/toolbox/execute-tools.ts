import type { ToolMessage } from '../tools/conversation.ts'
import type { ToolCall } from './tool-call.ts'
import type { Toolbox } from './toolbox.ts'

/** With what the calls of one step are run. */
export interface ExecutionContext {
  readonly toolbox: Pick<Toolbox, 'run'>
  /** Ends the execution; a call at work is told. */
  readonly signal?: AbortSignal
  /** Given each reply as soon as it is there. */
  readonly replied?: (reply: ToolMessage) => void
}

/**
 * Runs the calls of one step, one after the other, and gives one reply for each in their order. Whatever goes wrong in a
 * call is its reply, which a model can read, and the next call runs: an unknown tool, bad arguments, a refusal, a thrown
 * error, a time limit. Rejects with the signal's reason before the next call once it is aborted, and where the toolbox
 * could not record a call.
 */
export async function executeTools(
  calls: readonly ToolCall[],
  { toolbox, signal = new AbortController().signal, replied }: ExecutionContext,
): Promise<readonly ToolMessage[]> {
  const replies: ToolMessage[] = []
  for (const call of calls) {
    signal.throwIfAborted()
    const { text } = await toolbox.run(call, signal)
    const reply: ToolMessage = { role: 'tool', call: call.id, name: call.name, content: text }
    replies.push(reply)
    replied?.(reply)
  }
  return replies
}
