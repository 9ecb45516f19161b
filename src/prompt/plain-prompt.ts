import type { Prompt } from './prompt.ts'

/** A prompt that nobody composed: these very texts. Nothing in it was counted, so its budget is all zeros. */
export const plainPrompt = (system: string, message: string): Prompt => ({
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
  context: '',
  message,
  warnings: [],
})
