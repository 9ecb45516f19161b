import type { Stores } from '../../adapters/storage/storage.ts'
import {
  createCalibrations,
  type Calibrations,
  type TellAdmins,
} from '../../prompt/calibration/calibration.ts'
import { createBills } from '../../turns/bill/bill.ts'
import { createTokenQuotas, type CheckQuotas, type QuotaLimits } from '../../turns/bill/token-quotas.ts'
import { createKnownModels, type KnownModels } from '../../turns/known-models.ts'
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
  readonly known: KnownModels
  readonly checkQuotas: CheckQuotas
  readonly turnLog: TurnLog
}

/** `configured` gives all models of now, those that are not enabled as well. */
export function createModelServices(
  configured: () => readonly ConfiguredModel[],
  stores: Stores['models'],
  limits: QuotaLimits,
  { clock, log, nextId }: Pick<AppContext, 'clock' | 'log' | 'nextId'>,
  tellAdmins: TellAdmins,
): ModelServices {
  const { turns, charges } = stores
  const calibrations = createCalibrations(stores.calibrations, clock, log, tellAdmins)
  const known = createKnownModels(stores.facts, clock, log)
  const checkQuotas = createTokenQuotas(charges, clock, limits)
  const bills = createBills(charges, checkQuotas, clock)
  return {
    enabled: () => configured().filter(({ settings }) => settings.enabled),
    list: (viewer) => listModels(configured(), viewer, { charges, calibrations, known }),
    calibrations,
    known,
    checkQuotas,
    turnLog: createTurnLog(turns, bills, nextId, clock),
  }
}
