import {
  type Calibrations,
  type CountedRequest,
  promptBudget,
  type ModelSettings,
  type Composer,
  type Prompt,
  type HistoryRow,
} from '../wrap/index.ts'
import type { Picture } from '../words/picture.ts'
import { SYSTEM } from '../words/names.ts'
import { textsOfStrangers } from './memory/index.ts'
import { labelOf } from './personas.ts'
import { attributed, type Snapshots } from './gather-snapshot.ts'
import { isOwnLine, MessagePictures, type PictureLimits, type ShownPictures } from './pictures.ts'
import { framedTokens } from '../wrap/scope/index.ts'
import { type SearchDependencies, weighedTexts, createOffer, type SentOffer } from '../wrap/toolbox/index.ts'
import type { OpenToolbox, ToolCaller } from './room-toolbox.ts'
import type { FindScopedTools, ScopedTools } from './scoped-tools.ts'
import type { ChatView, Workspaces } from '../tools/index.ts'
import { createFitMessages, type FitMessages, type ShownMessages, tokensOfPictures } from './fit-messages.ts'
import { TurnTools } from './turn-tools.ts'
import type { Turn, PreparedStep } from './turn.ts'

// How the steps of a turn are prepared. The first has a prompt and no messages; each step makes the next one:
//
//     prepare ─► step 1 ─ next ─► step 2 ─ next ─► step 3 …
//                  └─ again ─► step 1 once more, if its request was refused
//
// `next` keeps the prompt as long as it may, so that the provider's cache stays valid; `again` composes anew.

/** Prepares a turn's first step. Rejects with `WrapError`, `StorageError`, or the signal's reason. */
export type PrepareStep = (turn: Turn) => Promise<PreparedStep>

interface StepParts {
  readonly scopedTools: FindScopedTools
  readonly snapshots: Snapshots
  readonly composer: Pick<Composer, 'compose' | 'count'>
  readonly calibrations: Pick<Calibrations, 'budgetFactor'>
  readonly openToolbox: OpenToolbox
  readonly workspaces: Workspaces
  readonly limits: PictureLimits
}

export const createPrepareStep =
  (parts: StepParts): PrepareStep =>
  (turn) =>
    new TurnSteps(turn, parts).first()

interface Composed {
  readonly prompt: Prompt
  readonly pictures: readonly Picture[]
  readonly rows: readonly HistoryRow[]
  /** Tokens reserved for the messages of earlier steps. */
  readonly reserve: number
  /** `TurnTools.searches` when the prompt was composed. */
  readonly searches: number
}

class TurnSteps {
  readonly #turn: Turn
  readonly #parts: StepParts
  readonly #caller: ReturnType<typeof callerOf>
  readonly #used = new TurnTools()
  readonly #fitMessages: FitMessages
  readonly #pictures: MessagePictures

  constructor(turn: Turn, parts: StepParts) {
    this.#turn = turn
    this.#parts = parts
    this.#caller = callerOf(turn)
    this.#pictures = picturesOf(turn, parts)
    this.#fitMessages = createFitMessages(parts.composer, turn.settings.encoding)
  }

  async first(): Promise<PreparedStep> {
    const scoped = this.#parts.scopedTools(this.#caller)
    const [tools, composed] = await Promise.all([scoped, this.#compose(scoped, 0)])
    return this.#createStep(composed, tools, { messages: [], tokens: 0 })
  }

  /** `tools` are the tools in scope that the prompt was composed with. */
  #createStep(composed: Composed, tools: ScopedTools, steps: ShownMessages): PreparedStep {
    const { prompt, rows, pictures } = composed
    const { used } = prompt.budget
    const offer = this.#offer(prompt, tools)
    return {
      content: {
        prompt,
        messages: steps.messages,
        tools: offer.definitions,
        ...(pictures.length > 0 ? { pictures } : {}),
      },
      rows,
      toolIds: offer.ids,
      nameOf: offer.nameOf,
      size: sizeOf(prompt, this.#turn.settings, steps),
      toolbox: this.#parts.openToolbox(this.#caller, offer, spaceForMessages(composed) - steps.tokens),
      next: async (all) => {
        const now = await this.#parts.scopedTools(this.#caller)
        this.#used.readCalls(all, offer)
        const space = await this.#spaceNow(composed)
        const shown = await this.#fitMessages(all, spaceForMessages(composed, space))
        const fits = used + shown.tokens <= space
        const hasNewFinds = this.#used.searches > composed.searches
        const mayStay = fits && !hasNewFinds && this.#used.hasAllCalled(prompt) && sameTools(now, tools)
        return this.#createStep(mayStay ? composed : await this.#compose(now, shown.tokens), now, shown)
      },
      again: async (all) => {
        const now = await this.#parts.scopedTools(this.#caller)
        this.#used.readCalls(all, offer)
        // The known window may have become smaller, so the space is that of a new prompt.
        const alone = await this.#compose(now, 0)
        const shown = await this.#fitMessages(all, spaceForMessages(alone))
        const composedAgain = shown.tokens === 0 ? alone : await this.#compose(now, shown.tokens)
        return this.#createStep(composedAgain, now, shown)
      },
    }
  }

  #compose(tools: ScopedTools | Promise<ScopedTools>, reserve: number): Promise<Composed> {
    return this.#pictures.composeWith(tools, (shown) => this.#composeWith(tools, reserve, shown))
  }

  async #composeWith(
    tools: ScopedTools | Promise<ScopedTools>,
    reserve: number,
    shown?: ShownPictures,
  ): Promise<Composed> {
    const { room, requester, message, settings: model, origin, persona, routine, signal } = this.#turn
    const { found, called, searches } = this.#used
    const inTurn = { found: [...found], called: [...called] }
    const fresh = origin?.fresh ?? false
    // A side turn must not end in silence, because it answers the model that started it.
    const inRun = routine && !origin ? { routine } : {}
    const given = { ...(persona && { persona }), ...inRun, ...(shown && { shown }) }
    const occasion = { room, requester, model, message, fresh, reserve, inTurn, ...given }
    const snapshot = await this.#parts.snapshots.gather(occasion, tools)
    const prompt = await this.#parts.composer.compose(snapshot, signal)
    return { prompt, pictures: shown?.pictures ?? [], rows: snapshot.history, reserve, searches }
  }

