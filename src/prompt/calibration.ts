import type { Usage } from '../chat/entry.ts'
import type { Clock, Log } from '../chat/ports.ts'
import { createSerial } from '../lib/jobs/serial.ts'
import type { ModelSettings } from './model-settings.ts'
import type { Calibration, CalibrationStore } from './ports.ts'
import { DAY_MS } from '../lib/duration.ts'

/** How much more each provider counts than we do, learned from its reports and refusals. */
export interface Calibrations {
  /** What is known of a model; undefined while there was no report. Rejects with `StorageError`. */
  find(model: ModelSettings): Promise<Calibration | undefined>
  /**
   * The factor for a model's budgets, which is the most that was seen for a day: what its provider's framing assumes while
   * nothing is known. Rejects with `StorageError`.
   */
  factorFor(model: ModelSettings): Promise<number>
  /** The factor for an estimate: what its provider usually counts. Rejects with `StorageError`. */
  usualFactor(model: ModelSettings): Promise<number>
  /** Learns from the usage of one request. A failure is only logged; of a report that looks cut off admins are told, too. */
  learnFrom(model: ModelSettings, request: CountedRequest, usage: Usage | undefined): Promise<void>
  /** Learns from a request that was refused because it was too long, as its provider counts it. A failure is only logged. */
  learnRefusal(model: ModelSettings, refused: Omit<RefusedPrompt, 'at'>): Promise<void>
}

/** A request as we count it, in tokens. */
export interface CountedRequest {
  readonly counted: number
  /** The part of it that is no text of ours: what we expect the provider to add. */
  readonly framing: number
}

/** Tells the admins who are in a session. False if there is none. */
export type TellAdmins = (text: string) => boolean

export function createCalibrations(
  store: CalibrationStore,
  clock: Clock,
  log: Log,
  tellAdmins: TellAdmins,
): Calibrations {
  const find = (model: ModelSettings): Promise<Calibration | undefined> => store.find(calibrationKey(model))
  /** Each report builds on the one before it. */
  const oneByOne = createSerial()
  const lastReports = new Map<string, TokenReport>()
  const logged = new Set<string>()
  const told = new Set<string>()

  async function update(
    model: ModelSettings,
    next: (known: Calibration | undefined) => Calibration | undefined,
  ) {
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

  /** Tells admins once for each model and run of the server, and the log, where no admin may be there to hear it. */
  function tell({ name, endpoint, contextWindow }: ModelSettings, key: string, report: TokenReport): void {
    const { counted, reported } = report
    if (!logged.has(key)) {
      logged.add(key)
      const where = endpoint === undefined ? {} : { endpoint }
      const facts = { model: name, ...where, contextWindow, counted, reported }
      log.warn(facts, `the tokens that a model reports look cut off: ${CUT_OFF}`)
    }
    // More than we count looks right, unless it is known what is wrong with it.
    const asBefore = reported < counted ? '' : ', and as many for one of another length'
    const text = `@${name} reports ${reported} tokens for a prompt of about ${counted}${asBefore}: ${CUT_OFF}; check its window (/models)`
    if (!told.has(key) && tellAdmins(text)) told.add(key)
  }

  return {
    find,
    async factorFor(model) {
      const known = await find(model)
      const learned = known ? budgetFactor(known, clock.now()) : model.framing.factor
      return Math.max(learned, model.guessFactor ?? 0)
    },
    usualFactor: async (model) => (await find(model))?.factor ?? model.framing.factor,
    async learnFrom(model, { counted, framing }, usage) {
      if (!usage) return
      const key = calibrationKey(model)
      const room = model.contextWindow - model.maxOutput
      const report: TokenReport = { counted, framing, reported: usage.input, room, at: clock.now() }
      const last = lastReports.get(key)
      lastReports.set(key, report)
      await update(model, (known) => {
        const learned: Learned = learn(known, report, { assumed: model.framing.factor, last })
        if (learned.doubted) tell(model, key, report)
        return learned.calibration
      })
    },
    async learnRefusal(model, refused) {
      const assumed = model.framing.factor
      await update(model, (known) => learnRefusal(known, { ...refused, at: clock.now() }, assumed))
    },
  }
}

const CUT_OFF = 'its server may read only a part of each prompt'

/** The same for all names that one model of one server has here: a name is the config's, and may change. */
export const calibrationKey = ({ backend, endpoint = '', model, encoding }: ModelSettings): string =>
  [backend, endpoint, model, encoding].join(' ')

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
