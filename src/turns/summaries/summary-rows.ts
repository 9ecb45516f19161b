import type { Entry } from '../../words/entry.ts'
import { type Calibrations, promptBudget, callKey } from '../../wrap/index.ts'
import type { ModelFactsTable } from '../model-facts.ts'
import type { ConfiguredModel } from '../../wrap/loop/index.ts'

export interface CountedEntry {
  readonly entry: Entry
  readonly tokens: number
}

/** Entries that may wait to be summed up: the default prompt shows 200. */
const MAX_UNSUMMED_ROWS = 150

/**
 * Returns how many of the oldest rows are due: none if they are few and short; otherwise all but about the
 * newest half of what may wait. `isAll` is false if more rows follow: then all are due.
 */
export function countRowsDue(rows: readonly CountedEntry[], unsummed: number, isAll: boolean): number {
  if (!isAll) return rows.length
  if (rows.length <= MAX_UNSUMMED_ROWS && sum(rows) <= unsummed) return 0
  let kept = 0
  let left = unsummed / 2
  for (const { tokens } of rows.toReversed()) {
    left -= tokens
    if (left < 0 || kept >= MAX_UNSUMMED_ROWS / 2) break
    kept += 1
  }
  return rows.length - kept
}

/** The oldest rows that fit into `tokens`, at least one. Splits calls from results only if it must. */
export function oldestWithin(rows: readonly CountedEntry[], tokens: number): readonly CountedEntry[] {
  let left = tokens
  const over = rows.findIndex((row) => (left -= row.tokens) < 0)
  return rows.slice(0, withoutOpenCall(rows, Math.max(1, over === -1 ? rows.length : over)))
}

/** Counts the rows before the first call whose result comes after the first `count` rows; else `count`. */
export function withoutOpenCall(rows: readonly CountedEntry[], count: number): number {
  const later = new Set(
    rows.slice(count).flatMap(({ entry }) => (entry.kind === 'tool_result' ? [callKey(entry)] : [])),
  )
  const open = rows
    .slice(0, count)
    .findIndex(({ entry }) => entry.kind === 'tool_call' && later.has(callKey(entry)))
  return open > 0 ? open : count
}

const sum = (rows: readonly CountedEntry[]): number => rows.reduce((total, { tokens }) => total + tokens, 0)

/** When to summarize, and how long a summary may be, in tokens. */
interface Sizes {
  /** Tokens of unsummarized entries above which the older half is summarized. */
  readonly unsummed: number
  /** Tokens of new entries after which a room is checked again. */
  readonly checkAfter: number
  readonly summary: number
}

interface SizesParts {
  readonly models: () => readonly ConfiguredModel[]
  readonly modelFacts: Pick<ModelFactsTable, 'lastKnown'>
  readonly calibrations: Pick<Calibrations, 'budgetFactor'>
}

/** Computes the sizes that suit all callable models. */
export class SummarySizes {
  readonly #parts: SizesParts
  #last = sizesFor([])

  constructor(parts: SizesParts) {
    this.#parts = parts
  }

  /** Uses current facts about the models. Rejects with `StorageError`. */
  async read(): Promise<Sizes> {
    const { models, modelFacts, calibrations } = this.#parts
    const targets = models().map(async (model) => {
      const settings = modelFacts.lastKnown(model)
      const calibration = await calibrations.budgetFactor(settings)
      return settings.contextWindow < MIN_WINDOW ? undefined : promptBudget({ ...settings, calibration })
    })
    this.#last = sizesFor((await Promise.all(targets)).filter((target) => target !== undefined))
    return this.#last
  }

  /** The last `read()`; the largest sizes before. Each room is checked once when it gets a summarizer. */
  get last(): Sizes {
    return this.#last
  }
}

/** Ignores smaller windows (tokens): they have no space for conversation, and would shrink all summaries. */
const MIN_WINDOW = 2_000

/** A summary may exceed its maximum by this factor; the rest is cut off. */
export const SUMMARY_EXCESS = 1.1

/** Fraction of a prompt for everything except tools: 1 - TOOLS_SHARE in src/server/assemble-turns.ts. */
const SHARE_BESIDE_TOOLS = 0.6
/** Tokens of the layers that are served before the conversation: rules, room, who asks and who is here. */
const OTHER_LAYERS = 420

/** Fraction of the conversation's space for entries that are not yet summarized. */
const UNSUMMED_SHARE = 0.5
/** Fraction of that space for entries that come before the next check. */
const CHECK_SHARE = 0.25
/** Fraction of the whole prompt for the summary. */
const SUMMARY_SHARE = 0.125

const MAX_UNSUMMED = 6_000
const MIN_UNSUMMED = 60
const MAX_CHECK = 1_200
const MIN_CHECK = 30
const MAX_SUMMARY = 1_000
const MIN_SUMMARY = 150

/** Sizes for the smallest of these prompt budgets (tokens); the largest sizes for none. */
function sizesFor(targets: readonly number[]): Sizes {
  const smallest = Math.min(...targets, Number.MAX_SAFE_INTEGER)
  const summary = between(MIN_SUMMARY, smallest * SUMMARY_SHARE, MAX_SUMMARY)
  const space = smallest * SHARE_BESIDE_TOOLS - OTHER_LAYERS - summary * SUMMARY_EXCESS
  return {
    summary,
    unsummed: between(MIN_UNSUMMED, space * UNSUMMED_SHARE, MAX_UNSUMMED),
    checkAfter: between(MIN_CHECK, space * CHECK_SHARE, MAX_CHECK),
  }
}

const between = (least: number, value: number, most: number): number =>
  Math.max(least, Math.min(most, Math.floor(value)))
