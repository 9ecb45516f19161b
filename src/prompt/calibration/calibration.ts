// How our counts of tokens compare with each provider's, learned from what it reports and refuses. This folder must not
// know how a prompt is composed or a model is asked: it takes numbers in and gives a factor.
import type { Usage } from '../../chat/entry.ts'
import type { Clock, Log } from '../../chat/ports.ts'
import { createSerial } from '../../lib/jobs/serial.ts'
import {
  budgetFactor,
  type Learned,
  learn,
  learnRefusal,
  type RefusedPrompt,
  type TokenReport,
} from './learn-factor.ts'
import type { ModelSettings } from '../model-settings.ts'
import type { Calibration, CalibrationStore } from '../ports.ts'

/** How much more each provider counts than we do. */
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
