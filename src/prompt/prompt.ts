import type { JsonSchema } from '../lib/json.ts'

/** Exactly what the provider is given for one tool. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
}

/** How much of a tool is sent. A `deferred` tool is only named; the model loads it with `find_tools`. */
export type ToolForm = 'full' | 'short' | 'deferred'

/** A tool in a prompt: what is sent, and its tokens. */
export interface PromptTool {
  readonly id: string
  readonly name: string
  readonly form: ToolForm
  /** Tokens of the definition as it is sent, the provider's framing included; 0 when deferred. */
  readonly tokens: number
  /** Absent when deferred. */
  readonly definition?: ToolDefinition
  /** Ids of tools that do the same and can be called, but are not sent; absent where there are none. */
  readonly standsFor?: readonly string[]
}

/** One layer, as the budget left it. */
export interface LayerReport {
  readonly name: string
  readonly priority: number
  readonly placement: 'system' | 'context'
  /** Tokens of the text that is sent, and of the definitions that go with it. */
  readonly tokens: number
  readonly status: 'kept' | 'trimmed' | 'dropped'
  /** The reason, for people; may be empty. */
  readonly note: string
  /**
   * UTF-16 units of its text, as it stands in `system` or `context`; 0 where it was dropped. Absent in prompts that older
   * versions stored.
   */
  readonly length?: number
  /** Of `tokens`, those of the definitions that go with it; absent where none do. */
  readonly definitions?: number
}

/** Tokens, all of them. `used = system + context + message + tools + framing`, never over `target`. */
export interface BudgetReport {
  readonly window: number
  readonly reserved_output: number
  readonly target: number
  readonly used: number
  readonly system: number
  readonly context: number
  readonly message: number
  readonly tools: number
  /** What the provider adds around messages (model-settings.ts); 0 where nothing is known or added. */
  readonly framing: number
}

/** What a model reads: the outcome of wrap(). */
export interface Prompt {
  readonly encoding: string
  readonly budget: BudgetReport
  readonly layers: readonly LayerReport[]
  readonly tools: readonly PromptTool[]
  readonly system: string
  /** Changes from turn to turn; sent with the message (see `userContent`). */
  readonly context: string
  readonly message: string
  readonly warnings: readonly string[]
  /** Tokens that the definitions of tools which `find_tools` shows may have; absent where no tool is deferred. */
  readonly findable?: number
}

/** What stands between two layers, and before the message. */
export const BREAK = '\n\n'

/** The user's part of the request, as it is counted and as every adapter must send it. */
export function userContent(prompt: Pick<Prompt, 'context' | 'message'>): string {
  return [prompt.context, prompt.message].filter((part) => part !== '').join(BREAK)
}

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
