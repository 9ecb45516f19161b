// Joins the parts of turns, and of the summaries that the same models make. It decides nothing about a turn.
import { createGuide, type GuidePlace, createModel } from '../models/index.ts'
import type { Stores } from '../storage/index.ts'
import type { RoomName, TurnId } from '../words/entry.ts'
import { type ByteQuota, Pins, type Slots, type Room, type Rooms } from '../chat/index.ts'
import { Calibrations, type Composer, type Snapshot } from '../wrap/index.ts'
import {
  createHistoryCounts,
  Snapshots,
  type RoomHooks,
  type OpenToolbox,
  type FindScopedTools,
  type CallLimits,
  withFollowUps,
  type CheckQuotas,
  createBills,
  createTokenQuotas,
  type QuotaLimits,
  InterruptedTurns,
  ModelFactsTable,
  listModels,
  createPrepareStep,
  createPreview,
  type PersonaLimits,
  Personas,
  type QueueLimits,
  type SideTurnLimits,
  TurnLog,
  createRunTurn,
  type TurnLimits,
  createWrittenCallNotice,
  type PictureLimits,
  Turns,
} from '../turns/index.ts'
import type { Workspaces } from '../tools/index.ts'
import type { ConfiguredModel } from '../wrap/loop/index.ts'
import type { Memories } from '../turns/memory/index.ts'
import { type PanelLimits, withPanels } from '../turns/panels/index.ts'
import { Summaries, SummarySizes } from '../turns/summaries/index.ts'
import type { AppContext, Overrides } from './context.ts'
import type { CurrentConfig } from './current-config.ts'
import { meteredModel } from './metering.ts'

export interface TurnAssembly {
  readonly context: Pick<AppContext, 'clock' | 'log'>
  readonly stores: Pick<Stores, 'chat' | 'prompts'>
  readonly models: ModelServices
  readonly composer: Pick<Composer, 'compose' | 'count' | 'check'>
  readonly scopedTools: FindScopedTools
  readonly openToolbox: OpenToolbox
  readonly workspaces: Workspaces
  readonly hooks: Pick<RoomHooks, 'afterTurn'>
  readonly memories: Memories
  readonly limits: QueueLimits &
    PanelLimits &
    PersonaLimits &
    TurnLimits &
    SideTurnLimits &
    CallLimits &
    ToolsLimit &
    PictureLimits
  readonly tellAdmins: (text: string) => void
}

/** The fraction of a prompt that tools may take before their descriptions are shortened. */
const TOOLS_SHARE = 0.4

/** A key of `[limits]`. */
interface ToolsLimit {
  /** Limit of the tokens that tools take of a prompt; 0 leaves only the limit of `TOOLS_SHARE`. */
  readonly tools_tokens: number
}

const toolsBounds = ({
  tools_tokens: toolsTokens,
}: ToolsLimit): Pick<Snapshot, 'toolsShare' | 'toolsTokens'> => ({
  toolsShare: TOOLS_SHARE,
  ...(toolsTokens === 0 ? {} : { toolsTokens }),
})

export function assembleTurns(assembly: TurnAssembly): Turns {
  const { context, stores, models, composer, scopedTools, openToolbox, hooks, limits } = assembly
  const { clock, log } = context
  const { enabled, calibrations, modelFacts, turnLog } = models
  const { history, scripts, instructions, summaries } = stores.prompts
  const personas = new Personas(stores.prompts.personas, enabled, limits)
  const snapshots = new Snapshots({
    rooms: stores.chat.rooms,
    pins: new Pins(stores.chat.rooms, stores.chat.entries),
    history,
    scripts,
    instructions,
    memories: assembly.memories,
    summaries,
    calibrations,
    clock,
    namesIn: (room) => personas.namesIn(room),
    toolsBounds: () => toolsBounds(limits),
  })
  const runTurn = createRunTurn({
    prepareStep: createPrepareStep({
      scopedTools,
      snapshots,
      composer,
      calibrations,
      openToolbox,
      limits,
      workspaces: assembly.workspaces,
    }),
    calibrations,
    composer,
    modelFacts,
    turnLog,
    rememberCounts: createHistoryCounts(history, composer, log),
    models: enabled,
    limits,
    onWrittenCall: createWrittenCallNotice(log, assembly.tellAdmins),
    log,
  })
  const runWithFollowUps = withFollowUps(withPanels(runTurn, { turnLog, log }), {
    turns: () => turns,
    hooks,
    clock,
    limits,
  })
  const turns: Turns = new Turns({
    models: enabled,
    listModels: models.list,
    preview: createPreview({
      models: enabled,
      personas,
      scopedTools,
      snapshots,
      composer,
      modelFacts,
      workspaces: assembly.workspaces,
      limits,
    }),
    personas,
    checkQuotas: models.checkQuotas,
    slots: models.slots,
    limits,
    turnLog,
    runWithFollowUps,
    log,
  })
  return turns
}

