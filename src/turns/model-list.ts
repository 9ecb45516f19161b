import { splitLabel } from '../words/names.ts'
import type { Person } from '../words/person.ts'
import { costOf } from '../base/price.ts'
import type { Calibrations, ModelSettings } from '../wrap/index.ts'
import type { ChargeStore, UsageRow } from './billing.ts'
import { addCosts, addEstimates, type ConfiguredModel } from '../wrap/loop/index.ts'
import type { ModelFactsTable } from './model-facts.ts'

/** Settings that anybody may see. Others are secret, such as an API key. */
const PUBLIC_KEYS = [
  'name',
  'backend',
  'model',
  'enabled',
  'contextWindow',
  'isWindowGuessed',
  'maxOutput',
  'isOutputLimited',
  'encoding',
  'fallback',
  'lacks',
] as const satisfies readonly (keyof ModelSettings)[]

type PublicSettings = Pick<ModelSettings, (typeof PUBLIC_KEYS)[number]>

/**
 * A model as `/models` shows it. Only admins and the server get `calibration`, `isDoubted` and the refused
 * parts, whose reasons may quote private rooms.
 */
export interface ModelStatus extends PublicSettings {
  /** The provider's tokens per token of our count, which limits prompts; assumed until the first report. */
  readonly calibration?: number
  /** True if reports suggest that the server read only a part of the prompt. */
  readonly isDoubted?: boolean
  /** The window in the config; `contextWindow` is smaller if the server takes less. */
  readonly configuredWindow: number
  /** Turns of all time in which the model answered at least one request. */
  readonly turns: number
  /** Input tokens, reported by the provider or estimated. */
  readonly input: number
  /** Of `input`, the tokens that the provider had cached. */
  readonly cached: number
  readonly output: number
}

interface ModelListParts {
  readonly charges: Pick<ChargeStore, 'usage'>
  readonly calibrations: Pick<Calibrations, 'find' | 'budgetFactor'>
  readonly modelFacts: Pick<ModelFactsTable, 'settingsOf'>
}

/** In config order, with usage in rooms that a viewer sees; 0 without viewer. Rejects with `StorageError`. */
export async function listModels(
  models: readonly ConfiguredModel[],
  viewer: Person | undefined,
  { charges, calibrations, modelFacts }: ModelListParts,
): Promise<readonly ModelStatus[]> {
  const rows = viewer ? await charges.usage({ by: 'model', since: 0, viewer: viewer.id }) : []
  const ofModels = rows.map((row) => ({ ...row, key: splitLabel(row.key).model }))
  const spent = new Map(sumsByKey(ofModels).map((sum) => [sum.key, sum]))
  const list = models.map(async (model): Promise<ModelStatus> => {
    const { name, contextWindow: configuredWindow } = model.settings
    const settings = model.settings.enabled ? await modelFacts.settingsOf(model) : model.settings
    const { turns = 0, input = 0, cached = 0, output = 0 } = spent.get(name) ?? {}
    const seesAll = !viewer || viewer.admin
    const learned = seesAll ? await calibrations.find(settings) : undefined
    const isDoubted = (learned?.doubted ?? 0) > 0
    const facts = seesAll ? { calibration: await calibrations.budgetFactor(settings), isDoubted } : {}
    const shown = seesAll ? settings : withoutRefusedParts(settings)
    return { ...publicSettings(shown), configuredWindow, ...facts, turns, input, cached, output }
  })
  return await Promise.all(list)
}

/** Removes the refused fields and tools: their reasons may quote a private room. */
function withoutRefusedParts({ lacks, ...settings }: ModelSettings): ModelSettings {
  const { fields: _, toolIds: __, ...others } = lacks ?? {}
  return Object.keys(others).length > 0 ? { ...settings, lacks: others } : settings
}

const publicSettings = (settings: ModelSettings): PublicSettings =>
  Object.fromEntries(
    PUBLIC_KEYS.filter((key) => settings[key] !== undefined).map((key) => [key, settings[key]]),
  ) as unknown as PublicSettings

/** The usage of one model, person, room or day, at all prices. */
export interface UsageSum extends Omit<UsageRow, 'price'> {
  /** In 10^-12 of a currency unit; absent if none of the usage had a price. */
  readonly cost?: bigint
  /** Input and output tokens without a price. */
  readonly unpriced: number
}

const NOTHING = { turns: 0, requests: 0, input: 0, cached: 0, output: 0, unpriced: 0 } as const

/** Adds up the rows of each key. Sorts the sums by tokens, the largest first. */
export function sumsByKey(rows: readonly UsageRow[]): readonly UsageSum[] {
  const sums = new Map<string, UsageSum>()
  for (const row of rows)
    sums.set(row.key, add(sums.get(row.key) ?? { ...NOTHING, key: row.key }, withCost(row)))
  return [...sums.values()].toSorted((a, b) => tokensOf(b) - tokensOf(a) || (a.key < b.key ? -1 : 1))
}

export const total = (sums: readonly UsageSum[]): UsageSum => sums.reduce(add, { ...NOTHING, key: '' })

function withCost({ price, ...row }: UsageRow): UsageSum {
  return price ? { ...row, cost: costOf(row, price), unpriced: 0 } : { ...row, unpriced: tokensOf(row) }
}

function add(sum: UsageSum, more: UsageSum): UsageSum {
  const cost = addCosts(sum.cost, more.cost)
  const estimated = addEstimates(sum.estimated, more.estimated)
  return {
    key: sum.key,
    turns: sum.turns + more.turns,
    requests: sum.requests + more.requests,
    input: sum.input + more.input,
    cached: sum.cached + more.cached,
    output: sum.output + more.output,
    unpriced: sum.unpriced + more.unpriced,
    ...(estimated ? { estimated } : {}),
    ...(cost === undefined ? {} : { cost }),
  }
}

const tokensOf = ({ input, output }: Pick<UsageRow, 'input' | 'output'>): number => input + output
