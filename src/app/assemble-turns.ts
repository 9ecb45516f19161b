import type { Storage } from '../adapters/storage/storage.ts'
import type { RoomName } from '../chat/entry.ts'
import type { Alarm, Clock, Log, MonotonicClock } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import { createCalibrations } from '../prompt/calibration/calibration.ts'
import { createSnapshots } from '../prompt/gather-snapshot.ts'
import { createHistoryCounts } from '../prompt/history-counts.ts'
import type { RoomHooks } from '../prompt/hooks/room-hooks.ts'
import type { Composer } from '../prompt/ports.ts'
import type { FindScopedTools } from '../toolbox/scoped-tools.ts'
import type { OpenToolbox } from '../toolbox/room-toolbox.ts'
import { createBills } from '../turns/bill/bill.ts'
import { createOwnCount } from '../turns/bill/own-count.ts'
import { createTokenQuotas, type QuotaLimits } from '../turns/bill/token-quotas.ts'
import { callingMentioned, type CallLimits } from '../turns/called-by-models.ts'
import { createKnownModels } from '../turns/known-models.ts'
import { listModels } from '../turns/model-list.ts'
import type { ConfiguredModel } from '../turns/ports.ts'
import { createPrepareStep } from '../turns/prepared-step.ts'
import { createPreview } from '../turns/preview.ts'
import { createTurnQueue, type QueueLimits } from '../turns/queue.ts'
import { tellingHooks } from '../turns/scripts/telling-hooks.ts'
import { createSubTurns, type SubTurnLimits } from '../turns/sub-turns.ts'
import { createMakeSummary, type MakeSummary } from '../turns/summaries/make-summary.ts'
import { createSumUp } from '../turns/summaries/sum-up.ts'
import { createSummaries, type Summaries } from '../turns/summaries/summaries.ts'
import { createTroubles } from '../turns/summaries/troubles.ts'
import { createTurnLog } from '../turns/turn-log.ts'
import { createRunTurn, type TurnLimits } from '../turns/turn.ts'
import { createTurns, type Turns } from '../turns/turns.ts'

/** What turns are put together from. */
export interface TurnAssembly {
  readonly context: {
    readonly clock: Clock & MonotonicClock & Alarm
    readonly log: Log
    readonly nextId: () => string
  }
  readonly stores: Pick<Storage, 'turns' | 'rooms' | 'history' | 'scripts' | 'summaries' | 'calibrations'>
  /** Gives all models that are configured now, in order of the config. */
  readonly models: () => readonly ConfiguredModel[]
  readonly memory: {
    /** A room by name, whoever may see it. */
    readonly anyRoom: (name: RoomName) => Promise<Room | undefined>
    /** Gives the name of the model that sums up rooms which name none; undefined for none. */
    readonly usualSummarizer: () => string | undefined
  }
  readonly composer: Pick<Composer, 'compose' | 'count' | 'check'>
  readonly scopedTools: FindScopedTools
  readonly openToolbox: OpenToolbox
  readonly hooks: Pick<RoomHooks, 'afterTurn'>
  readonly limits: QueueLimits & QuotaLimits & TurnLimits & SubTurnLimits & CallLimits
}

/** Share of a prompt that tools may take before their descriptions are shortened. */
const TOOLS_SHARE = 0.4

/**
 * Joins the parts of a turn: its snapshots, its steps, what is learned from it and where it is stored; and the summaries of
 * rooms, which ask the same models.
 */
export function assembleTurns(assembly: TurnAssembly): {
  readonly turns: Turns
  readonly summaries: Summaries
} {
  const { context, stores, models: all, composer, scopedTools, openToolbox, hooks, limits } = assembly
  const { clock, log, nextId } = context
  const { rooms, history, scripts, summaries } = stores
  const models = () => all().filter(({ settings }) => settings.enabled)
  const modelNames = () => models().map(({ settings }) => settings.name)
  const calibrations = createCalibrations(stores.calibrations, clock, log)
  const known = createKnownModels(stores.calibrations, clock, log)
  const facts = { rooms, history, scripts, summaries, calibrations, clock, modelNames }
  const snapshots = createSnapshots({ ...facts, toolsShare: TOOLS_SHARE })
  const checkQuotas = createTokenQuotas(stores.turns, clock, limits)
  const ownCount = createOwnCount({ composer, calibrations })
  const bills = createBills(stores.turns, checkQuotas, ownCount, clock)
  const turnLog = createTurnLog(stores.turns, bills, nextId, clock)
  const prepareStep = createPrepareStep({ scopedTools, snapshots, composer, openToolbox })
  const startSubTurns = createSubTurns({ models, turnLog, limits })
  const rememberCounts = createHistoryCounts(history, composer, log)
  const runTurn = createRunTurn({
    prepareStep,
    calibrations,
    known,
    rememberCounts,
    startSubTurns,
    models,
    limits,
    log,
  })
  const turns: Turns = createTurns({
    models,
    listModels: (viewer) => listModels(all(), viewer, { charges: stores.turns, calibrations, known }),
    preview: createPreview(scopedTools, snapshots, composer, known),
    checkQuotas,
    takeSlot: createTurnQueue(limits),
    turnLog,
    runTurn: callingMentioned(tellingHooks(runTurn, hooks, clock), () => turns, limits),
    log,
  })
  const makeSummary = createMakeSummary({
    checkQuotas,
    turnLog,
    calibrations,
    known,
    composer,
    limits,
  })
  return { turns, summaries: summariesFor(assembly, models, makeSummary) }
}

function summariesFor(
  { context, stores, composer, memory: { anyRoom, usualSummarizer } }: TurnAssembly,
  models: () => readonly ConfiguredModel[],
  makeSummary: MakeSummary,
): Summaries {
  const { clock, log } = context
  const { rooms, history, summaries } = stores
  const sumUp = createSumUp({
    rooms,
    history,
    summaries,
    composer,
    clock,
    models,
    usualSummarizer,
    makeSummary,
  })
  const troubles = createTroubles(anyRoom, clock, log)
  return createSummaries({ rooms, summaries, sumUp, troubles, clock, log, usualSummarizer, models })
}
