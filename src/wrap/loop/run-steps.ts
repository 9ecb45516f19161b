import { asRepeated, type CallCheck, type ToolCall } from '../toolbox/tool-call.ts'
import type { AssistantMessage, FinishReason } from './model.ts'
import type { StepResult } from './stream-step.ts'

/**
 * Asks a model and runs its calls, until it answers without a call or must be stopped. Rejects with the
 * signal's reason, and with what `ask` and `run` reject with.
 */
export async function runSteps({ maxSteps, signal, checkCalls, ask, run }: StepLoop): Promise<LoopEnd> {
  signal.throwIfAborted()
  for (let number = 1; number <= maxSteps; number++) {
    const result = await ask()
    if (result.calls.length === 0) return { why: 'answered', result }
    const { calls, halt } = checkCalls(result.calls)
    if (halt !== undefined) return { why: 'halted', calls, reason: halt }
    const { text, thoughts, providerData } = result
    const said = {
      role: 'assistant' as const,
      text,
      calls: calls.map(asRepeated),
      ...(thoughts.length > 0 ? { thoughts } : {}),
      ...(providerData ? { providerData } : {}),
    }
    await run(calls, said, result.end)
    signal.throwIfAborted()
  }
  return { why: 'used-up' }
}

interface StepLoop {
  readonly maxSteps: number
  readonly signal: AbortSignal
  readonly checkCalls: CallCheck
  ask(): Promise<StepResult>
  /** Keeps what the model said for the next request, and runs its calls. */
  run(calls: readonly ToolCall[], said: AssistantMessage, end: FinishReason): Promise<void>
}

type LoopEnd =
  /** The model called nothing: this is its answer. */
  | { readonly why: 'answered'; readonly result: StepResult }
  /** Its calls must not run; `reason` is for people. */
  | { readonly why: 'halted'; readonly calls: readonly ToolCall[]; readonly reason: string }
  | { readonly why: 'used-up' }
