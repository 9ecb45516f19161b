import type { Usage } from '../chat/entry.ts'
import type { Clock, Log } from '../chat/ports.ts'
import type { Calibration, CalibrationStore } from './ports.ts'
import type { ModelSettings } from './model-settings.ts'

/**
 * Where a factor stays. Below 1 a prompt gets longer than our own count allows, and one that is too long is
 * refused; above it only room is wasted: so the way down is the shorter one.
 */
const LOWEST = 0.75
const HIGHEST = 2
/** Reports outside of these say something else than what was read: nothing, the uncached part, a day's sum. */
const LEAST_BELIEVED = 0.5
const MOST_BELIEVED = 4
/** The most that one report moves a factor. */
const LARGEST_STEP = 0.1
/** The weight of a report, once there were some. */
const WEIGHT = 0.2
/** Prompts shorter than this, in tokens, are mostly framing. */
const SHORTEST = 100

/** What a model has in common with another of the same provider's: names are the room's, and may change. */
export const calibrationKey = ({ backend, model, encoding }: ModelSettings): string =>
  `${backend} ${model} ${encoding}`

/** The factor for a model's budgets: 1 while nothing is known. Rejects with `StorageError`. */
export async function factorFor(
  store: Pick<CalibrationStore, 'find'>,
  model: ModelSettings,
): Promise<number> {
  return (await store.find(calibrationKey(model)))?.factor ?? 1
}

/** What is known after a report of `reported` tokens for a request that we count as `counted`; the same if it tells nothing. */
export function learn(
  known: Calibration | undefined,
  { counted, reported, at }: { readonly counted: number; readonly reported: number; readonly at: number },
): Calibration | undefined {
  const ratio = reported / counted
  if (!(counted >= SHORTEST && ratio >= LEAST_BELIEVED && ratio <= MOST_BELIEVED)) return known
  const { factor, reports } = known ?? { factor: 1, reports: 0 }
  const wanted = (within(ratio, LOWEST, HIGHEST) - factor) * Math.max(WEIGHT, 1 / (reports + 1))
  return {
    factor: within(factor + within(wanted, -LARGEST_STEP, LARGEST_STEP), LOWEST, HIGHEST),
    reports: reports + 1,
    at,
  }
}

const within = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))

/** What learning takes. */
export interface CalibrationParts {
  readonly calibrations: Pick<CalibrationStore, 'change'>
  readonly clock: Clock
  readonly log: Log
}

/** Learns from the usage of one request. It only betters later budgets: a failure is logged and nothing else. */
export async function learnFrom(
  { calibrations, clock, log }: CalibrationParts,
  model: ModelSettings,
  counted: number,
  usage: Usage | undefined,
): Promise<void> {
  if (!usage) return
  const report = { counted, reported: usage.input, at: clock.now() }
  try {
    await calibrations.change(calibrationKey(model), (known) => learn(known, report))
  } catch (error) {
    log.debug({ error }, 'a calibration could not be stored')
  }
}
