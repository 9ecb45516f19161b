// Joins the parts of turns, and of the summaries that the same models make, for the composition root (../activity.ts) and for
// tests. This folder must not know how a room is shown, nor where a config comes from; it decides nothing about a turn.

import type { Stores } from '../../adapters/storage/storage.ts'
import { createSnapshots, createHistoryCounts } from '../../prompt/gather-snapshot.ts'
import type { RoomHooks } from '../../prompt/hooks.ts'
import type { Composer } from '../../prompt/ports.ts'
import type { Snapshot } from '../../prompt/snapshot.ts'
import type { OpenToolbox } from '../../toolbox/room-toolbox.ts'
import type { FindScopedTools } from '../../toolbox/scoped-tools.ts'
import { callingMentioned, type CallLimits, tellingHooks } from '../../turns/after-turn.ts'
import { createPrepareStep } from '../../turns/prepare-step.ts'
import { createPreview } from '../../turns/preview.ts'
import type { QueueLimits } from '../../turns/queue.ts'
import type { SideTurnLimits } from '../../turns/side-turns.ts'
import { createRunTurn, type TurnLimits } from '../../turns/turn.ts'
import { Turns } from '../../turns/turns.ts'
import type { AppContext } from '../context.ts'
import type { ModelServices } from './model-services.ts'

/** What turns are put together from. */
export interface TurnAssembly {
  readonly context: Pick<AppContext, 'clock' | 'log'>
  readonly stores: Pick<Stores, 'chat' | 'prompts'>
  readonly models: ModelServices
  readonly composer: Pick<Composer, 'compose' | 'count' | 'check'>
  readonly scopedTools: FindScopedTools
  readonly openToolbox: OpenToolbox
  readonly hooks: Pick<RoomHooks, 'afterTurn'>
  readonly limits: QueueLimits & TurnLimits & SideTurnLimits & CallLimits & ToolsLimit
}

/** Share of a prompt that tools may take before their descriptions are shortened. */
const TOOLS_SHARE = 0.4

/** A key of `[limits]`. */
interface ToolsLimit {
  /** Tokens that tools may take of any prompt, and never more than their share; 0: only the share bounds them. */
  readonly tools_tokens: number
}

const toolsBounds = ({
  tools_tokens: toolsTokens,
}: ToolsLimit): Pick<Snapshot, 'toolsShare' | 'toolsTokens'> => ({
  toolsShare: TOOLS_SHARE,
  ...(toolsTokens === 0 ? {} : { toolsTokens }),
})

/** Joins the parts of a turn: its snapshots, its steps, and what is learned from it. */
export function assembleTurns(assembly: TurnAssembly): Turns {
  const { context, stores, models, composer, scopedTools, openToolbox, hooks, limits } = assembly
  const { clock, log } = context
  const { enabled, calibrations, modelFacts, turnLog } = models
  const { history, scripts, summaries } = stores.prompts
  const snapshots = createSnapshots({
    rooms: stores.chat.rooms,
    history,
    scripts,
    summaries,
    calibrations,
    clock,
    modelNames: () => enabled().map(({ settings }) => settings.name),
    toolsBounds: () => toolsBounds(limits),
  })
  const runTurn = createRunTurn({
    prepareStep: createPrepareStep({ scopedTools, snapshots, composer, calibrations, openToolbox }),
    calibrations,
    composer,
    modelFacts,
    turnLog,
    rememberCounts: createHistoryCounts(history, composer, log),
    models: enabled,
    limits,
    log,
  })
  const turns: Turns = new Turns({
    models: enabled,
    listModels: models.list,
    preview: createPreview({ models: enabled, scopedTools, snapshots, composer, modelFacts }),
    checkQuotas: models.checkQuotas,
    slots: models.slots,
    limits,
    turnLog,
    runTurn: callingMentioned(tellingHooks(runTurn, hooks, clock), () => turns, limits),
    log,
  })
  return turns
}
