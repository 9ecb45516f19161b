import type { ConfiguredModel, ModelSettings, TurnStore } from './ports.ts'

/** A model as `/models` shows it. */
export interface ModelStatus extends ModelSettings {
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
  turns: Pick<TurnStore, 'usage'>,
): Promise<readonly ModelStatus[]> {
  const spent = new Map((await turns.usage({ since: 0 })).map((one) => [one.model, one]))
  return models.map(({ settings }) => {
    const { turns = 0, input = 0, output = 0 } = spent.get(settings.name) ?? {}
    return { ...settings, turns, input, output }
  })
}
