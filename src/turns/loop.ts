import { asRepeated, type CallCheck, type ToolCall } from '../toolbox/tool-call.ts'
import type { AssistantMessage } from './ports.ts'
import type { StepResult } from './stream-step.ts'

/** What came of one request. */
interface Answered {
  readonly result: StepResult
}

/** How a model is asked, and what is done with what it says. */
export interface StepLoop<Asked extends Answered> {
  /** Requests to the model. */
  readonly maxSteps: number
  readonly signal: AbortSignal
  /** Sees the calls of each step before they run. */
  readonly checkCalls: CallCheck
  /** Sends the next request. */
  ask(): Promise<Asked>
  /** Keeps what the model said for the next request, and runs its calls. */
  run(calls: readonly ToolCall[], said: AssistantMessage, asked: Asked): Promise<void>
}

/** Why the loop is over. */
export type LoopEnd<Asked extends Answered> =
  /** The model called nothing: this is its answer. */
  | { readonly why: 'answered'; readonly asked: Asked }
  /** Its calls must not run; `reason` is for people. */
  | {
      readonly why: 'halted'
      readonly asked: Asked
      readonly calls: readonly ToolCall[]
      readonly reason: string
    }
  | { readonly why: 'used-up' }

/**
 * Asks a model and runs its calls, until it answers without a call or must be stopped. Rejects with the signal's reason,
 * and with what `ask` and `run` reject with.
 */
export async function runSteps<Asked extends Answered>(loop: StepLoop<Asked>): Promise<LoopEnd<Asked>> {
  const { maxSteps, signal, checkCalls, ask, run } = loop
  signal.throwIfAborted()
  for (let number = 1; number <= maxSteps; number++) {
    const asked = await ask()
    const { text, thoughts, calls: made } = asked.result
    if (made.length === 0) return { why: 'answered', asked }
    const { calls, halt } = checkCalls(made)
    if (halt !== undefined) return { why: 'halted', asked, calls, reason: halt }
    const kept = thoughts.length > 0 ? { thoughts } : {}
    await run(calls, { role: 'assistant', text, calls: calls.map(asRepeated), ...kept }, asked)
    signal.throwIfAborted()
  }
  return { why: 'used-up' }
}