interface SummaryAssembly {
  readonly context: Pick<AppContext, 'clock' | 'log'>
  readonly stores: Pick<Stores, 'chat' | 'prompts'>
  readonly models: ModelServices
  readonly composer: Pick<Composer, 'count'>
  /** Finds a room by name without a check of access. */
  readonly anyRoom: (name: RoomName) => Promise<Room | undefined>
  /** Returns the name of the model that summarizes rooms without a model of their own; undefined for none. */
  readonly usualSummarizer: () => string | undefined
  readonly limits: TurnLimits
}

export function assembleSummaries(assembly: SummaryAssembly): Summaries {
  const { context, stores, models, composer, anyRoom, usualSummarizer, limits } = assembly
  const { checkQuotas, turnLog, calibrations, modelFacts, slots } = models
  return new Summaries({
    clock: context.clock,
    log: context.log,
    rooms: stores.chat.rooms,
    anyRoom,
    history: stores.prompts.history,
    summaries: stores.prompts.summaries,
    checkQuotas,
    turnLog,
    calibrations,
    modelFacts,
    slots,
    composer,
    limits,
    summarizers: { models: models.enabled, usual: usualSummarizer },
    sizes: new SummarySizes({ models: models.enabled, modelFacts, calibrations }),
  })
}

/**
 * Shared by turns and summaries: the models, learned facts about them, and the limits and records of their
 * requests.
 */
interface ModelServices {
  /** Returns the enabled models in order of the config. */
  readonly enabled: () => readonly ConfiguredModel[]
  readonly list: Turns['models']
  readonly calibrations: Calibrations
  readonly modelFacts: ModelFactsTable
  readonly checkQuotas: CheckQuotas
  readonly turnLog: TurnLog
  readonly slots: Slots
}

export interface ModelServicesParts {
  /** Returns all models of the current config, also disabled ones. */
  readonly models: () => readonly ConfiguredModel[]
  readonly stores: Pick<Stores, 'models'>
  readonly composer: Pick<Composer, 'count'>
  readonly limits: QuotaLimits
  readonly context: Pick<AppContext, 'clock' | 'log' | 'nextId'>
  readonly slots: Slots
  readonly chargeBytes: ByteQuota['charge']
  /** Called if the end of a turn could not be stored. */
  readonly lostTurn?: (turn: TurnId) => void
}

export function createModelServices(parts: ModelServicesParts): ModelServices {
  const { models, stores, composer, limits, context, slots, chargeBytes, lostTurn } = parts
  const { clock, log, nextId } = context
  const { turns, charges } = stores.models
  const calibrations = new Calibrations(stores.models.calibrations, clock, log)
  const modelFacts = new ModelFactsTable(clock, log)
  const checkQuotas = createTokenQuotas(charges, clock, limits)
  const openBill = createBills({ charges, checkQuotas, composer, calibrations, clock })
  return {
    enabled: () => models().filter(({ settings }) => settings.enabled),
    list: (viewer) => listModels(models(), viewer, { charges, calibrations, modelFacts }),
    calibrations,
    modelFacts,
    checkQuotas,
    turnLog: new TurnLog({ turns, openBill, chargeBytes, newId: nextId, clock, lostTurn }),
    slots,
  }
}

/** Returns the models of the current config with their adapters, which are created once for each config. */
export function configuredModels(
  current: CurrentConfig,
  overrides: Overrides,
  place: GuidePlace,
  meter: AppContext['meter'],
): () => readonly ConfiguredModel[] {
  const create: NonNullable<Overrides['createModel']> =
    overrides.createModel ??
    ((settings) => (settings.backend === 'guide' ? createGuide(settings.name, place) : createModel(settings)))
  let settingsOf = current.now().models
  const make = (): readonly ConfiguredModel[] =>
    settingsOf.map((settings) => ({
      settings,
      adapter: meteredModel(settings.name, create(settings), meter),
    }))
  let models = make()
  return () => {
    const { models: now } = current.now()
    if (now !== settingsOf) {
      settingsOf = now
      models = make()
    }
    return models
  }
}

export const createInterruptedTurns = (rooms: Rooms, { storage, log, clock }: AppContext): InterruptedTurns =>
  new InterruptedTurns({
    turns: storage.models.turns,
    entries: storage.chat.entries,
    clock,
    log,
    room: (name) => rooms.anyRoom(name),
    isShared: storage.cluster !== undefined,
  })
