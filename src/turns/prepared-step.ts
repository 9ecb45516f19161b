import type { MessageEntry, TurnId } from '../chat/entry.ts'
import type { Person } from '../chat/person.ts'
import type { Clock, Log } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import type { ResultStore, Workspaces } from '../tools/ports.ts'
import type { PermissionProvider, SideTurns, ToolLimits } from '../tools/tool.ts'
import type { Composer } from '../prompt/ports.ts'
import type { Prompt, ToolDefinition } from '../prompt/prompt.ts'
import type { Bounds } from '../prompt/scope.ts'
import type { HistoryRow } from '../prompt/snapshot.ts'
import { createOffer, type Found } from '../toolbox/offer.ts'
import type { ConfiguredModel, StepMessage } from './ports.ts'
import { allowanceFor, tokensOf } from '../toolbox/results.ts'
import { gatherSnapshot, type SnapshotParts } from '../prompt/gather-snapshot.ts'
import { createToolbox, type Toolbox, type ToolboxParts } from '../toolbox/toolbox.ts'
import { viewTools, type View, type ViewParts } from '../toolbox/scoped-tools.ts'

/** What the next step of a turn is made with: its prompt, and the tools that go with it. */
export interface Stage {
  readonly prompt: Prompt
  readonly toolbox: Toolbox
  /** Tokens of the request that the next step makes, as we count them. */
  readonly tokens: number
  /** The rows of history that were read for it. */
  readonly rows: readonly HistoryRow[]
  /**
   * Prepares the step after these: composes again where tools or scope changed, or where the steps have
   * grown so long that older history must give way to them. Rejects with `WrapError`.
   */
  refresh(steps: readonly StepMessage[], signal: AbortSignal): Promise<void>
}

/** What stages are made from. */
export interface StageParts extends SnapshotParts, ViewParts {
  readonly rooms: SnapshotParts['rooms'] & ViewParts['rooms']
  readonly composer: Pick<Composer, 'compose' | 'count'>
  readonly permissions: PermissionProvider
  readonly workspaces: Workspaces
  readonly results: Pick<ResultStore, 'put'>
  readonly limits: { readonly tools: ToolLimits }
  readonly clock: Clock
  readonly log: Log
}

/** The part of a turn's job that its stages look at. */
export interface StageJob {
  readonly id: TurnId
  readonly room: Room
  readonly requester: Person
  readonly model: ConfiguredModel
  readonly message: MessageEntry
  /** Those of the parts when absent. */
  readonly permissions?: PermissionProvider
  /** The side turns that it may start. */
  readonly side?: SideTurns
  /** For a side turn: what it may use, and whether it starts without the conversation. */
  readonly within?: Bounds
  readonly fresh?: boolean
}

/** Rejects with `WrapError`, `StorageError`, or the signal's reason. */
export async function createStage(job: StageJob, parts: StageParts, signal: AbortSignal): Promise<Stage> {
  const { room, requester, within, fresh, message } = job
  const viewer = { room, requester, model: job.model.settings, ...(within ? { within } : {}) }
  const viewNow = (): Promise<View> => viewTools(parts, viewer)
  const toolboxParts = { ...toolboxPartsOf(job, parts, viewNow), allowance: () => allowanceFor(tokensLeft()) }
  const stepTokens = createStepMeter(parts.composer, viewer.model.encoding)
  const found: Found = new Set()

  async function compose(view: View, reserve: number): Promise<Prompt> {
    const snapshot = await gatherSnapshot(parts, { ...viewer, message, fresh, reserve }, view)
    rows = snapshot.history
    return await parts.composer.compose(snapshot, signal)
  }

  /** What results may still take, if all of the older conversation gives way to them. */
  function tokensLeft(): number {
    const { target, system, tools, message, framing } = prompt.budget
    return target + reserved - system - tools - message - framing - counted - read
  }

  /** A toolbox for one step, which keeps count of what the model was given to read in it. */
  function openToolbox(): Toolbox {
    read = 0
    const { run, ...rest } = createToolbox(toolboxParts, createOffer(prompt, view, found))
    return {
      ...rest,
      async run(call, stop) {
        const entry = await run(call, stop)
        read += tokensOf(entry.text)
        return entry
      },
    }
  }

  let rows: readonly HistoryRow[] = []
  let view = await viewNow()
  let prompt = await compose(view, 0)
  let reserved = 0
  let counted = 0
  let read = 0
  let toolbox = openToolbox()

  return {
    get prompt() {
      return prompt
    },
    get rows() {
      return rows
    },
    get tokens() {
      return prompt.budget.used + counted
    },
    get toolbox() {
      return toolbox
    },
    async refresh(steps) {
      const now = await viewNow()
      const offered = createOffer(prompt, view, found).definitions
      counted = await stepTokens(steps, offered.slice(definitionsIn(prompt)))
      const room = prompt.budget.target + reserved - prompt.budget.used
      if (counted > room || !sameTools(now, view)) {
        prompt = await compose(now, counted)
        reserved = counted
      }
      view = now
      toolbox = openToolbox()
    },
  }
}

const definitionsIn = (prompt: Prompt): number => prompt.tools.filter((tool) => tool.definition).length

const sameTools = (a: View, b: View): boolean =>
  a.visible.length === b.visible.length && a.visible.every((tool, index) => tool === b.visible[index])

const toolboxPartsOf = (job: StageJob, parts: StageParts, view: () => Promise<View>): ToolboxParts => ({
  turn: job.id,
  viewer: { room: job.room, requester: job.requester, model: job.model.settings },
  caller: job.model.settings.name,
  view,
  permissions: job.permissions ?? parts.permissions,
  place: { room: job.room.name },
  ...(job.side ? { side: job.side } : {}),
  workspace: parts.workspaces.of(job.room.name),
  limits: parts.limits.tools,
  results: parts.results,
  clock: parts.clock,
  log: parts.log,
})

/** What providers add around a message or a call; a few tokens, taken high. */
const FRAMING = 8

/** Counts the tokens of a turn's steps and of definitions that came later; each step is counted once. */
function createStepMeter(composer: Pick<Composer, 'count'>, encoding: string) {
  let counted = 0
  let sum = 0
  return async (steps: readonly StepMessage[], later: readonly ToolDefinition[]): Promise<number> => {
    const texts = steps.slice(counted).map(textOf)
    const counts = await composer.count(encoding, [...texts, ...later.map((one) => JSON.stringify(one))])
    sum += texts.reduce((total, _text, index) => total + counts[index]! + FRAMING, 0)
    counted = steps.length
    return counts.slice(texts.length).reduce((total, count) => total + count + FRAMING, sum)
  }
}

const textOf = (step: StepMessage): string =>
  step.role === 'tool'
    ? step.content
    : [step.text, ...step.calls.map((call) => `${call.name} ${call.arguments}`)].join('\n')
