import type { Usage } from '../words/entry.ts'
import { DAY_MS } from '../base/amounts.ts'
import type { Clock, Log } from '../base/environment.ts'
import { createSerial } from '../base/jobs/serial.ts'
import type { ModelSettings } from './model-settings.ts'
import type { Calibration, CalibrationStore } from './ports.ts'

/** A request in our tokens. `framing` is the number that the provider is expected to add. */
export interface CountedRequest {
  readonly counted: number
  readonly framing: number
  /** The part of `counted` that is for pictures. */
  readonly pictures?: number
}

/** Learns a provider's tokens per token of ours. Reading rejects with `StorageError`; learning only logs. */
export class Calibrations {
  readonly #store: CalibrationStore
  readonly #clock: Clock
  readonly #log: Log
  // Serial, because each report builds on the report before it.
  readonly #oneByOne = createSerial()
  readonly #logged = new Set<string>()

  constructor(store: CalibrationStore, clock: Clock, log: Log) {
    this.#store = store
    this.#clock = clock
    this.#log = log
  }

  find(model: ModelSettings): Promise<Calibration | undefined> {
    return this.#store.find(calibrationKey(model))
  }

  /** For budgets: the largest factor of the last day, or the assumed one before the first report. */
  async budgetFactor(model: ModelSettings): Promise<number> {
    const known = await this.find(model)
    return known ? factorNow(known, this.#clock.now()) : model.framing.factor
  }

  /** For estimates: the mean factor of the reports. */
  async meanFactor(model: ModelSettings): Promise<number> {
    return (await this.find(model))?.factor ?? model.framing.factor
  }

  async learnFrom(model: ModelSettings, request: CountedRequest, usage: Usage | undefined): Promise<void> {
    if (!usage) return
    // The picture rule may be wrong, and a report does not tell the tokens of text from those of pictures.
    if (request.pictures) return
    const room = model.contextWindow - model.maxOutput
    const report: TokenReport = { ...request, reported: usage.input, room, at: this.#clock.now() }
    if (isSuspect(report)) this.#logOnce(model, report)
    await this.#update(model, (known) => learn(known, report, model.framing.factor))
  }

  learnRefusal(model: ModelSettings, refused: Omit<RefusedPrompt, 'at'>): Promise<void> {
    const at = this.#clock.now()
    return this.#update(model, (known) => learnRefusal(known, { ...refused, at }, model.framing.factor))
  }

  async #update(
    model: ModelSettings,
    next: (known: Calibration | undefined) => Calibration | undefined,
  ): Promise<void> {
    try {
      await this.#oneByOne(async () => {
        const known = await this.find(model)
        const learned = next(known)
        if (learned && learned !== known) await this.#store.put(calibrationKey(model), learned)
      })
    } catch (error) {
      this.#log.debug({ error }, 'a calibration could not be stored')
    }
  }

  /** Warns once per model. `/models` shows the doubt to admins. */
  #logOnce(model: ModelSettings, { counted, reported }: TokenReport): void {
    const key = calibrationKey(model)
    if (this.#logged.has(key)) return
    this.#logged.add(key)
    const { name, endpoint, contextWindow } = model
    this.#log.warn(
      { model: name, ...(endpoint === undefined ? {} : { endpoint }), contextWindow, counted, reported },
      'the tokens that a model reports look cut off: its server may read only a part of each prompt',
    )
  }
}

/** Omits the model's name in the config, which may change. */
export const calibrationKey = ({ backend, endpoint = '', model, encoding }: ModelSettings): string =>
  [backend, endpoint, model, encoding].join(' ')

/** With a smaller factor, a prompt could exceed the window even in our own count. */
const MIN_FACTOR = 1
/** A byte tokenizer has about 4.5 tokens per token of ours in English, 9 in Hindi or Thai; more is wrong. */
const MAX_FACTOR = 12
/** A smaller fraction means that only a part of the prompt was counted. */
const MIN_SHARE_OF_TEXT = 0.7
const MAX_FACTOR_CHANGE = 0.1
const REPORT_WEIGHT = 0.2
/** Reports of shorter prompts are ignored, because framing is most of them. */
const MIN_COUNTED_TOKENS = 100
const REPORT_MARGIN = 1.01
/** The smallest fraction of `room` at which a report can raise `most`; below it, fixed additions dominate. */
const MIN_SHARE_OF_ROOM = 0.5
/** A margin, because the next prompt has another text. */
const REFUSAL_MARGIN = 1.03

/** Counts are in tokens; `room` is the window less the answer, `at` is in ms. */
export interface TokenReport extends CountedRequest {
  readonly reported: number
  readonly room: number
  readonly at: number
}

/** True if the server seems to have read only a part of the prompt. */
export const isSuspect = (report: TokenReport): boolean =>
  isPlausible(report.counted, report.reported) &&
  report.reported < (report.counted - report.framing) * MIN_SHARE_OF_TEXT

const isPlausible = (counted: number, reported: number): boolean =>
  counted >= MIN_COUNTED_TOKENS && reported > 0 && reported / counted <= MAX_FACTOR

/** `assumed` is the factor before the first report. Returns `known` itself if the report changes nothing. */
export function learn(
  known: Calibration | undefined,
  report: TokenReport,
  assumed: number,
): Calibration | undefined {
  const { counted, reported, room, at } = report
  if (!isPlausible(counted, reported)) return known
  const before = known ?? initialCalibration(assumed)
  if (isSuspect(report)) return { ...before, doubted: before.doubted + 1, at }
  const ratio = reported / counted
  const weight = Math.max(REPORT_WEIGHT, 1 / (before.reports + 1))
  const change = clamp((clampFactor(ratio) - before.factor) * weight, -MAX_FACTOR_CHANGE, MAX_FACTOR_CHANGE)
  const learned = { ...before, factor: clampFactor(before.factor + change), reports: before.reports + 1, at }
  const most = currentMaximum(before, at)
  const seen = reported >= room * MIN_SHARE_OF_ROOM && ratio > 1 ? clampFactor(ratio * REPORT_MARGIN) : 0
  return seen >= most ? { ...learned, most: seen, mostAt: at } : { ...learned, most }
}

/** A prompt refused as too long: `counted` in our tokens, `tokens` in the provider's. */
interface RefusedPrompt {
  readonly counted: number
  readonly tokens: number
  readonly at: number
}

/** Returns `known` itself if the numbers cannot be true. */
export function learnRefusal(
  known: Calibration | undefined,
  { counted, tokens, at }: RefusedPrompt,
  assumed: number,
): Calibration | undefined {
  const ratio = tokens / counted
  if (!(counted >= MIN_COUNTED_TOKENS && ratio <= MAX_FACTOR)) return known
  const before = known ?? initialCalibration(assumed)
  const refused = clampFactor(ratio * REFUSAL_MARGIN)
  const factor = Math.max(before.factor, refused)
  return { ...before, factor, most: Math.max(currentMaximum(before, at), refused), mostAt: at, at }
}

export const factorNow = (known: Calibration, now: number): number =>
  Math.max(known.factor, currentMaximum(known, now))

/** Returns the largest factor, which expires after a day, as a server may restart with another model. */
const currentMaximum = ({ most, mostAt }: Calibration, now: number): number =>
  mostAt + DAY_MS < now ? MIN_FACTOR : most

const initialCalibration = (assumed: number): Calibration => ({
  factor: clampFactor(assumed),
  reports: 0,
  doubted: 0,
  at: 0,
  most: MIN_FACTOR,
  mostAt: 0,
})

const clampFactor = (factor: number): number => clamp(factor, MIN_FACTOR, MAX_FACTOR)

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value))
