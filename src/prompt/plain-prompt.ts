import type { Prompt } from './prompt.ts'

/** A prompt that nobody composed: these very texts. Nothing in it was counted, so its budget is all zeros. */
export const plainPrompt = (system: string, message: string, context = ''): Prompt => ({
  encoding: '',
  budget: {
    window: 0,
    reserved_output: 0,
    target: 0,
    used: 0,
    system: 0,
    context: 0,
    message: 0,
    tools: 0,
    framing: 0,
  },
  layers: [],
  tools: [],
  system,
  context,
  message,
  warnings: [],
})

/** The texts of such a prompt. */
export type PlainTexts = Pick<Prompt, 'system' | 'message' | 'context'>

/** A prompt of these texts, with the tokens of each. */
export function countedPrompt(
  { system, message, context }: PlainTexts,
  counts: { readonly [Text in keyof PlainTexts]: number },
  model: { readonly encoding: string; readonly contextWindow: number; readonly maxOutput: number },
  target: number,
): Prompt {
  const { encoding, contextWindow: window, maxOutput: reserved_output } = model
  const used = counts.system + counts.message + counts.context
  const budget = { window, reserved_output, target, used, ...counts, tools: 0, framing: 0 }
  return { ...plainPrompt(system, message, context), encoding, budget }
}
