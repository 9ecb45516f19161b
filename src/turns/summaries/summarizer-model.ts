import { Refusal } from '../../chat/errors.ts'
import type { Json } from '../../lib/json.ts'
import { SUMMARIZER_KEY, summarizerIn } from '../../prompt/key-values.ts'
import type { ConfiguredModel } from '../ports.ts'

/** Who may sum up rooms; both are asked each time. */
export interface Summarizers {
  /** Gives the models that can be called now. */
  readonly models: () => readonly ConfiguredModel[]
  /** Gives the name of the model that sums up where a room names none; undefined for no summaries. */
  readonly usual: () => string | undefined
}

/** The model of this name, which may sum up. Throws `Refusal`. */
export function summarizerCalled(name: string, models: readonly ConfiguredModel[]): ConfiguredModel {
  const model = models.find(({ settings }) => settings.name === name)
  if (!model) throw new Refusal(`there is no model called @${name}; ${HOW_TO_NAME}`)
  if (model.settings.backend === 'guide')
    throw new Refusal(`@${name} is a rule-based helper and cannot sum up; ${HOW_TO_NAME}`)
  return model
}

const HOW_TO_NAME = 'name another one with /kv summarizer NAME'

/** Throws `Refusal` for a value of the key that names neither a model nor none. */
export function checkSummarizer(value: Json, models: readonly ConfiguredModel[]): void {
  const name = summarizerIn(new Map([[SUMMARIZER_KEY, value]]), undefined)
  if (name !== undefined) summarizerCalled(name, models)
  else if (value !== 'none')
    throw new Refusal('summarizer is the name of a model, or none; /models lists those that there are')
}

/** Whether a model is still there with the same settings. */
export function isAmong(models: readonly ConfiguredModel[], model: ConfiguredModel | undefined): boolean {
  const now = models.find(({ settings }) => settings.name === model?.settings.name)
  return now !== undefined && JSON.stringify(now.settings) === JSON.stringify(model?.settings)
}
