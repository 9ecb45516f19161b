import { createModel } from '../../adapters/models/index.ts'
import type { ConfiguredModel } from '../../turns/ports.ts'
import type { CurrentConfig } from '../current-config.ts'
import type { Overrides } from '../context.ts'

/** Gives the models of the config of now with their adapters, which are made once for each config. */
export function configuredModels(
  current: CurrentConfig,
  { createModel: create = createModel }: Overrides,
): () => readonly ConfiguredModel[] {
  let settingsOf = current.now().models
  const make = (): readonly ConfiguredModel[] =>
    settingsOf.map((settings) => ({ settings, model: create(settings) }))
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
