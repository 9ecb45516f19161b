import { asRepeated, type CallCheck, type ToolCall } from '../toolbox/tool-call.ts'
import type { AssistantMessage, FinishReason } from './model.ts'
import type { StepResult } from './stream-step.ts'

/** Runs a model's calls until it answers without one or must stop. Rejects as `signal`, `ask` and `run`. */
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
  /** Keeps the model's text for the next request, and runs its calls. */
  run(calls: readonly ToolCall[], said: AssistantMessage, end: FinishReason): Promise<void>
}

type LoopEnd =
  | { readonly why: 'answered'; readonly result: StepResult }
  /** The calls must not run; `reason` is for people. */
  | { readonly why: 'halted'; readonly calls: readonly ToolCall[]; readonly reason: string }
  | { readonly why: 'used-up' }
