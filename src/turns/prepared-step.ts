import type { CountedRequest } from '../prompt/calibration/calibration.ts'
import type { Snapshots } from '../prompt/gather-snapshot.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import type { Composer } from '../prompt/ports.ts'
import type { Prompt, ToolDefinition } from '../prompt/prompt.ts'
import type { HistoryRow } from '../prompt/snapshot.ts'
import { createOffer, type FoundTools } from '../toolbox/offer.ts'
import type { OpenToolbox, RoomToolbox, ToolCaller } from '../toolbox/room-toolbox.ts'
import type { FindScopedTools, ScopedTools } from '../toolbox/scoped-tools.ts'
import type { StepMessage, Thought } from './ports.ts'
import type { AnsweredEntry } from './turn-job.ts'

/** Everything that one step of a turn needs: what is sent, and what runs the calls that come back. */
export interface PreparedStep {
  readonly prompt: Prompt
  /** The definitions to send. */
  readonly definitions: readonly ToolDefinition[]
  /** Ids of all tools that can be called. */
  readonly toolIds: readonly string[]
  readonly toolbox: RoomToolbox
  /** This step's request in tokens, as we count it. */
  readonly size: CountedRequest
  /** The rows of history that the prompt was made from. */
  readonly rows: readonly HistoryRow[]
  /**
   * Prepares the step after this one. `messages` are all steps so far. The prompt is composed again if the tools in scope
   * have changed, or if the messages need tokens that older history has. Rejects as `PrepareStep` does.
   */
  next(messages: readonly StepMessage[]): Promise<PreparedStep>
  /** Prepares this step again, with what is known of the model and its provider by now. Rejects likewise. */
  again(messages: readonly StepMessage[]): Promise<PreparedStep>
}

/** The turn whose steps are prepared. */
export interface StepJob {
  /** Its model is read for each prompt: what is known of a model may change in mid-turn. */
  readonly caller: ToolCaller & { readonly model: ModelSettings }
  /** What the model answers. */
  readonly message: AnsweredEntry
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
}

export const createPrepareStep =
  ({ scopedTools, snapshots, composer, openToolbox }: StepParts): PrepareStep =>
  async ({ caller, message, fresh }, signal) => {
    const { room, requester } = caller
    const found: FoundTools = new Set()
    const countTokens = createTokenMeter(composer, caller.model.encoding)

    async function compose(tools: ScopedTools, reserve: number): Promise<Composed> {
      const { model } = caller
      const occasion = { room, requester, model, message, fresh, reserve }
      const snapshot = await snapshots.gather(occasion, tools)
      return { prompt: await composer.compose(snapshot, signal), rows: snapshot.history, reserve }
    }

    /** `spent` are the tokens that the messages of earlier steps take, with the definitions that were found in them. */
    function prepared(composed: Composed, tools: ScopedTools, spent: number): PreparedStep {
      const { prompt, rows, reserve } = composed
      const { target, used, context } = prompt.budget
      const offer = createOffer(prompt, tools, found)

      async function needed(messages: readonly StepMessage[]): Promise<number> {
        const { definitions } = createOffer(prompt, tools, found)
        return await countTokens(messages, definitions.slice(sentIn(prompt)))
      }

      return {
        prompt,
        rows,
        definitions: offer.definitions,
        toolIds: offer.ids,
        size: { counted: used + spent, framing: framingIn(prompt, caller.model) },
        // All of the older conversation may give way to results.
        toolbox: openToolbox(caller, offer, target + reserve - (used - context) - spent),
        async next(messages) {
          const now = await scopedTools(caller)
          const more = await needed(messages)
          const fits = more <= target + reserve - used
          return fits && sameTools(now, tools)
            ? prepared(composed, now, more)
            : prepared(await compose(now, more), now, more)
        },
        async again(messages) {
          const now = await scopedTools(caller)
          const more = await needed(messages)
          return prepared(await compose(now, more), now, more)
        },
      }
    }

    const tools = await scopedTools(caller)
    return prepared(await compose(tools, 0), tools, 0)
  }

/** How many definitions are sent with the prompt from the beginning. */
const sentIn = (prompt: Prompt): number => prompt.tools.filter((tool) => tool.definition).length

/** Tokens of a prompt that are no text of ours, but what its provider is expected to add. */
const framingIn = ({ budget, tools }: Prompt, { framing: { perTool } }: ModelSettings): number =>
  budget.framing + perTool * tools.filter((tool) => tool.definition).length

const sameTools = (a: ScopedTools, b: ScopedTools): boolean =>
  a.visible.length === b.visible.length && a.visible.every((tool, index) => tool === b.visible[index])

/** Tokens that a provider adds around a message or a definition: a few, so this number is high. */
const FRAMING_TOKENS = 8

/** Counts the tokens of a turn's messages, each message once, and of the definitions that were found later. */
function createTokenMeter(composer: Pick<Composer, 'count'>, encoding: string) {
  let countedMessages = 0
  let messageTokens = 0
  return async (messages: readonly StepMessage[], found: readonly ToolDefinition[]): Promise<number> => {
    const texts = messages.slice(countedMessages).map(textOf)
    const counts = await composer.count(encoding, [...texts, ...found.map((one) => JSON.stringify(one))])
    messageTokens += sumOf(counts.slice(0, texts.length))
    countedMessages = messages.length
    return messageTokens + sumOf(counts.slice(texts.length))
  }
}

const sumOf = (counts: readonly number[]): number =>
  counts.reduce((sum, count) => sum + count + FRAMING_TOKENS, 0)

const textOf = (message: StepMessage): string => {
  switch (message.role) {
    case 'tool':
      return message.content
    case 'assistant':
      return [
        message.text,
        ...message.calls.map((call) => `${call.name} ${call.arguments}`),
        ...(message.thoughts ?? []).map(thoughtText),
      ].join('\n')
  }
}

/** A signature is counted like text, which is more than it may be. */
const thoughtText = ({ text, providerData }: Thought): string =>
  providerData ? `${text}\n${JSON.stringify(providerData)}` : text
