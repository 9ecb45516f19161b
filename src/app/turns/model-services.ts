import type { Stores } from '../../adapters/storage/storage.ts'
import type { TurnId } from '../../chat/entry.ts'
import type { Slots } from '../../chat/peers.ts'
import { createCalibrations, type Calibrations } from '../../prompt/calibration.ts'
import type { Composer } from '../../prompt/ports.ts'
import {
  type CheckQuotas,
  createBills,
  createOwnCount,
  createTokenQuotas,
  type QuotaLimits,
} from '../../turns/billing.ts'
import { ModelFactsTable } from '../../turns/model-facts.ts'
import { listModels } from '../../turns/model-list.ts'
import type { ConfiguredModel } from '../../turns/ports.ts'
import { createTurnLog, type TurnLog } from '../../turns/turn-log.ts'
import type { Turns } from '../../turns/turns.ts'
import type { AppContext } from '../context.ts'

/** What turns and summaries share: the models, what is known of them, and what bounds and records their requests. */
export interface ModelServices {
  /** Gives the models that can be called now, in order of the config. */
  readonly enabled: () => readonly ConfiguredModel[]
  readonly list: Turns['models']
  readonly calibrations: Calibrations
  readonly modelFacts: ModelFactsTable
  readonly checkQuotas: CheckQuotas
  readonly turnLog: TurnLog
  readonly slots: Slots
}

/** What these are put together from. */
export interface ModelServicesParts {
  /** Gives all models of now, those that are not enabled as well. */
  readonly models: () => readonly ConfiguredModel[]
  readonly stores: Pick<Stores, 'models'>
  readonly composer: Pick<Composer, 'count'>
  readonly limits: QuotaLimits
  readonly context: Pick<AppContext, 'clock' | 'log' | 'nextId'>
  readonly slots: Slots
  /** The end of a turn could not be stored. */
  readonly lostTurn?: (turn: TurnId) => void
}

export function createModelServices(parts: ModelServicesParts): ModelServices {
  const { models, stores, composer, limits, context, slots, lostTurn } = parts
  const { clock, log, nextId } = context
  const { turns, charges } = stores.models
  const calibrations = createCalibrations(stores.models.calibrations, clock, log)
  const modelFacts = new ModelFactsTable(clock, log)
  const checkQuotas = createTokenQuotas(charges, clock, limits)
  const ownCount = createOwnCount({ composer, calibrations })
  const bills = createBills(charges, checkQuotas, ownCount, clock)
  return {
    enabled: () => models().filter(({ settings }) => settings.enabled),
    list: (viewer) => listModels(models(), viewer, { charges, calibrations, modelFacts }),
    calibrations,
    modelFacts,
    checkQuotas,
    turnLog: createTurnLog(turns, bills, nextId, clock, lostTurn),
    slots,
  }
}
