import type { MessageEntry } from '../chat/entry.ts'
import type { Snapshots } from '../prompt/gather-snapshot.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import type { Composer } from '../prompt/ports.ts'
import type { Prompt, ToolDefinition } from '../prompt/prompt.ts'
import type { HistoryRow } from '../prompt/snapshot.ts'
import { createOffer, type SentOffer } from '../toolbox/offer.ts'
import type { OpenToolbox, RoomToolbox, ToolCaller } from '../toolbox/room-toolbox.ts'
import type { FindScopedTools, ScopedTools } from '../toolbox/scoped-tools.ts'
import type { StepMessage } from './ports.ts'
import { createToolScale, createTurnTools } from './turn-tools.ts'

/** Everything that one step of a turn needs: what is sent, and what runs the calls that come back. */
export interface PreparedStep {
  readonly prompt: Prompt
  /** The definitions to send. */
  readonly definitions: readonly ToolDefinition[]
  /** Ids of all tools that can be called. */
  readonly toolIds: readonly string[]
  readonly toolbox: RoomToolbox
  /** Tokens of this step's request, as we count them. */
  readonly tokens: number
  /** The rows of history that the prompt was made from. */
  readonly rows: readonly HistoryRow[]
  /**
   * Prepares the step after this one. `messages` are all steps so far. The prompt is composed again if the tools in scope
   * have changed, if some were found, or if the messages need tokens that older history has. Rejects as `PrepareStep` does.
   */
  next(messages: readonly StepMessage[]): Promise<PreparedStep>
}

/** The turn whose steps are prepared. */
export interface StepJob {
  readonly caller: ToolCaller & { readonly model: ModelSettings }
  /** What the model answers. */
  readonly message: MessageEntry
  /** True for a sub-turn that starts without the conversation. */
  readonly fresh: boolean
}

/** Prepares the first step of a turn. Rejects with `WrapError`, `StorageError`, or the signal's reason. */
export type PrepareStep = (job: StepJob, signal: AbortSignal) => Promise<PreparedStep>

/** What steps are prepared with. */
export interface StepParts {
  readonly scopedTools: FindScopedTools
  readonly snapshots: Snapshots
  readonly composer: Pick<Composer, 'compose' | 'count'>
  readonly openToolbox: OpenToolbox
}

/** A prompt, and what it was made from. */
interface Composed {
  readonly prompt: Prompt
  readonly rows: readonly HistoryRow[]
  /** Tokens that were kept free for the messages of earlier steps. */
  readonly reserve: number
  /** Searches for tools that there had been by then. */
  readonly searches: number
}

export const createPrepareStep =
  ({ scopedTools, snapshots, composer, openToolbox }: StepParts): PrepareStep =>
  async ({ caller, message, fresh }, signal) => {
    const { room, requester, model } = caller
    const used = createTurnTools()
    const weigh = createToolScale(composer)
    const countTokens = createTokenMeter(composer, model.encoding)

    async function compose(tools: ScopedTools, reserve: number): Promise<Composed> {
      const { found, called } = used
      const searches = used.searches()
      const inTurn = { found: [...found], called: [...called] }
      const occasion = { room, requester, model, message, fresh, reserve, inTurn }
      const snapshot = await snapshots.gather(occasion, tools)
      return { prompt: await composer.compose(snapshot, signal), rows: snapshot.history, reserve, searches }
    }

    function offerOf({ prompt }: Composed, tools: ScopedTools): SentOffer {
      const offer = createOffer(prompt, tools, {
        found: used.find,
        weigh: (some) => weigh(some, model),
        room: () =>
          Math.max(0, (prompt.findable ?? 0) - used.tokensOfNew(caller.chat?.messages ?? [], offer)),
      })
      return offer
    }

    /** `spent` are the tokens that the messages of earlier steps take. */
    function prepared(composed: Composed, tools: ScopedTools, spent: number): PreparedStep {
      const { prompt, rows, reserve } = composed
      const { target, context } = prompt.budget
      const offer = offerOf(composed, tools)
      return {
        prompt,
        rows,
        definitions: offer.definitions,
        toolIds: offer.ids,
        tokens: prompt.budget.used + spent,
        // All of the older conversation may give way to results.
        toolbox: openToolbox(caller, offer, target + reserve - (prompt.budget.used - context) - spent),
        async next(messages) {
          const now = await scopedTools(caller)
          used.readCalls(messages, offer)
          const needed = await countTokens(messages)
          const fits = needed <= target + reserve - prompt.budget.used
          const found = used.searches() > composed.searches
          return fits && !found && sameTools(now, tools)
            ? prepared(composed, now, needed)
            : prepared(await compose(now, needed), now, needed)
        },
      }
    }

    const tools = await scopedTools(caller)
    return prepared(await compose(tools, 0), tools, 0)
  }

const sameTools = (a: ScopedTools, b: ScopedTools): boolean =>
  a.visible.length === b.visible.length && a.visible.every((tool, index) => tool === b.visible[index])

/** Tokens that a provider adds around a message or a definition: a few, so this number is high. */
const FRAMING_TOKENS = 8

/** Counts the tokens of a turn's messages, each message once. */
function createTokenMeter(composer: Pick<Composer, 'count'>, encoding: string) {
  let countedMessages = 0
  let messageTokens = 0
  return async (messages: readonly StepMessage[]): Promise<number> => {
    const texts = messages.slice(countedMessages).map(textOf)
    countedMessages = messages.length
    messageTokens += sumOf(await composer.count(encoding, texts))
    return messageTokens
  }
}

const sumOf = (counts: readonly number[]): number =>
  counts.reduce((sum, count) => sum + count + FRAMING_TOKENS, 0)

const textOf = (message: StepMessage): string => {
  switch (message.role) {
    case 'tool':
      return message.content
    case 'assistant':
      return [message.text, ...message.calls.map((call) => `${call.name} ${call.arguments}`)].join('\n')
  }
}
