import {
  type Calibrations,
  type CountedRequest,
  promptBudget,
  type ModelSettings,
  type PromptTool,
} from '../wrap/index.ts'
import { findToolsDefinition } from '../wrap/scope/index.ts'
import { MIN_WINDOW, maxOutputBeside, type ModelFactsTable, type RefusedParts } from './model-facts.ts'
import type { ConfiguredModel, ModelRefusal } from '../wrap/loop/index.ts'

export interface RefusedRequest {
  readonly model: ConfiguredModel
  readonly settings: ModelSettings
  /** The size of the refused request in our own count. */
  readonly size: CountedRequest
  readonly tools?: readonly PromptTool[]
  /** Fraction (0-1) of the refused prompt for the next one, if the refusal has no number. */
  readonly share?: number
}

export interface RefusalParts {
  readonly calibrations: Pick<Calibrations, 'budgetFactor' | 'learnRefusal'>
  readonly modelFacts: ModelFactsTable
}

/** Resolves to the settings of a shorter or reduced retry; undefined: none. Rejects with `StorageError`. */
export async function learnFromRefusal(
  refusal: ModelRefusal,
  { model, settings, size: { counted }, tools = [], share = 0.5 }: RefusedRequest,
  { calibrations, modelFacts }: RefusalParts,
): Promise<ModelSettings | undefined> {
  if (refusal.kind !== 'too-long') {
    if (refusal.kind === 'max-output') {
      if (refusal.tokens >= settings.maxOutput) return undefined
      modelFacts.learn(settings, { maxOutput: refusal.tokens })
    } else if (refusal.kind === 'no-tools') modelFacts.learn(settings, { tools: false })
    else if (refusal.kind === 'no-pictures' && refusal.isOnlyThese)
      return withoutThesePictures(await modelFacts.settingsOf(model), refusal.words)
    else {
      const parts = refusedPart(refusal, tools)
      if (!parts) return undefined
      modelFacts.addRefusedParts(model, parts)
    }
    return await modelFacts.settingsOf(model)
  }
  const { window, total } = refusal
  const tokens = refusal.tokens ?? (total === undefined ? undefined : total - settings.maxOutput)
  if (window !== undefined && window >= MIN_WINDOW && window < settings.contextWindow)
    modelFacts.learn(settings, { window })
  if (tokens !== undefined) await calibrations.learnRefusal(settings, { counted, tokens })
  const next = await modelFacts.settingsOf(model)
  const calibration = await calibrations.budgetFactor(next)
  if (promptBudget({ ...next, calibration }) < counted) return next
  const fitting = Math.floor(Math.max(counted * share, modelFacts.longestAccepted(next, counted)))
  const prompt = fitting * calibration
  if (prompt + maxOutputBeside(prompt, model.settings) < MIN_WINDOW) return next
  modelFacts.assumePrompt(model, fitting, calibration)
  return await modelFacts.settingsOf(model)
}

/** Only this turn goes on without pictures. */
const withoutThesePictures = (
  settings: ModelSettings,
  words = 'it could not read the picture',
): ModelSettings => ({
  ...settings,
  lacks: { ...settings.lacks, pictures: `its provider refused it (${words})` },
})

function refusedPart(refusal: ModelRefusal, tools: readonly PromptTool[]): RefusedParts | undefined {
  if (refusal.kind === 'too-long') return undefined
  const words = refusal.words === undefined ? '' : ` (${refusal.words})`
  if (refusal.kind === 'no-system-role')
    return { systemRole: `it refused one${words}; sshawl reload tries again` }
  if (refusal.kind === 'no-pictures')
    return { pictures: `it refused pictures${words}; sshawl reload tries again` }
  if (refusal.kind === 'field') return { fields: { [refusal.field]: `it was refused${words}` } }
  if (refusal.kind !== 'tool') return undefined
  // `find_tools` is no tool of the catalogue, and cannot be left out alone.
  const tool = tools.find(({ name, id }) => name === refusal.tool && id !== findToolsDefinition.name)
  if (!tool) return undefined
  // Aliases have the same definition under another name.
  const ids = [tool.id, ...(tool.standsFor ?? [])]
  return { toolIds: Object.fromEntries(ids.map((id) => [id, `its provider refused it${words}`])) }
}

/** Retries of a request that is too long: if each is half as long, the last has 1/64 of the first. */
const MAX_SHORTER = 6
/** Retries without refused tools or fields, one at a time; the next turn continues with the rest. */
const MAX_PARTS = 16

/** Decides if one request may be retried after a refusal: a limited number of times for each kind. */
export function createAttempts(): (refusal: ModelRefusal) => boolean {
  const times = new Map<ModelRefusal['kind'], number>()
  return ({ kind }) => {
    const before = times.get(kind) ?? 0
    times.set(kind, before + 1)
    return before < (kind === 'too-long' ? MAX_SHORTER : kind === 'tool' || kind === 'field' ? MAX_PARTS : 1)
  }
}
