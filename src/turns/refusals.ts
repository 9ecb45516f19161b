import type { Calibrations, CountedRequest } from '../prompt/calibration/calibration.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import type { KnownModels } from './known-models.ts'
import type { ModelRefusal } from './model-error.ts'
import type { ConfiguredModel } from './ports.ts'

/** Where what a refusal teaches is remembered. */
export interface RefusalLessons {
  readonly calibrations: Pick<Calibrations, 'learnRefusal'>
  readonly known: KnownModels
}

/** What was refused: `size` is the request as we count it, and `settings` are those it was made with. */
export interface RefusedRequest {
  readonly model: ConfiguredModel
  readonly settings: ModelSettings
  readonly size: CountedRequest
}

/**
 * Takes in why a provider refused a request. Resolves to the settings for the next one, which is another one: shorter,
 * without tools, or without a system message. Rejects with `StorageError`.
 */
export async function learnFromRefusal(
  refusal: ModelRefusal,
  { model, settings, size }: RefusedRequest,
  { calibrations, known }: RefusalLessons,
): Promise<ModelSettings> {
  switch (refusal.kind) {
    case 'no-tools':
      await known.learn(settings, { tools: false })
      return await known.settingsOf(model)
    case 'no-system-role':
      await known.learn(settings, { systemRole: false })
      return await known.settingsOf(model)
    case 'too-long': {
      const { tokens, window } = refusal
      if (window !== undefined && window < settings.contextWindow) await known.learn(settings, { window })
      const next = await known.settingsOf(model)
      await calibrations.learnRefusal(next, { counted: size.counted, tokens })
      return next
    }
  }
}
