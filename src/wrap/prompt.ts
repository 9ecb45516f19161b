import type { JsonSchema } from '../base/json.ts'
import type { PictureFacts } from '../words/picture.ts'

export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
}

/** A `deferred` tool is only named; the model loads it with `find_tools`. */
export type ToolForm = 'full' | 'short' | 'deferred'

export interface PromptTool {
  readonly id: string
  readonly name: string
  readonly form: ToolForm
  /** Includes the provider's framing; 0 if deferred. */
  readonly tokens: number
  readonly definition?: ToolDefinition
  /** Ids of aliases, which can be called but are not sent. */
  readonly standsFor?: readonly string[]
}

export interface LayerReport {
  readonly name: string
  readonly priority: number
  readonly placement: 'system' | 'context'
  /** True for a layer at the end of the context. */
  readonly late?: true
  /** Includes definitions. */
  readonly tokens: number
  readonly status: 'kept' | 'trimmed' | 'dropped'
  readonly note: string
  /** UTF-16 units of its text. Absent in prompts that older versions stored. */
  readonly length?: number
  readonly definitions?: number
}

/** Tokens. `used = system + context + message + tools + framing + pictures`, never over `target`. */
export interface BudgetReport {
  readonly window: number
  readonly reserved_output: number
  readonly target: number
  readonly used: number
  readonly system: number
  readonly context: number
  readonly message: number
  readonly tools: number
  /** Tokens that the provider adds around messages. */
  readonly framing: number
  /** Absent if no picture goes along. */
  readonly pictures?: number
}

export interface Prompt {
  readonly encoding: string
  readonly budget: BudgetReport
  readonly layers: readonly LayerReport[]
  readonly tools: readonly PromptTool[]
  readonly system: string
  /** Sent before the message, in the user's part. */
  readonly context: string
  /** UTF-16 units of the context before its late layers: later prompts of the room begin with them. */
  readonly stablePrefix?: number
  readonly message: string
  /** Sent after the message. */
  readonly pictures?: readonly PictureFacts[]
  readonly warnings: readonly string[]
  /** Tokens for definitions that `find_tools` shows; absent if no tool is deferred. */
  readonly findable?: number
}

/** The context's last layer, with the asker's memories of themselves. Only the asker may read its text. */
export const MEMORY_OF_ASKER = 'memory_of_asker'

/** Returns the prompt for other readers than the asker, with the number of memories instead of their text. */
export function withoutAskersMemory(prompt: Prompt): Prompt {
  const layer = prompt.layers.at(-1)
  if (layer?.name !== MEMORY_OF_ASKER || !layer.length) return prompt
  const text = prompt.context.slice(-layer.length)
  const count = text.split('\n').filter((line) => line.startsWith('- ')).length
  const shown = `[what the asker said of themselves, which only they can read: ${count}]`
  const context = prompt.context.slice(0, -layer.length) + shown
  return { ...prompt, context, layers: [...prompt.layers.slice(0, -1), { ...layer, length: shown.length }] }
}

/** The text between two layers, and before the message. */
export const BREAK = '\n\n'

/** The user's part of the request, as it is counted and sent. */
export function userContent(prompt: Pick<Prompt, 'context' | 'message'>): string {
  return [prompt.context, prompt.message].filter((part) => part !== '').join(BREAK)
}

/** Without a system role, the system text begins the user's part. */
export function systemAndUser(prompt: Prompt, withoutSystemRole: boolean): { system: string; user: string } {
  const user = userContent(prompt)
  if (!withoutSystemRole || prompt.system === '') return { system: prompt.system, user }
  return { system: '', user: prompt.system + BREAK + user }
}

/** A prompt as plain data for any client of a model, which may change the list of messages. */
export interface PromptRequest {
  readonly system: string
  messages: { role: 'user'; content: string }[]
  readonly tools: readonly ToolDefinition[]
}

/** Returns what is counted and sent of a prompt. */
export const toRequest = (prompt: Prompt): PromptRequest => ({
  system: prompt.system,
  messages: [{ role: 'user', content: userContent(prompt) }],
  tools: prompt.tools.flatMap(({ definition }) => definition ?? []),
})

/** Creates a prompt without token counts. */
export const plainPrompt = (system: string, message: string, context = ''): Prompt =>
  countedPrompt({ system, message, context }, { system: 0, context: 0, message: 0 })

const NO_MODEL = { encoding: '', contextWindow: 0, maxOutput: 0 }

export type PlainTexts = Pick<Prompt, 'system' | 'message' | 'context'>

export function countedPrompt(
  { system, message, context }: PlainTexts,
  counts: { readonly [Text in keyof PlainTexts]: number },
  { encoding, contextWindow: window, maxOutput: reserved_output } = NO_MODEL,
  target = 0,
): Prompt {
  const used = counts.system + counts.message + counts.context
  const budget = { window, reserved_output, target, used, ...counts, tools: 0, framing: 0 }
  return { encoding, budget, layers: [], tools: [], system, context, message, warnings: [] }
}
