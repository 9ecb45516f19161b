import type { Entry } from '../../chat/entry.ts'
import type { Calibrations } from '../../prompt/calibration.ts'
import { promptBudget } from '../../prompt/compose-prompt.ts'
import { callKey } from '../../prompt/history.ts'
import type { ModelFactsTable } from '../model-facts.ts'
import type { ConfiguredModel } from '../ports.ts'

export interface CountedEntry {
  readonly entry: Entry
  readonly tokens: number
}

/** Entries that may wait to be summed up: the default prompt shows 200. */
const MAX_UNSUMMED_ROWS = 150

/**
 * How many of the oldest rows are due to be summed up: none while all of them are few and short; else so many that the
 * newest half stays as it was said. `isAll` is false where more follows these rows.
 */
export function rowsDue(rows: readonly CountedEntry[], unsummed: number, isAll: boolean): number {
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

/** The oldest rows that fit into so many tokens, at least one. A call is not parted from its results, if it can be. */
export function oldestWithin(rows: readonly CountedEntry[], tokens: number): readonly CountedEntry[] {
  let left = tokens
  const over = rows.findIndex((row) => (left -= row.tokens) < 0)
  return rows.slice(0, withoutOpenCall(rows, Math.max(1, over === -1 ? rows.length : over)))
}

/** The number of rows before the first call among them whose result comes later. */
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

/** How much is summed up, and how long a summary is, in tokens. */
interface Sizes {
  /** What was said since the last summary may have so many tokens: then the older half is summed up. */
  readonly unsummed: number
  /** A room is looked at again after so many tokens. */
  readonly look: number
  readonly summary: number
}

interface SizesParts {
  readonly models: () => readonly ConfiguredModel[]
  readonly modelFacts: Pick<ModelFactsTable, 'lastKnown'>
  readonly calibrations: Pick<Calibrations, 'budgetFactor'>
}

/** The sizes that go with all models that may be called. */
export class SummarySizes {
  readonly #parts: SizesParts
  #last = sizesFor([])

  constructor(parts: SizesParts) {
    this.#parts = parts
  }

  /** By what is known of the models now. Rejects with `StorageError`. */
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

  /** Read last; the largest sizes before: each room is looked at once when it gets a summarizer. */
  get last(): Sizes {
    return this.#last
  }
}

/**
 * Models with a smaller window are not looked at, so that one tiny model does not make a small summary of every few words:
 * beside the rules and the tools, their prompts have no space for a conversation.
 */
const MIN_WINDOW = 2_000

/** A summary may have so many times the tokens that it should have; the rest is cut off. */
export const SUMMARY_EXCESS = 1.1

/** Share of a prompt that tools leave to all else (TOOLS_SHARE in src/app/assemble-turns.ts has the rest). */
const SHARE_BESIDE_TOOLS = 0.6
/** Tokens of the layers that are served before the conversation: rules, room, who asks and who is here. */
const OTHER_LAYERS = 420

/** Shares of the space that a conversation has: what is not summed up yet fits into it, and the message that is answered. */
const UNSUMMED_SHARE = 0.5
const LOOK_SHARE = 0.25
const SUMMARY_SHARE = 0.125

const MAX_UNSUMMED = 6_000
const MIN_UNSUMMED = 60
const MAX_LOOK = 1_200
const MIN_LOOK = 30
const MAX_SUMMARY = 1_000
const MIN_SUMMARY = 150

/** The sizes that go with prompts of so many tokens, as the smallest of them has it; the largest where there are none. */
function sizesFor(targets: readonly number[]): Sizes {
  const smallest = Math.min(...targets, Number.MAX_SAFE_INTEGER)
  const summary = between(MIN_SUMMARY, smallest * SUMMARY_SHARE, MAX_SUMMARY)
  const space = smallest * SHARE_BESIDE_TOOLS - OTHER_LAYERS - summary * SUMMARY_EXCESS
  return {
    summary,
    unsummed: between(MIN_UNSUMMED, space * UNSUMMED_SHARE, MAX_UNSUMMED),
    look: between(MIN_LOOK, space * LOOK_SHARE, MAX_LOOK),
  }
}

const between = (least: number, value: number, most: number): number =>
  Math.max(least, Math.min(most, Math.floor(value)))
