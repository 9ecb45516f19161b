import type { Entry, RoomName } from '../../chat/entry.ts'
import { headOf } from '../../lib/text/characters.ts'
import type { Calibrations } from '../../prompt/calibration.ts'
import type { ModelSettings } from '../../prompt/model-settings.ts'
import type { Composer } from '../../prompt/ports.ts'
import { countedPrompt, type Prompt } from '../../prompt/prompt.ts'
import { promptBudget } from '../../prompt/compose-prompt.ts'
import type { ModelFactsTable } from '../model-facts.ts'
import { requestOnce, type RequestParts, type SingleRequest } from '../request-step.ts'
import type { CheckQuotas } from '../billing.ts'
import { withinTime } from '../turn-end.ts'
import { type ConfiguredModel, ModelError } from '../ports.ts'
import { createAttempts, learnFromRefusal } from '../model-facts.ts'
import type { TurnLog } from '../turn-log.ts'
import { oldestWithin, SUMMARY_EXCESS, withoutOpenCall, type CountedEntry } from './summary-rows.ts'
import { summaryTexts } from './summary-prompt.ts'

/** A piece that is to be summed up. */
export interface SummaryJob {
  readonly room: RoomName
  readonly model: ConfiguredModel
  /** The summary so far; may be empty. */
  readonly before: string
  /** What was said after it, oldest first; at least one. */
  readonly rows: readonly CountedEntry[]
  /** Tokens that the summary should have at most. */
  readonly tokens: number
}

/** A summary, and the entries that it covers beside those of the one before it. */
interface MadeSummary {
  readonly text: string
  readonly entries: readonly Entry[]
}

/**
 * Makes one summary of as many of the rows as fit into one request. A request that the provider refuses for a reason which
 * another request mends is made again. Rejects as `requestOnce` does, with `Refusal` and `WrapError`.
 */
export type MakeSummary = (job: SummaryJob, stop: AbortSignal) => Promise<MadeSummary>

/** What making a summary needs. */
export interface MakeSummaryParts extends RequestParts {
  readonly checkQuotas: CheckQuotas
  readonly turnLog: Pick<TurnLog, 'beginInBackground'>
  readonly composer: Pick<Composer, 'count'>
  readonly modelFacts: ModelFactsTable
  readonly calibrations: Pick<Calibrations, 'budgetFactor' | 'learnFrom' | 'learnRefusal'>
  readonly limits: RequestParts['limits'] & { readonly turn_s: number }
}

/** Tokens of conversation in one request: a model that reads more at once overlooks more. */
const MAX_TOKENS_AT_ONCE = 8_000
/** Tokens for what the rules and headings take. */
const RULES_TOKENS = 400
/** Tokens of conversation that a request has space for, at the least: smaller pieces cost a request for every few words. */
const MIN_TOKENS_AT_ONCE = 400
/** More characters than this for each token are never counted: few texts have as many. */
const MAX_CHARACTERS_PER_TOKEN = 6

export const createMakeSummary =
  (parts: MakeSummaryParts): MakeSummary =>
  async (job, stop) => {
    const { model } = job
    let settings = await parts.modelFacts.settingsOf(model)
    const mayFollow = createAttempts()
    for (;;) {
      stop.throwIfAborted()
      const { prompt, entries } = await fittingPrompt(job, settings, parts)
      try {
        const text = await askSummarizer({ room: job.room, model, settings, prompt }, stop, parts)
        return { text: await cut(text, job.tokens, settings.encoding, parts.composer), entries }
      } catch (error) {
        const refusal = error instanceof ModelError ? error.refusal : undefined
        if (!refusal || !mayFollow(refusal)) throw error
        const size = { counted: prompt.budget.used, framing: 0 }
        settings = await learnFromRefusal(refusal, { model, settings, size }, parts)
      }
    }
  }

/** Asks for a summary, whose cost is the room's: nobody asked for it. */
async function askSummarizer(
  { room, ...request }: Pick<SummaryJob, 'room'> & Pick<SingleRequest, 'model' | 'settings' | 'prompt'>,
  stop: AbortSignal,
  parts: MakeSummaryParts,
): Promise<string> {
  const { name } = request.settings
  await parts.checkQuotas(room)
  const recorder = parts.turnLog.beginInBackground({ room, model: name })
  const { signal, end } = withinTime(parts.limits.turn_s, name, stop)
  try {
    return (await requestOnce({ ...request, recorder, answer: 'summary' }, signal, parts)).text
  } finally {
    end()
  }
}

/** The beginning of a summary that is longer than asked for: what comes after it in a prompt relies on its length. */
async function cut(
  text: string,
  tokens: number,
  encoding: ModelSettings['encoding'],
  composer: Pick<Composer, 'count'>,
): Promise<string> {
  const most = Math.floor(tokens * SUMMARY_EXCESS)
  let head = headOf(text, tokens * MAX_CHARACTERS_PER_TOKEN)
  for (;;) {
    const [count = 0] = await composer.count(encoding, [head])
    if (count <= most) return head
    head = headOf(head, Math.floor((head.length * most) / count))
  }
}

/** The request for as many of the rows as the model takes at once. */
async function fittingPrompt(
  { before, rows, tokens }: SummaryJob,
  settings: ModelSettings,
  { calibrations, composer }: MakeSummaryParts,
): Promise<{ readonly prompt: Prompt; readonly entries: readonly Entry[] }> {
  const target = promptBudget({ ...settings, calibration: await calibrations.budgetFactor(settings) })
  const space = target - tokens - RULES_TOKENS
  if (space < MIN_TOKENS_AT_ONCE) throw tooSmall(settings, space)
  let chosen = oldestWithin(rows, Math.min(MAX_TOKENS_AT_ONCE, space))
  for (;;) {
    const entries = chosen.map(({ entry }) => entry)
    const texts = summaryTexts(before, entries, tokens)
    const [system = 0, message = 0] = await composer.count(settings.encoding, [texts.system, texts.message])
    if (system + message <= target) {
      const counts = { system, message, context: 0 }
      return { prompt: countedPrompt({ ...texts, context: '' }, counts, settings, target), entries }
    }
    if (chosen.length === 1)
      throw new ModelError(
        `${settings.name}: a summary needs ${system + message} tokens, it has ${target}`,
        false,
      )
    chosen = chosen.slice(0, withoutOpenCall(chosen, Math.ceil(chosen.length / 2)))
    const left = chosen.reduce((sum, row) => sum + row.tokens, 0)
    if (left < MIN_TOKENS_AT_ONCE) throw tooSmall(settings, left)
  }
}

const tooSmall = ({ name }: ModelSettings, space: number): ModelError =>
  new ModelError(
    `${name}: beside the summary, a request has space for ${Math.max(0, space)} tokens of conversation, and needs ${MIN_TOKENS_AT_ONCE}; name a model with a larger window`,
    false,
  )
