import { DAY_MS } from '../../lib/duration.ts'
import type { Calibration } from '../ports.ts'

/**
 * The smallest factor is 1: below it, a prompt could be longer than the window by our own count, which no report can
 * justify. A server that cuts prompts off reports few tokens, too.
 */
const MIN_FACTOR = 1
const MAX_FACTOR = 4
/** A ratio above this is no count of one prompt, such as the sum of a day. */
const MAX_BELIEVED_RATIO = 4
/** Fewer tokens than this share of our texts are the count of a part of the prompt. No tokenizer of now counts so few. */
const MIN_SHARE_OF_TEXT = 0.7
/** The most that one report changes a factor. */
const MAX_FACTOR_CHANGE = 0.1
/** The weight of a report, after the first few. */
const REPORT_WEIGHT = 0.2
/** Tokens; a shorter prompt is mostly framing. */
const MIN_COUNTED_TOKENS = 100
/** Two prompts differ in length if our counts do by this share and by this many tokens. */
const MIN_GROWTH = 0.02
const MIN_GROWTH_TOKENS = 50

/** What a provider reported for one request. Tokens. */
export interface TokenReport {
  readonly counted: number
  /** The part of `counted` that is no text of ours. */
  readonly framing: number
  readonly reported: number
  /** What its provider may count for a prompt: the window less the answer. */
  readonly room: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** What is known after a report. */
export interface Learned {
  /** The same object as before if the report tells nothing. */
  readonly calibration: Calibration | undefined
  /** True if the report looks cut off. */
  readonly doubted: boolean
}

/**
 * Takes a report in. `assumed` is the factor while nothing was learned, `last` the report before this one. A factor is
 * lowered down to our own count at most. A report that looks cut off changes no factor. `factor` follows the reports like a
 * mean; `most` is what budgets keep to, so that no prompt is composed which the provider counts as too long, though it
 * counts no more for it than it has counted before.
 */
export function learn(
  known: Calibration | undefined,
  report: TokenReport,
  { assumed, last }: { readonly assumed: number; readonly last?: TokenReport | undefined },
): Learned {
  const before = known ?? unlearned(assumed)
  const { counted, reported, at } = report
  const ratio = reported / counted
  if (!(counted >= MIN_COUNTED_TOKENS && reported > 0 && ratio <= MAX_BELIEVED_RATIO))
    return { calibration: known, doubted: false }
  if (looksCutOff(report, last))
    return { calibration: { ...before, doubted: before.doubted + 1, at }, doubted: true }
  const weight = Math.max(REPORT_WEIGHT, 1 / (before.reports + 1))
  const change = (within(ratio) - before.factor) * weight
  const limited = Math.min(MAX_FACTOR_CHANGE, Math.max(-MAX_FACTOR_CHANGE, change))
  const factor = within(before.factor + limited)
  const most = mostAfter(before, report)
  return { calibration: { ...before, factor, ...most, reports: before.reports + 1, at }, doubted: false }
}

/** The factor that budgets keep to at this time, in milliseconds since the epoch. */
export const budgetFactor = (known: Calibration, now: number): number =>
  Math.max(known.factor, mostNow(known, now))

/** What a server was seen to count holds for a day, as what refusals taught: it may be started anew with another model. */
const mostNow = ({ most, mostAt }: Calibration, now: number): number => (mostAt + DAY_MS < now ? 1 : most)

/** Two prompts of the same ratio differ by so much: marks around messages, and words that meet. */
const REPORT_MARGIN = 1.01
/** In a prompt that fills less of its room, what a provider adds once weighs more than it would in a full one. */
const MIN_SHARE_OF_ROOM = 0.5

function mostAfter(
  before: Calibration,
  { counted, reported, room, at }: TokenReport,
): Pick<Calibration, 'most' | 'mostAt'> {
  const ratio = reported / counted
  const known = mostNow(before, at)
  if (!(reported >= room * MIN_SHARE_OF_ROOM && ratio > 1)) return { most: known, mostAt: before.mostAt }
  const seen = within(ratio * REPORT_MARGIN)
  return seen >= known ? { most: seen, mostAt: at } : { most: known, mostAt: before.mostAt }
}

const unlearned = (assumed: number): Calibration => ({
  factor: within(assumed),
  reports: 0,
  doubted: 0,
  at: 0,
  most: MIN_FACTOR,
  mostAt: 0,
})

/** Far below our count of the texts, or the same as for a prompt that was clearly shorter or longer. */
function looksCutOff({ counted, framing, reported }: TokenReport, last: TokenReport | undefined): boolean {
  if (reported < (counted - framing) * MIN_SHARE_OF_TEXT) return true
  if (last?.reported !== reported) return false
  const growth = Math.abs(counted - last.counted)
  return growth >= MIN_GROWTH_TOKENS && growth >= MIN_GROWTH * counted
}

/** A prompt that was refused because it was too long. Tokens. */
export interface RefusedPrompt {
  /** The prompt, as we count it. */
  readonly counted: number
  /** The prompt, as the provider counts it. */
  readonly tokens: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** The next prompt is not the same text, so a little more is kept free than the refusal asks for. */
const REFUSAL_MARGIN = 1.03

/** What is known after a refusal that told how long the prompt was. A number that cannot be true changes nothing. */
export function learnRefusal(
  known: Calibration | undefined,
  { counted, tokens, at }: RefusedPrompt,
  assumed: number,
): Calibration | undefined {
  const ratio = tokens / counted
  if (!(counted >= MIN_COUNTED_TOKENS && ratio <= MAX_BELIEVED_RATIO)) return known
  const before = known ?? unlearned(assumed)
  const refused = within(ratio * REFUSAL_MARGIN)
  const factor = Math.max(before.factor, refused)
  return { ...before, factor, most: Math.max(mostNow(before, at), refused), mostAt: at, at }
}

const within = (factor: number): number => Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, factor))
