import { targetOf } from '../../prompt/wrap.ts'
import type { ModelSettings } from '../../prompt/model-settings.ts'

/** How much is summed up, and how long a summary is, in tokens. */
export interface SummarySizes {
  /** What was said since the last summary may have so many tokens: then the older half is summed up. */
  readonly unsummed: number
  /** Tokens that a summary should have at most. */
  readonly summary: number
}

/** Shares of the smallest prompt among the models: what is not summed up yet should fit into each of them. */
const UNSUMMED_SHARE = 0.25
const SUMMARY_SHARE = 0.125

const MAX_UNSUMMED = 6_000
/** So that one tiny model does not make many small summaries of every room. */
const MIN_UNSUMMED = 1_200
const MAX_SUMMARY = 1_000
const MIN_SUMMARY = 150

/** The sizes that go with these models; `models` are all that may be called in the room. */
export function sizesFor(models: readonly ModelSettings[]): SummarySizes {
  const targets = models.map((model) => targetOf({ ...model, calibration: model.framing.factor }))
  const smallest = Math.min(...targets, Number.MAX_SAFE_INTEGER)
  const share = (part: number, least: number, most: number): number =>
    Math.max(least, Math.min(most, Math.floor(smallest * part)))
  return {
    unsummed: share(UNSUMMED_SHARE, MIN_UNSUMMED, MAX_UNSUMMED),
    summary: share(SUMMARY_SHARE, MIN_SUMMARY, MAX_SUMMARY),
  }
}
