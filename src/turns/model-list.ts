import { calibrationKey } from '../prompt/calibration.ts'
import type { ConfiguredModel, TurnStore } from './ports.ts'
import type { CalibrationStore } from '../prompt/ports.ts'
import type { Backend, ModelSettings } from '../prompt/model-settings.ts'

/** A model as `/models` shows it. */
export interface ModelStatus {
  /** As people call it, without `@`. */
  readonly name: string
  readonly backend: Backend
  /** The provider's own name for it. */
  readonly model: string
  readonly enabled: boolean
  /** Tokens, prompt and answer together. */
  readonly contextWindow: number
  readonly maxOutput: number
  readonly encoding: string
  /** Our counts times this are its provider's, as its reports say; 1 while there were none. */
  readonly calibration: number
  /** Reports that the calibration was learned from. */
  readonly reports: number
  /** Turns it began, ever. */
  readonly turns: number
  /** Tokens its provider says it read. */
  readonly input: number
  /** Tokens it wrote. */
  readonly output: number
}

/** All configured models, in order of the config. Rejects with `StorageError`. */
export async function listModels(
  models: readonly ConfiguredModel[],
  store: Pick<TurnStore, 'usage'>,
  calibrations: Pick<CalibrationStore, 'find'>,
): Promise<readonly ModelStatus[]> {
  const spent = new Map((await store.usage({ since: 0 })).map((one) => [one.model, one]))
  const learned = await Promise.all(models.map(({ settings }) => calibrations.find(calibrationKey(settings))))
  return models.map(({ settings }, index) => {
    const { turns = 0, input = 0, output = 0 } = spent.get(settings.name) ?? {}
    const { factor = 1, reports = 0 } = learned[index] ?? {}
    return { ...shown(settings), calibration: factor, reports, turns, input, output }
  })
}

/** Named one by one: what a config holds besides, such as a key, must never get out. */
const shown = ({ name, backend, model, enabled, contextWindow, maxOutput, encoding }: ModelSettings) => ({
  name,
  backend,
  model,
  enabled,
  contextWindow,
  maxOutput,
  encoding,
})
