import type { Calibrations } from '../prompt/calibration.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import type { ConfiguredModel, TurnStore } from './ports.ts'

/** The settings that anybody may see. */
type PublicSettings = Pick<
  ModelSettings,
  'name' | 'backend' | 'model' | 'enabled' | 'contextWindow' | 'maxOutput' | 'encoding'
>

/** A model as `/models` shows it. */
export interface ModelStatus extends PublicSettings {
  /** Our counts times this are its provider's counts, as far as its reports tell; 1 while there were none. */
  readonly calibration: number
  /** How many reports the calibration was learned from. */
  readonly reports: number
  /** Turns that it ever began. */
  readonly turns: number
  /** Tokens that its provider says it read. */
  readonly input: number
  /** Tokens that it wrote. */
  readonly output: number
}

/** All configured models, in order of the config. Rejects with `StorageError`. */
export async function listModels(
  models: readonly ConfiguredModel[],
  store: Pick<TurnStore, 'usage'>,
  calibrations: Pick<Calibrations, 'find'>,
): Promise<readonly ModelStatus[]> {
  const spent = new Map((await store.usage({ since: 0 })).map((one) => [one.model, one]))
  const list = models.map(async ({ settings }): Promise<ModelStatus> => {
    const { turns = 0, input = 0, output = 0 } = spent.get(settings.name) ?? {}
    const { factor = 1, reports = 0 } = (await calibrations.find(settings)) ?? {}
    return { ...publicSettings(settings), calibration: factor, reports, turns, input, output }
  })
  return await Promise.all(list)
}

/** Each field is named, because a config also has what nobody may see, such as a key. */
function publicSettings(settings: ModelSettings): PublicSettings {
  const { name, backend, model, enabled, contextWindow, maxOutput, encoding } = settings
  return { name, backend, model, enabled, contextWindow, maxOutput, encoding }
}
