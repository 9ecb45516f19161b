import type { Calibrations, CountedRequest } from '../prompt/calibration.ts'
import { promptBudget } from '../prompt/compose-prompt.ts'
import { attributed, type Snapshots } from '../prompt/gather-snapshot.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import type { Composer } from '../prompt/ports.ts'
import type { Prompt } from '../prompt/prompt.ts'
import type { HistoryRow, KeptTool, ToolsInTurn } from '../prompt/snapshot.ts'
import { framedTokens } from '../prompt/tool-definitions.ts'
import { type FoundTool, type SearchParts, weighedTexts } from '../toolbox/find-tools.ts'
import { createOffer, createOfferedSoFar, type OfferedSoFar, type SentOffer } from '../toolbox/offer.ts'
import type { OpenToolbox, RoomToolbox, ToolCaller } from '../toolbox/room-toolbox.ts'
import type { FindScopedTools, ScopedTools } from '../toolbox/scoped-tools.ts'
import type { ChatMessage, ChatView } from '../tools/context.ts'
import { createFitMessages, type ShownMessages } from './fit-messages.ts'
import type { ModelRequest, StepMessage } from './ports.ts'
import type { Turn } from './turn.ts'

// How the steps of a turn are prepared. The first has a prompt and no messages; every other is made by the one before it:
//
//     prepare ─► step 1 ─ next ─► step 2 ─ next ─► step 3 …
//                  └─ again ─► step 1 once more, where its request was refused
//
// `next` keeps the prompt of before as long as it may, so that what a provider has cached of it stays valid; `again` composes anew.

/** What a model reads in one step; how its request is to be answered, its settings say. */
type StepContent = Pick<ModelRequest, 'prompt' | 'messages' | 'tools'>

/** Everything that one step of a turn needs: what is sent, and what runs the calls that come back. */
export interface PreparedStep {
  /** What is sent. In its messages, what this turn has no more space for is shortened. */
  readonly content: StepContent
  /** Ids of all tools that can be called. */
  readonly toolIds: readonly string[]
  readonly toolbox: RoomToolbox
  /** This step's request in tokens, as we count it. */
  readonly size: CountedRequest
  /** The rows of history that the prompt was made from. */
  readonly rows: readonly HistoryRow[]
  /**
   * Prepares the step after this one. `messages` are all steps so far, whole. The prompt is composed again if the tools in
   * scope have changed, if some were found or called that it does not have, or if the messages need tokens that older history
   * has. Rejects as `PrepareStep` does.
   */
  next(messages: readonly StepMessage[]): Promise<PreparedStep>
  /** Prepares this step again, with what is known of the model and its provider by now. Rejects likewise. */
  again(messages: readonly StepMessage[]): Promise<PreparedStep>
}

/** Prepares the first step of a turn. Rejects with `WrapError`, `StorageError`, or the turn's signal's reason. */
export type PrepareStep = (turn: Turn) => Promise<PreparedStep>

