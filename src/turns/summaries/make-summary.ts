import type { Entry, EntryId, RoomName } from '../../words/entry.ts'
import { zip } from '../../base/basics.ts'
import { headOf } from '../../base/text/characters.ts'
import {
  type Calibrations,
  promptBudget,
  CONVERSATION_KINDS,
  type ModelSettings,
  type Composer,
  type HistoryStore,
  countedPrompt,
  type Prompt,
  type Summary,
} from '../../wrap/index.ts'
import type { CheckQuotas } from '../billing.ts'
import { createAttempts, learnFromRefusal } from '../learn-from-refusal.ts'
import type { ModelFactsTable } from '../model-facts.ts'
import { type ConfiguredModel, ModelError } from '../../wrap/loop/index.ts'
import { requestOnce, type RequestParts, type SingleRequest } from '../request-step.ts'
import { withinTime } from '../turn-end.ts'
import type { TurnLog } from '../turn-log.ts'
import { summaryTexts } from './summary-prompt.ts'
import {
  type CountedEntry,
  oldestWithin,
  countRowsDue,
  SUMMARY_EXCESS,
  type SummarySizes,
  withoutOpenCall,
} from './summary-rows.ts'

/** The starting point of a room's next summary. */
export interface SummaryPiece {
  readonly room: RoomName
  readonly model: ConfiguredModel
  /** The summary so far, if there is one. */
  readonly before: Summary | undefined
  /** Entries after this one are next; all if absent. */
  readonly after: EntryId | undefined
  /** True if all entries are due, however few, because somebody asked for a summary. */
  readonly isAll: boolean
}

export interface SummaryParts extends RequestParts {
  readonly checkQuotas: CheckQuotas
  readonly turnLog: Pick<TurnLog, 'begin'>
  readonly history: Pick<HistoryStore, 'following' | 'saveCounts'>
  readonly composer: Pick<Composer, 'count'>
  readonly modelFacts: ModelFactsTable
  readonly calibrations: Pick<Calibrations, 'budgetFactor' | 'learnFrom' | 'learnRefusal'>
  readonly sizes: SummarySizes
  readonly limits: RequestParts['limits'] & { readonly turn_s: number }
}

/** Rows that are read at once. */
const MAX_ROWS = 400

/**
 * Summarizes the summary so far and as many later entries as fit into one request; undefined if none is due.
 * Rejects with `Refusal`, `ModelError`, `WrapError`, `StorageError`, `TurnStopped`, or the reason of `stop`.
 */
export async function nextSummary(
  { room, model, before, after, isAll }: SummaryPiece,
  beforeRequest: () => Promise<void>,
  stop: AbortSignal,
  parts: SummaryParts,
): Promise<Summary | undefined> {
  const { encoding } = model.settings
  const query = { encoding, maxRows: MAX_ROWS, kinds: CONVERSATION_KINDS, withoutThreads: true }
  const found = await parts.history.following(room, after === undefined ? query : { ...query, after })
  const rows = await withTokens(found, encoding, parts)
  const sizes = await parts.sizes.read()
  const due = isAll ? rows.length : countRowsDue(rows, sizes.unsummed, rows.length < MAX_ROWS)
  if (due === 0) return undefined
  await beforeRequest()
  const job = { room, model, before: before?.text ?? '', rows: rows.slice(0, due), tokens: sizes.summary }
  const { text, entries } = await makeSummary(job, stop, parts)
  const [first, last] = [entries[0], entries.at(-1)]
  return first && last && { text, first: before?.first ?? first.id, last: last.id }
}

/** Resolves to the rows with their tokens, which it counts and stores if they are missing. */
async function withTokens(
  rows: Awaited<ReturnType<HistoryStore['following']>>,
  encoding: string,
  { history, composer }: Pick<SummaryParts, 'history' | 'composer'>,
): Promise<readonly CountedEntry[]> {
  const fresh = rows.filter(({ tokens }) => tokens === undefined).map(({ entry }) => entry)
  const texts = fresh.map(({ author, text }) => `${author}: ${text}`)
  const tokensOf = zip(fresh, await composer.count(encoding, texts))
  const counts = new Map(tokensOf.map(([{ id }, tokens]) => [id, tokens]))
  if (fresh.length > 0) await history.saveCounts(encoding, counts)
  return rows.map(({ entry, tokens }) => ({ entry, tokens: tokens ?? counts.get(entry.id) ?? 0 }))
}

interface SummaryJob {
  readonly room: RoomName
  readonly model: ConfiguredModel
  /** The summary so far; may be empty. */
  readonly before: string
  /** Entries after the summary so far, oldest first; at least one. */
  readonly rows: readonly CountedEntry[]
  /** Maximum tokens of the summary. */
  readonly tokens: number
}

/** Summarizes as many rows as fit into a request. After a refusal, makes another one if it may help. */
async function makeSummary(
  job: SummaryJob,
  stop: AbortSignal,
  parts: SummaryParts,
): Promise<{ readonly text: string; readonly entries: readonly Entry[] }> {
  const { room, model, tokens } = job
  let settings = await parts.modelFacts.settingsOf(model)
  const mayFollow = createAttempts()
  for (;;) {
    stop.throwIfAborted()
    const { prompt, entries } = await fittingPrompt(job, settings, parts)
    try {
      const text = await askSummarizer({ room, model, settings, prompt }, stop, parts)
      return { text: await cutSummary(text, tokens, settings.encoding, parts.composer), entries }
    } catch (error) {
      const refusal = error instanceof ModelError ? error.refusal : undefined
      if (!refusal || !mayFollow(refusal)) throw error
      const size = { counted: prompt.budget.used, framing: 0 }
      const next = await learnFromRefusal(refusal, { model, settings, size }, parts)
      if (!next) throw error
      settings = next
    }
  }
}

/** The room pays for the request, because no person asked. */
async function askSummarizer(
  { room, ...request }: Pick<SummaryJob, 'room'> & Pick<SingleRequest, 'model' | 'settings' | 'prompt'>,
  stop: AbortSignal,
  parts: SummaryParts,
): Promise<string> {
  const { name } = request.settings
  await parts.checkQuotas(room)
  const recorder = parts.turnLog.begin({ room, model: name })
  const { signal, end } = withinTime(parts.limits.turn_s, name, stop)
  try {
    return (await requestOnce({ ...request, recorder, answer: 'summary' }, signal, parts)).text
  } finally {
    end()
  }
}

/** Characters per wanted token to which a summary is cut before counting; few texts have more. */
const MAX_CHARACTERS_PER_TOKEN = 6

/** Cuts a summary that is longer than requested: the rest of a prompt relies on its length. */
async function cutSummary(
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

/** Tokens of conversation in one request: a model that reads more at once overlooks more. */
const MAX_TOKENS_AT_ONCE = 8_000
/** Tokens reserved for the rules and headings. */
const RULES_TOKENS = 400
/** The fewest tokens of conversation in one request: smaller chunks cost a request for every few words. */
const MIN_TOKENS_AT_ONCE = 400

/** Resolves to the prompt for as many rows as the model takes at once, and their entries. */
async function fittingPrompt(
  { before, rows, tokens }: SummaryJob,
  settings: ModelSettings,
  { calibrations, composer }: SummaryParts,
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