  /** Tokens for prompt and messages together. Reports of this turn's requests may have lowered the number. */
  async #spaceNow({ prompt: { budget }, reserve }: Composed): Promise<number> {
    const { settings: model } = this.#turn
    const calibration = await this.#parts.calibrations.budgetFactor(model)
    return Math.min(budget.target + reserve, promptBudget({ ...model, calibration }))
  }

  #offer(prompt: Prompt, tools: ScopedTools): SentOffer {
    return createOffer(prompt, tools, {
      offered: this.#used.offered,
      found: (some) => this.#used.addFound(some),
      weigh: (some) => weigh(some, this.#turn.settings, this.#parts.composer),
      space: (sentAs) => {
        const calledNow = this.#used.tokensOfNew(this.#caller.chat.messages, { sentAs })
        return Math.max(0, (prompt.findable ?? 0) - calledNow)
      },
    })
  }
}

function picturesOf(turn: Turn, { workspaces, limits }: StepParts): MessagePictures {
  const message = {
    text: isOwnLine(turn) ? turn.message.text : '',
    get settings() {
      return turn.settings
    },
    tell: async (text: string) =>
      void (await turn.room.record({ kind: 'notice', level: 'info', author: SYSTEM, text })),
  }
  return new MessagePictures(message, workspaces.of(turn.room.name), limits)
}

/** The turn as its tools see it. `model` is a getter because the settings may change during the turn. */
function callerOf(turn: Turn) {
  const { recorder, room, requester, message, permissions, report, origin, insteadOf, messages } = turn
  const { panel, persona, routine } = turn
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
      id: recorder.id,
      model: labelOf(turn),
      currentRoom: { name: room.name },
      subTurns: turn.sideTurns,
      textsOfStrangers: () => textsOfStrangers(turn),
    },
    chat,
    report,
    ...(permissions ? { permissions } : {}),
    ...(persona ? { persona } : {}),
    ...(routine ? { routine } : {}),
    ...(origin?.within ? { within: origin.within } : {}),
    ...(panel ? { readsOnly: true as const } : {}),
    ...(insteadOf ? { insteadOf } : {}),
  } satisfies ToolCaller
}

/** Tokens for a turn's messages. Includes those of older conversation, which may be dropped for them. */
const spaceForMessages = (
  { prompt: { budget }, reserve }: Composed,
  space = budget.target + reserve,
): number => space - (budget.used - budget.context)

function sizeOf(
  prompt: Prompt,
  settings: ModelSettings,
  { tokens, messages }: ShownMessages,
): CountedRequest {
  const { used } = prompt.budget
  const pictures = messages.reduce((all, one) => all + tokensOfPictures(one), prompt.budget.pictures ?? 0)
  const framing = framingTokens(prompt, settings) + pictures
  return { counted: used + tokens, framing, ...(pictures > 0 ? { pictures } : {}) }
}

/** Returns how many tokens the provider is expected to add to a prompt. */
const framingTokens = ({ budget, tools }: Prompt, { framing: { perTool } }: ModelSettings): number =>
  budget.framing + perTool * tools.filter((tool) => tool.definition).length

const sameTools = (a: ScopedTools, b: ScopedTools): boolean =>
  a.visible.length === b.visible.length && a.visible.every((tool, index) => tool === b.visible[index])

/** Counts what each tool found by `find_tools` adds to the next prompt: its definition and its line. */
async function weigh(
  tools: Parameters<SearchDependencies['weigh']>[0],
  { encoding, framing }: ModelSettings,
  composer: Pick<Composer, 'count'>,
): Promise<readonly number[]> {
  if (tools.length === 0) return []
  const counts = await composer.count(encoding, tools.flatMap(weighedTexts))
  return tools.map((_, index) => {
    const [definition = 0, line = 0] = counts.slice(2 * index, 2 * index + 2)
    return framedTokens(definition, framing) + line
  })
}