/** What steps are prepared with. */
interface StepParts {
  readonly scopedTools: FindScopedTools
  readonly snapshots: Snapshots
  readonly composer: Pick<Composer, 'compose' | 'count'>
  readonly calibrations: Pick<Calibrations, 'budgetFactor'>
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
  ({ scopedTools, snapshots, composer, calibrations, openToolbox }: StepParts): PrepareStep =>
  async (turn) => {
    const { room, requester, message, signal } = turn
    const caller = callerOf(turn)
    const used = createTurnTools()
    const weigh = createToolScale(composer)
    const fitMessages = createFitMessages(composer, turn.settings.encoding)

    async function compose(tools: ScopedTools, reserve: number): Promise<Composed> {
      const { settings: model } = turn
      const { found, called } = used
      const searches = used.searches()
      const inTurn = { found: [...found], called: [...called] }
      const occasion = { room, requester, model, message, fresh: isFresh(turn), reserve, inTurn }
      const snapshot = await snapshots.gather(occasion, tools)
      return { prompt: await composer.compose(snapshot, signal), rows: snapshot.history, reserve, searches }
    }

    /** Tokens that prompt and messages may have together. The reports of this turn's own requests may have made them fewer. */
    async function spaceNow({ prompt: { budget }, reserve }: Composed): Promise<number> {
      const { settings: model } = turn
      const calibration = await calibrations.budgetFactor(model)
      return Math.min(budget.target + reserve, promptBudget({ ...model, calibration }))
    }

    /** False where a tool was called that an earlier request had offered and this prompt only names: it must come back. */
    const hasAllCalled = ({ tools: sent }: Prompt): boolean =>
      used.called.every(({ id }) => !sent.some((tool) => tool.id === id && tool.form === 'deferred'))

    const offerOf = ({ prompt }: Composed, tools: ScopedTools): SentOffer =>
      createOffer(prompt, tools, {
        offered: used.offered,
        found: used.find,
        weigh: (some) => weigh(some, turn.settings),
        space(sentAs) {
          const calledNow = used.tokensOfNew(caller.chat.messages, { sentAs })
          return Math.max(0, (prompt.findable ?? 0) - calledNow)
        },
      })

    /** The step with this prompt and these messages of earlier steps. `tools` are those in scope that the prompt was made from. */
    function prepared(composed: Composed, tools: ScopedTools, steps: ShownMessages): PreparedStep {
      const { prompt, rows } = composed
      const { used: promptTokens } = prompt.budget
      const offer = offerOf(composed, tools)

      async function next(all: readonly StepMessage[]): Promise<PreparedStep> {
        const now = await scopedTools(caller)
        used.readCalls(all, offer)
        const space = await spaceNow(composed)
        const shown = await fitMessages(all, spaceForMessages(composed, space))
        const fits = promptTokens + shown.tokens <= space
        const hasNewFinds = used.searches() > composed.searches
        const mayStay = fits && !hasNewFinds && hasAllCalled(prompt) && sameTools(now, tools)
        return prepared(mayStay ? composed : await compose(now, shown.tokens), now, shown)
      }

      async function again(all: readonly StepMessage[]): Promise<PreparedStep> {
        const now = await scopedTools(caller)
        used.readCalls(all, offer)
        // The window may be known to be smaller by now, so the space is that of a new prompt.
        const alone = await compose(now, 0)
        const shown = await fitMessages(all, spaceForMessages(alone))
        return prepared(shown.tokens === 0 ? alone : await compose(now, shown.tokens), now, shown)
      }

      return {
        content: { prompt, messages: steps.messages, tools: offer.definitions },
        rows,
        toolIds: offer.ids,
        size: { counted: promptTokens + steps.tokens, framing: framingIn(prompt, turn.settings) },
        toolbox: openToolbox(caller, offer, spaceForMessages(composed) - steps.tokens),
        next,
        again,
      }
    }

    const tools = await scopedTools(caller)
    return prepared(await compose(tools, 0), tools, { messages: [], tokens: 0 })
  }

const isFresh = ({ origin }: Turn): boolean => origin?.fresh ?? false

/** The turn as its tools see it. Its model is read for each prompt: what is known of it may change in mid-turn. */
function callerOf(turn: Turn) {
  const { recorder, room, requester, message, permissions, report, origin, messages } = turn
  const chat: ChatView = {
    model: turn.questions.model,
    get messages() {
      return [{ role: 'user' as const, text: attributed(message) }, ...messages]
    },
  }
  return {
    room,
    requester,
    get model() {
      return turn.settings
    },
    turn: {
      ...{ id: recorder.id, model: turn.settings.name, currentRoom: { name: room.name } },
      subTurns: turn.sideTurns,
    },
    chat,
    report,
    ...(permissions ? { permissions } : {}),
    ...(origin ? { within: origin.within } : {}),
  } satisfies ToolCaller
}

/** Tokens that messages of a turn may take: all of the older conversation may give way to them. */
const spaceForMessages = (
  { prompt: { budget }, reserve }: Composed,
  space = budget.target + reserve,
): number => space - (budget.used - budget.context)

/** Tokens of a prompt that are no text of ours, but what its provider is expected to add. */
const framingIn = ({ budget, tools }: Prompt, { framing: { perTool } }: ModelSettings): number =>
  budget.framing + perTool * tools.filter((tool) => tool.definition).length

const sameTools = (a: ScopedTools, b: ScopedTools): boolean =>
  a.visible.length === b.visible.length && a.visible.every((tool, index) => tool === b.visible[index])

/** What a turn has found and called of its tools. The prompts of its later steps keep these first. */
interface TurnTools extends ToolsInTurn {
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

function createTurnTools(): TurnTools {
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
const createToolScale =
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
