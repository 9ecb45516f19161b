import type { KeptTool, Prompt, ToolsInTurn } from '../wrap/index.ts'
import type { StepMessage } from '../wrap/loop/index.ts'
import { createOfferState, type FoundTool, type SentOffer } from '../wrap/toolbox/index.ts'
import type { ChatMessage } from '../tools/index.ts'

/** The tools that a turn has found and called. Its later prompts keep these tools before others. */
export class TurnTools implements ToolsInTurn {
  readonly found: KeptTool[] = []
  readonly called: KeptTool[] = []
  /** Tools that the turn's requests have offered so far. */
  readonly offered = createOfferState()
  /** Counts the searches that found a tool which the model does not have. */
  searches = 0
  #messagesRead = 0

  /** Adds to `found` the tools of a search, given best first. */
  addFound(tools: readonly FoundTool[]): void {
    if (tools.some(({ isLoaded }) => !isLoaded)) this.searches += 1
    for (const { tool, form } of tools.toReversed()) moveToEnd(this.found, { id: tool.id, form })
  }

  /** Adds to `called` the tools that the assistant messages call. Skips messages that it has read before. */
  readCalls(messages: readonly StepMessage[], { sentAs }: Pick<SentOffer, 'sentAs'>): void {
    for (const message of messages.slice(this.#messagesRead)) {
      if (message.role !== 'assistant') continue
      for (const { name } of message.calls) {
        const sent = sentAs(name)
        if (sent && sent.form !== 'deferred') moveToEnd(this.called, { id: sent.id, form: sent.form })
      }
    }
    this.#messagesRead = messages.length
  }

  /** Tokens of the tools that the last message calls for the first time: the next prompt will have them. */
  tokensOfNew(messages: readonly ChatMessage[], { sentAs }: Pick<SentOffer, 'sentAs'>): number {
    const last = messages.findLast((message) => message.role === 'assistant')
    const sent = new Set(last?.calls.map(({ name }) => sentAs(name)))
    const isNew = (id: string): boolean => !this.called.some((one) => one.id === id)
    return [...sent].reduce((sum, tool) => sum + (tool && isNew(tool.id) ? tool.tokens : 0), 0)
  }

  /** Returns false if the prompt only names a called tool, whose definition must then come back. */
  hasAllCalled({ tools: sent }: Prompt): boolean {
    return this.called.every(({ id }) => !sent.some((tool) => tool.id === id && tool.form === 'deferred'))
  }
}

/** Appends a tool, or moves it to the end if it is listed already. */
function moveToEnd(list: KeptTool[], tool: KeptTool): void {
  const before = list.findIndex(({ id }) => id === tool.id)
  if (before >= 0) list.splice(before, 1)
  list.push(tool)
}
