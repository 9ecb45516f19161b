import type { Person } from '../../../chat/people/person.ts'
import type { Room } from '../../../chat/room.ts'
import { WrapError } from '../../../prompt/ports.ts'
import type { Prompt } from '../../../prompt/prompt.ts'
import type { ListedTool, ToolList } from '../../../toolbox/tool-list.ts'
import type { Turns } from '../../../turns/turns.ts'

/** Of a visible tool that the room's script, or the budget, leaves out. */
const NOT_SENT = 'not sent, /wrap tells why'

/** The prompt of the first model, and its name; no prompt where none can be made, and `/wrap` tells why. */
interface PromptNow {
  readonly model?: string
  readonly prompt?: Prompt
}

export async function promptNow(
  query: { readonly room: Room; readonly person: Person },
  turns: Pick<Turns, 'prompt' | 'names'>,
): Promise<PromptNow> {
  const [model] = turns.names()
  if (model === undefined) return {}
  try {
    return { model, prompt: await turns.prompt({ ...query, model }) }
  } catch (error) {
    if (error instanceof WrapError) return { model }
    throw error
  }
}

/** What tools cost: the same numbers as in `/wrap`. */
export interface Prices {
  readonly model?: string
  /** Of all definitions that are sent. */
  readonly tokens: number
  /** Of a tool as it is sent; of one that is not sent, what it would take in full. */
  of(tool: ListedTool): number
  /** Of a tool as it is sent; 0 of one that is not. */
  sent(tool: ListedTool): number
  /** How a visible tool is sent; empty where that is not known. */
  noteOf(tool: ListedTool): string
  readonly formOf: (tool: ListedTool) => string | undefined
  /** What is sent besides the tools of the list. */
  readonly others: readonly { readonly name: string; readonly tokens: number }[]
}

/** What the tools of a list cost in this prompt. */
export function pricesIn(list: ToolList, { model, prompt }: PromptNow): Prices {
  const sent = new Map(prompt?.tools.map((tool) => [tool.id, tool]))
  const sentAs = ({ tool, visible }: ListedTool) => (visible ? sent.get(tool.id) : undefined)
  const listed = new Set(list.tools.map(({ tool }) => tool.id))
  return {
    ...(model === undefined ? {} : { model }),
    tokens: prompt ? prompt.budget.tools : list.tokens,
    of: (one) => sentAs(one)?.tokens ?? one.tokens,
    sent: (one) => (prompt ? (sentAs(one)?.tokens ?? 0) : one.visible ? one.tokens : 0),
    formOf: (one) => sentAs(one)?.form,
    noteOf: (one) => sentAs(one)?.form ?? (prompt ? NOT_SENT : ''),
    others: prompt?.tools.filter(({ id }) => !listed.has(id)) ?? [],
  }
}
