import type { Storage } from '../adapters/storage/storage.ts'
import type { Clock, Log, MonotonicClock } from '../chat/ports.ts'
import { createCalibrations } from '../prompt/calibration/calibration.ts'
import { createSnapshots } from '../prompt/gather-snapshot.ts'
import { createHistoryCounts } from '../prompt/history-counts.ts'
import type { RoomHooks } from '../prompt/hooks/room-hooks.ts'
import type { Composer } from '../prompt/ports.ts'
import type { FindScopedTools } from '../toolbox/scoped-tools.ts'
import type { OpenToolbox } from '../toolbox/room-toolbox.ts'
import { callingMentioned } from '../turns/called-by-models.ts'
import { createKnownModels } from '../turns/known-models.ts'
import { listModels } from '../turns/model-list.ts'
import type { ConfiguredModel } from '../turns/ports.ts'
import { createPrepareStep } from '../turns/prepared-step.ts'
import { createPreview } from '../turns/preview.ts'
import { createTurnQueue, type QueueLimits } from '../turns/queue.ts'
import { createSubTurns } from '../turns/sub-turns.ts'
import { tellingHooks } from '../turns/scripts/telling-hooks.ts'
import { createTokenQuotas, type QuotaLimits } from '../turns/token-quotas.ts'
import { createTurnLog } from '../turns/turn-log.ts'
import { createRunTurn, type TurnLimits } from '../turns/turn.ts'
import { createTurns, type Turns } from '../turns/turns.ts'

/** What turns are put together from. */
export interface TurnAssembly {
  readonly context: {
    readonly clock: Clock & MonotonicClock
    readonly log: Log
    readonly nextId: () => string
  }
  readonly stores: Pick<Storage, 'turns' | 'rooms' | 'history' | 'scripts' | 'calibrations'>
  /** Gives all models that are configured now, in order of the config. */
  readonly models: () => readonly ConfiguredModel[]
  readonly composer: Pick<Composer, 'compose' | 'count' | 'check'>
  readonly scopedTools: FindScopedTools
  readonly openToolbox: OpenToolbox
  readonly hooks: Pick<RoomHooks, 'afterTurn'>
  /** `turn_depth` is how deep sub-turns go. */
  readonly limits: QueueLimits & QuotaLimits & TurnLimits & { readonly turn_depth: number }
}

/** Share of a prompt that tools may take before their descriptions are shortened. */
const TOOLS_SHARE = 0.4

/** Joins the parts of a turn: its snapshots, its steps, what is learned from it and where it is stored. */
export function assembleTurns(assembly: TurnAssembly): Turns {
  const { context, stores, models: all, composer, scopedTools, openToolbox, hooks, limits } = assembly
  const { clock, log, nextId } = context
  const { rooms, history, scripts } = stores
  const models = () => all().filter(({ settings }) => settings.enabled)
  const modelNames = () => models().map(({ settings }) => settings.name)
  const calibrations = createCalibrations(stores.calibrations, clock, log)
  const known = createKnownModels(stores.calibrations, clock, log)
  const facts = { rooms, history, scripts, calibrations, clock, modelNames }
  const snapshots = createSnapshots({ ...facts, toolsShare: TOOLS_SHARE })
  const turnLog = createTurnLog(stores.turns, nextId, clock)
  const prepareStep = createPrepareStep({ scopedTools, snapshots, composer, openToolbox })
  const startSubTurns = createSubTurns({ models, turnLog, limits })
  const rememberCounts = createHistoryCounts(history, composer, log)
  const runTurn = createRunTurn({
    ...{ prepareStep, calibrations, known, rememberCounts, startSubTurns },
    ...{ models, limits, log },
  })
  const turns: Turns = createTurns({
    models,
    listModels: () => listModels(all(), stores.turns, calibrations, known),
    preview: createPreview(scopedTools, snapshots, composer, known),
    checkQuotas: createTokenQuotas(stores.turns, clock, limits),
    takeSlot: createTurnQueue(limits),
    turnLog,
    runTurn: callingMentioned(tellingHooks(runTurn, hooks, clock), () => turns, limits),
    log,
  })
  return turns
}
