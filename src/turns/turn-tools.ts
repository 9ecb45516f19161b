import type { Composer } from '../prompt/ports.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import { framedTokens } from '../prompt/tool-definitions.ts'
import type { KeptTool, ToolsInTurn } from '../prompt/snapshot.ts'
import { createOfferedSoFar, type OfferedSoFar, type SentOffer } from '../toolbox/offer.ts'
import { weighedTexts, type FoundTool, type SearchParts } from '../toolbox/find-tools.ts'
import type { ChatMessage } from '../tools/context.ts'
import type { StepMessage } from './ports.ts'

/** What a turn has found and called of its tools. The prompts of its later steps keep these first. */
export interface TurnTools extends ToolsInTurn {
  /** What its requests have offered so far. */
  readonly offered: OfferedSoFar
  /** Adds tools that a search gave, best first. */
  find(tools: readonly FoundTool[]): void
  /** Adds what the model has called in these messages. Each message is read once. */
  readCalls(messages: readonly StepMessage[], offer: Pick<SentOffer, 'sentAs'>): void
  /** Tokens of the tools that the last of these messages calls, and none before did: in the next prompt they keep their place. */
  tokensOfNew(messages: readonly ChatMessage[], offer: Pick<SentOffer, 'sentAs'>): number
  /** Grows with each search that found something which the model does not have. */
  searches(): number
}

export function createTurnTools(): TurnTools {
  const found: KeptTool[] = []
  const called: KeptTool[] = []
  let messagesRead = 0
  let searches = 0
  return {
    found,
    called,
    offered: createOfferedSoFar(),
    searches: () => searches,
    find(tools) {
      if (tools.some(({ isLoaded }) => !isLoaded)) searches += 1
      for (const { tool, form } of tools.toReversed()) putLast(found, { id: tool.id, form })
    },
    tokensOfNew(messages, { sentAs }) {
      const last = messages.findLast((message) => message.role === 'assistant')
      const sent = new Set(last?.calls.map(({ name }) => sentAs(name)))
      return [...sent].reduce(
        (sum, tool) => sum + (tool && !called.some(({ id }) => id === tool.id) ? tool.tokens : 0),
        0,
      )
    },
    readCalls(messages, { sentAs }) {
      for (const message of messages.slice(messagesRead)) {
        if (message.role !== 'assistant') continue
        for (const { name } of message.calls) {
          const sent = sentAs(name)
          if (!sent || sent.form === 'deferred') continue
          const { id, form } = sent
          putLast(called, { id, form })
        }
      }
      messagesRead = messages.length
    },
  }
}

/** Each is there once, at the place of the last time. */
function putLast(list: KeptTool[], tool: KeptTool): void {
  const before = list.findIndex(({ id }) => id === tool.id)
  if (before >= 0) list.splice(before, 1)
  list.push(tool)
}

/** Counts what tools that `find_tools` names take of the next prompt, with their lines. */
export const createToolScale =
  (composer: Pick<Composer, 'count'>) =>
  async (
    tools: Parameters<SearchParts['weigh']>[0],
    { encoding, framing }: ModelSettings,
  ): Promise<readonly number[]> => {
    if (tools.length === 0) return []
    const counts = await composer.count(encoding, tools.flatMap(weighedTexts))
    return tools.map((_, index) => {
      const [definition = 0, line = 0] = counts.slice(2 * index, 2 * index + 2)
      return framedTokens(definition, framing) + line
    })
  }
