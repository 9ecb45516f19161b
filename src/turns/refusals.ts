import type { Calibrations, CountedRequest } from '../prompt/calibration.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import { promptBudget } from '../prompt/compose-prompt.ts'
import type { KnownModels } from './known-models.ts'
import type { ConfiguredModel, ModelRefusal } from './ports.ts'
import { windowFor } from './narrowed.ts'

/** Where what a refusal teaches is remembered. */
export interface RefusalLessons {
  readonly calibrations: Pick<Calibrations, 'budgetFactor' | 'learnRefusal'>
  readonly known: KnownModels
}

/** What was refused: `size` is the request as we count it, and `settings` are those it was made with. */
export interface RefusedRequest {
  readonly model: ConfiguredModel
  readonly settings: ModelSettings
  readonly size: CountedRequest
  /** What the next prompt may have of the refused one, 0-1, where the refusal tells no number that makes it shorter. */
  readonly share?: number
}

/**
 * Takes in why a provider refused a request. Resolves to the settings for the next one, which is another one: shorter,
 * without tools, or without a system message. Rejects with `StorageError`.
 */
export async function learnFromRefusal(
  refusal: ModelRefusal,
  refused: RefusedRequest,
  lessons: RefusalLessons,
): Promise<ModelSettings> {
  const { model, settings } = refused
  const { known } = lessons
  switch (refusal.kind) {
    case 'no-tools':
      await known.learn(settings, { tools: false })
      return await known.settingsOf(model)
    case 'no-system-role':
      await known.learn(settings, { systemRole: false })
      return await known.settingsOf(model)
    case 'too-long':
      return await learnLength(refusal, refused, lessons)
  }
}

/** A window that is smaller than any that the config takes is not believed. Tokens. */
const MIN_WINDOW = 500

/** Takes in that a request was too long: by the numbers that the refusal tells, else by what was really sent. */
async function learnLength(
  refusal: Extract<ModelRefusal, { kind: 'too-long' }>,
  { model, settings, size: { counted }, share = 0.5 }: RefusedRequest,
  { calibrations, known }: RefusalLessons,
): Promise<ModelSettings> {
  const { window, total } = refusal
  const tokens = refusal.tokens ?? (total === undefined ? undefined : total - settings.maxOutput)
  if (window !== undefined && window >= MIN_WINDOW && window < settings.contextWindow)
    await known.learn(settings, { window })
  if (tokens !== undefined) await calibrations.learnRefusal(settings, { counted, tokens })
  const next = await known.settingsOf(model)
  const calibration = await calibrations.budgetFactor(next)
  if (promptBudget({ ...next, calibration }) < counted) return next
  const fitting = Math.max(counted * share, known.longestTaken(next, counted))
  const guessed = windowFor(Math.floor(fitting * calibration), model.settings)
  if (guessed < MIN_WINDOW) return next
  known.guess(model, { window: guessed, factor: calibration })
  return await known.settingsOf(model)
}

/** Requests that may follow one another because each was refused as too long: the last one has a 64th of the first. */
const MAX_SHORTER = 6

/** Decides for one request whether another one may follow a refusal: a shorter one some times, else one for each kind. */
export function createAttempts(): (refusal: ModelRefusal) => boolean {
  const times = new Map<ModelRefusal['kind'], number>()
  return ({ kind }) => {
    const before = times.get(kind) ?? 0
    times.set(kind, before + 1)
    return before < (kind === 'too-long' ? MAX_SHORTER : 1)
  }
}
