import type { Usage } from '../chat/entry.ts'
import type { Clock, Log } from '../chat/ports.ts'
import { DAY_MS } from '../lib/amounts.ts'
import { createSerial } from '../lib/jobs/serial.ts'
import type { ModelSettings } from './model-settings.ts'
import type { Calibration, CalibrationStore } from './ports.ts'

/**
 * How much more each provider counts than we do, learned from its reports and refusals. Reading rejects with
 * `StorageError`; a failure to learn is only logged.
 */
export interface Calibrations {
  find(model: ModelSettings): Promise<Calibration | undefined>
  /** For budgets: the most that was seen in a day, or what the framing assumes before the first report. */
  budgetFactor(model: ModelSettings): Promise<number>
  /** For estimates: the mean of what the provider counts. */
  meanFactor(model: ModelSettings): Promise<number>
  learnFrom(model: ModelSettings, request: CountedRequest, usage: Usage | undefined): Promise<void>
  learnRefusal(model: ModelSettings, refused: Omit<RefusedPrompt, 'at'>): Promise<void>
}

/** A request as we count it, in tokens. `framing` is what we expect the provider to add to our texts. */
export interface CountedRequest {
  readonly counted: number
  readonly framing: number
}

export function createCalibrations(store: CalibrationStore, clock: Clock, log: Log): Calibrations {
  const find = (model: ModelSettings): Promise<Calibration | undefined> => store.find(calibrationKey(model))
  // Each report builds on the one before it.
  const oneByOne = createSerial()
  const logged = new Set<string>()

  async function update(
    model: ModelSettings,
    next: (known: Calibration | undefined) => Calibration | undefined,
  ): Promise<void> {
    try {
      await oneByOne(async () => {
        const known = await find(model)
        const learned = next(known)
        if (learned && learned !== known) await store.put(calibrationKey(model), learned)
      })
    } catch (error) {
      log.debug({ error }, 'a calibration could not be stored')
    }
  }

  /** Once for each model and run of the server; `/models` shows it to admins. */
  function logOnce(model: ModelSettings, { counted, reported }: TokenReport): void {
    const key = calibrationKey(model)
    if (logged.has(key)) return
    logged.add(key)
    const { name, endpoint, contextWindow } = model
    log.warn(
      { model: name, ...(endpoint === undefined ? {} : { endpoint }), contextWindow, counted, reported },
      'the tokens that a model reports look cut off: its server may read only a part of each prompt',
    )
  }

  return {
    find,
    async budgetFactor(model) {
      const known = await find(model)
      return known ? factorNow(known, clock.now()) : model.framing.factor
    },
    meanFactor: async (model) => (await find(model))?.factor ?? model.framing.factor,
    async learnFrom(model, request, usage) {
      if (!usage) return
      const room = model.contextWindow - model.maxOutput
      const report: TokenReport = { ...request, reported: usage.input, room, at: clock.now() }
      if (isSuspect(report)) logOnce(model, report)
      await update(model, (known) => learn(known, report, model.framing.factor))
    },
    learnRefusal: (model, refused) =>
      update(model, (known) => learnRefusal(known, { ...refused, at: clock.now() }, model.framing.factor)),
  }
}

/** The model's name is not in it: that is the config's, and may change. */
export const calibrationKey = ({ backend, endpoint = '', model, encoding }: ModelSettings): string =>
  [backend, endpoint, model, encoding].join(' ')

/** Below it a prompt could be longer than the window by our own count. A server that cuts prompts off reports less, too. */
const MIN_FACTOR = 1
const MAX_FACTOR = 4
/** A higher ratio is no count of one prompt, but such as the sum of a day. */
const MAX_BELIEVED_RATIO = 4
/** No tokenizer counts fewer: a smaller share is the count of a part of the prompt. */
const MIN_SHARE_OF_TEXT = 0.7
const MAX_FACTOR_CHANGE = 0.1
const REPORT_WEIGHT = 0.2
/** A shorter prompt is mostly framing. */
const MIN_COUNTED_TOKENS = 100
/** Prompts of one ratio differ a little: marks around messages, and words that meet. */
const REPORT_MARGIN = 1.01
/** In a prompt that fills less of its room, what a provider adds once weighs too much. */
const MIN_SHARE_OF_ROOM = 0.5
/** The next prompt is not the same text. */
const REFUSAL_MARGIN = 1.03

/** What a provider reported for one request, in tokens; `room` is the window less the answer, `at` is in ms. */
export interface TokenReport extends CountedRequest {
  readonly reported: number
  readonly room: number
  readonly at: number
}

/** True for a report that can be one prompt's, but of which the server has read only a part. */
export const isSuspect = (report: TokenReport): boolean =>
  isBelieved(report.counted, report.reported) &&
  report.reported < (report.counted - report.framing) * MIN_SHARE_OF_TEXT

const isBelieved = (counted: number, reported: number): boolean =>
  counted >= MIN_COUNTED_TOKENS && reported > 0 && reported / counted <= MAX_BELIEVED_RATIO

/**
 * Learns from a report; `assumed` is the factor before the first one. A suspect report changes no factor. Returns `known`
 * itself if the report tells nothing.
 */
export function learn(
  known: Calibration | undefined,
  report: TokenReport,
  assumed: number,
): Calibration | undefined {
  const { counted, reported, room, at } = report
  if (!isBelieved(counted, reported)) return known
  const before = known ?? unlearned(assumed)
  if (isSuspect(report)) return { ...before, doubted: before.doubted + 1, at }
  const ratio = reported / counted
  const weight = Math.max(REPORT_WEIGHT, 1 / (before.reports + 1))
  const change = clamp((within(ratio) - before.factor) * weight, -MAX_FACTOR_CHANGE, MAX_FACTOR_CHANGE)
  const learned = { ...before, factor: within(before.factor + change), reports: before.reports + 1, at }
  const most = mostNow(before, at)
  const seen = reported >= room * MIN_SHARE_OF_ROOM && ratio > 1 ? within(ratio * REPORT_MARGIN) : 0
  return seen >= most ? { ...learned, most: seen, mostAt: at } : { ...learned, most }
}

/** A prompt that was refused as too long: tokens as we count them, and as the provider does; `at` is in ms. */
export interface RefusedPrompt {
  readonly counted: number
  readonly tokens: number
  readonly at: number
}

/** Learns from a refusal that told how long the prompt was. A number that cannot be true changes nothing. */
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

export const factorNow = (known: Calibration, now: number): number =>
  Math.max(known.factor, mostNow(known, now))

/** Holds for a day: a server may be restarted with another model. */
const mostNow = ({ most, mostAt }: Calibration, now: number): number =>
  mostAt + DAY_MS < now ? MIN_FACTOR : most

const unlearned = (assumed: number): Calibration => ({
  factor: within(assumed),
  reports: 0,
  doubted: 0,
  at: 0,
  most: MIN_FACTOR,
  mostAt: 0,
})

const within = (factor: number): number => clamp(factor, MIN_FACTOR, MAX_FACTOR)

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value))
