import type { Usage } from '../chat/entry.ts'
import type { Clock, Log } from '../chat/ports.ts'
import { createSerial } from '../lib/serial.ts'
import type { ModelSettings } from './model-settings.ts'
import type { Calibration, CalibrationStore } from './ports.ts'

/**
 * The smallest and the largest factor. A factor below 1 allows longer prompts than our own count does, and a provider
 * refuses a prompt that is too long. A factor above 1 only wastes tokens. So there is less space below 1 than above.
 */
const MIN_FACTOR = 0.75
const MAX_FACTOR = 2
/** A ratio outside of these is no count of the prompt: it is zero, or the uncached part only, or the sum of a day. */
const MIN_BELIEVED_RATIO = 0.5
const MAX_BELIEVED_RATIO = 4
/** The most that one report changes a factor. */
const MAX_FACTOR_CHANGE = 0.1
/** The weight of a report, after the first few. */
const REPORT_WEIGHT = 0.2
/** Tokens; a shorter prompt is mostly framing. */
const MIN_COUNTED_TOKENS = 100

/** How much more each provider counts than we do. */
export interface Calibrations {
  /** What is known of a model; undefined while there was no report. Rejects with `StorageError`. */
  find(model: ModelSettings): Promise<Calibration | undefined>
  /** The factor for a model's budgets: 1 while nothing is known. Rejects with `StorageError`. */
  factorFor(model: ModelSettings): Promise<number>
  /** Learns from the usage of one request that we count as `counted` tokens. A failure is only logged. */
  learnFrom(model: ModelSettings, counted: number, usage: Usage | undefined): Promise<void>
}

export function createCalibrations(store: CalibrationStore, clock: Clock, log: Log): Calibrations {
  const find = (model: ModelSettings): Promise<Calibration | undefined> => store.find(calibrationKey(model))
  /** Each report builds on the one before it. */
  const inTurn = createSerial()

  async function learnOne(model: ModelSettings, report: Parameters<typeof learn>[1]): Promise<void> {
    const known = await find(model)
    const next = learn(known, report)
    if (next && next !== known) await store.put(calibrationKey(model), next)
  }

  return {
    find,
    factorFor: async (model) => (await find(model))?.factor ?? 1,
    async learnFrom(model, counted, usage) {
      if (!usage) return
      const report = { counted, reported: usage.input, at: clock.now() }
      try {
        await inTurn(() => learnOne(model, report))
      } catch (error) {
        log.debug({ error }, 'a calibration could not be stored')
      }
    },
  }
}

/** The same for all names that one model of a provider has here: a name is the config's, and may change. */
export const calibrationKey = ({ backend, model, encoding }: ModelSettings): string =>
  `${backend} ${model} ${encoding}`

/**
 * What is known after a report of `reported` tokens for a request that we count as `counted`. The same as before if the
 * report tells nothing.
 */
export function learn(
  known: Calibration | undefined,
  { counted, reported, at }: { readonly counted: number; readonly reported: number; readonly at: number },
): Calibration | undefined {
  const ratio = reported / counted
  const isBelieved = ratio >= MIN_BELIEVED_RATIO && ratio <= MAX_BELIEVED_RATIO
  if (!(counted >= MIN_COUNTED_TOKENS && isBelieved)) return known
  const { factor, reports } = known ?? { factor: 1, reports: 0 }
  const weight = Math.max(REPORT_WEIGHT, 1 / (reports + 1))
  const change = (within(ratio, MIN_FACTOR, MAX_FACTOR) - factor) * weight
  return {
    factor: within(factor + within(change, -MAX_FACTOR_CHANGE, MAX_FACTOR_CHANGE), MIN_FACTOR, MAX_FACTOR),
    reports: reports + 1,
    at,
  }
}

const within = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))
