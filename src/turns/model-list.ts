import type { Calibrations } from '../prompt/calibration.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import type { Person } from '../chat/people/person.ts'
import type { ChargeStore } from './bill/ports.ts'
import { sumsByKey, type UsageSum } from './bill/usage-sums.ts'
import type { KnownModels } from './known-models.ts'
import type { ConfiguredModel } from './ports.ts'

/** The settings that anybody may see. */
type PublicSettings = { readonly isWindowGuessed?: boolean } & Pick<
  ModelSettings,
  'name' | 'backend' | 'model' | 'enabled' | 'contextWindow' | 'maxOutput' | 'encoding' | 'fallback' | 'lacks'
>

/** What the reports of a model's provider taught, in all rooms. It has no counts, which would tell how much goes on in private ones. */
interface Learned {
  /** Prompts are bounded by our counts times this: what reports and refusals taught; assumed while there were none. */
  readonly calibration: number
  /** Whether reports looked as if the server had read only a part of the prompt. */
  readonly isDoubted: boolean
}

/** A model as `/models` shows it; what was learned is for admins. */
export interface ModelStatus extends PublicSettings, Partial<Learned> {
  /** What the config says; `contextWindow` is smaller where the server takes less. */
  readonly configuredWindow: number
  /** Turns in which it answered any request, ever. */
  readonly turns: number
  /** Tokens that its provider says it read. */
  readonly input: number
  /** Of these, those that it had cached. */
  readonly cached: number
  /** Tokens that it wrote. */
  readonly output: number
}

/** What listing needs. */
export interface ModelListParts {
  readonly charges: Pick<ChargeStore, 'usage'>
  readonly calibrations: Pick<Calibrations, 'find' | 'budgetFactor'>
  readonly known: Pick<KnownModels, 'settingsOf'>
}

/**
 * All configured models, in order of the config, with what they used in rooms that the viewer may see; with nothing where
 * there is no viewer, who is the server itself. Rejects with `StorageError`.
 */
export async function listModels(
  models: readonly ConfiguredModel[],
  viewer: Person | undefined,
  { charges, calibrations, known }: ModelListParts,
): Promise<readonly ModelStatus[]> {
  const spent = await spentByModel(viewer, charges)
  const list = models.map(async (model): Promise<ModelStatus> => {
    const { name, contextWindow: configuredWindow } = model.settings
    const settings = model.settings.enabled ? await known.settingsOf(model) : model.settings
    const { turns = 0, input = 0, cached = 0, output = 0 } = spent.get(name) ?? {}
    const seesAll = !viewer || viewer.admin
    const learned = seesAll ? await calibrations.find(settings) : undefined
    const isDoubted = (learned?.doubted ?? 0) > 0
    const facts = seesAll ? { calibration: await calibrations.budgetFactor(settings), isDoubted } : {}
    return { ...publicSettings(settings), configuredWindow, ...facts, turns, input, cached, output }
  })
  return await Promise.all(list)
}

async function spentByModel(
  viewer: Person | undefined,
  charges: ModelListParts['charges'],
): Promise<ReadonlyMap<string, UsageSum>> {
  if (!viewer) return new Map()
  const rows = await charges.usage({ by: 'model', since: 0, viewer: viewer.id })
  return new Map(sumsByKey(rows).map((sum) => [sum.key, sum]))
}

/** Each field is named, because a config also has what nobody may see, such as a key. */
function publicSettings(settings: ModelSettings): PublicSettings {
  const { name, backend, model, enabled, contextWindow, guessFactor, maxOutput, encoding, fallback, lacks } =
    settings
  return {
    name,
    backend,
    model,
    enabled,
    contextWindow,
    ...(guessFactor === undefined ? {} : { isWindowGuessed: true }),
    maxOutput,
    encoding,
    ...(fallback === undefined ? {} : { fallback }),
    ...(lacks === undefined ? {} : { lacks }),
  }
}
