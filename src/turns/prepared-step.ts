import type { MessageEntry } from '../chat/entry.ts'
import type { Snapshots } from '../prompt/gather-snapshot.ts'
import { zip } from '../lib/zip.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import type { Composer } from '../prompt/ports.ts'
import type { Prompt, ToolDefinition } from '../prompt/prompt.ts'
import type { HistoryRow } from '../prompt/snapshot.ts'
import { createOffer, type FoundTools } from '../toolbox/offer.ts'
import type { OpenToolbox, RoomToolbox, ToolCaller } from '../toolbox/room-toolbox.ts'
import type { FindScopedTools, ScopedTools } from '../toolbox/scoped-tools.ts'
import { createFitSteps, type ShownSteps } from './fit-steps.ts'
import type { StepMessage } from './ports.ts'

/** Everything that one step of a turn needs: what is sent, and what runs the calls that come back. */
export interface PreparedStep {
  readonly prompt: Prompt
  /** All earlier steps as they are sent: what this turn has no more space for is shortened. */
  readonly messages: readonly StepMessage[]
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
   * Prepares the step after this one. `messages` are all steps so far, whole. The prompt is composed again if the tools in
   * scope have changed, or if the messages need tokens that older history has. Rejects as `PrepareStep` does.
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
}

export const createPrepareStep =
  ({ scopedTools, snapshots, composer, openToolbox }: StepParts): PrepareStep =>
  async ({ caller, message, fresh }, signal) => {
    const { room, requester, model } = caller
    const found: FoundTools = new Set()
    const meter = createTokenMeter(composer, model.encoding)
    const fitSteps = createFitSteps(meter.messages)

    async function compose(tools: ScopedTools, reserve: number): Promise<Composed> {
      const occasion = { room, requester, model, message, fresh, reserve }
      const snapshot = await snapshots.gather(occasion, tools)
      return { prompt: await composer.compose(snapshot, signal), rows: snapshot.history, reserve }
    }

    /** The tokens of the steps are theirs and those of the definitions that were found in them. */
    function prepared(
      composed: Composed,
      tools: ScopedTools,
      { messages, tokens: spent }: ShownSteps,
    ): PreparedStep {
      const { prompt, rows, reserve } = composed
      const { target, used, context } = prompt.budget
      // All of the older conversation may give way to what the turn says, calls and reads.
      const mostForSteps = target + reserve - (used - context)
      const offer = createOffer(prompt, tools, found)
      return {
        prompt,
        messages,
        rows,
        definitions: offer.definitions,
        toolIds: offer.ids,
        tokens: used + spent,
        toolbox: openToolbox(caller, offer, mostForSteps - spent),
        async next(all) {
          const now = await scopedTools(caller)
          const { definitions } = createOffer(prompt, tools, found)
          const forFound = await meter.definitions(definitions.slice(sentIn(prompt)))
          const fitted = await fitSteps(all, mostForSteps - forFound)
          const steps = { ...fitted, tokens: fitted.tokens + forFound }
          const fits = steps.tokens <= target + reserve - used
          return fits && sameTools(now, tools)
            ? prepared(composed, now, steps)
            : prepared(await compose(now, steps.tokens), now, steps)
        },
      }
    }

    const tools = await scopedTools(caller)
    return prepared(await compose(tools, 0), tools, { messages: [], tokens: 0 })
  }

/** How many definitions are sent with the prompt from the beginning. */
const sentIn = (prompt: Prompt): number => prompt.tools.filter((tool) => tool.definition).length

const sameTools = (a: ScopedTools, b: ScopedTools): boolean =>
  a.visible.length === b.visible.length && a.visible.every((tool, index) => tool === b.visible[index])

/** Tokens that a provider adds around a message or a definition: a few, so this number is high. */
const FRAMING_TOKENS = 8

/** Counts tokens for a turn, those of each message once. */
function createTokenMeter(composer: Pick<Composer, 'count'>, encoding: string) {
  const known = new WeakMap<StepMessage, number>()
  const count = async (texts: readonly string[]): Promise<readonly number[]> =>
    (await composer.count(encoding, texts)).map((tokens) => tokens + FRAMING_TOKENS)
  return {
    async messages(messages: readonly StepMessage[]): Promise<readonly number[]> {
      const fresh = messages.filter((message) => !known.has(message))
      for (const [message, tokens] of zip(fresh, await count(fresh.map(textOf)))) known.set(message, tokens)
      return messages.map((message) => known.get(message) ?? 0)
    },
    /** Those of definitions that were found later. */
    async definitions(found: readonly ToolDefinition[]): Promise<number> {
      const counts = await count(found.map((one) => JSON.stringify(one)))
      return counts.reduce((sum, tokens) => sum + tokens, 0)
    },
  }
}

const textOf = (message: StepMessage): string => {
  switch (message.role) {
    case 'tool':
      return message.content
    case 'assistant':
      return [message.text, ...message.calls.map((call) => `${call.name} ${call.arguments}`)].join('\n')
  }
}
