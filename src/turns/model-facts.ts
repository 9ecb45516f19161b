import type { Clock, Log, MonotonicClock } from '../chat/ports.ts'
import { DAY_MS, HOUR_MS } from '../lib/amounts.ts'
import { errorMessage } from '../lib/errors.ts'
import { usualOutput } from '../lib/basics.ts'
import { calibrationKey, type Calibrations, type CountedRequest } from '../prompt/calibration.ts'
import { promptBudget } from '../prompt/compose-prompt.ts'
import type { Lacks, ModelSettings } from '../prompt/model-settings.ts'
import type { ConfiguredModel, ModelFacts, ModelRefusal } from './ports.ts'

/** What is known of one model of one server beyond its configuration. */
interface Row {
  /** By its server. */
  told: ModelFacts
  /** By refusals, until this moment in milliseconds since the epoch. */
  learned: ModelFacts
  learnedUntil: number
  /** After a refusal without numbers. Each reading of the config makes new settings, which end it. */
  guess?: Guess
  /** Tokens of the longest prompt that was taken, as we count them. */
  longestTaken: number
  /** On the clock that never goes back. */
  askAgainAt: number
  asking?: Promise<void> | undefined
}

/** Kept in our own count: a factor that rises later, as answers report what they read, must not shrink the prompt. */
interface Guess {
  /** Tokens of a prompt, as we count them. */
  readonly prompt: number
  /** The provider's tokens for each of ours, as far as they are known. */
  readonly factor: number
  /** Tokens of the answer. */
  readonly output: number
  readonly until: number
  readonly configured: ModelSettings
}

/** Milliseconds for which a server is waited for that is asked about a model. */
const WAIT_MS = 1_500
/** Milliseconds until a server that told of its model is asked again, and one that did not. */
const FRESH_MS = 10 * 60_000
const RETRY_MS = 30_000
/** Servers are started anew with other models and windows. */
const LEARNED_MS = DAY_MS
/** What made a server refuse may be over soon: the load of others, or how it was started. */
const GUESS_MS = HOUR_MS
/** A window that is smaller than any that the config takes is not believed. Tokens. */
const MIN_WINDOW = 500

/** The configured models as they really are: their servers and refusals narrow the configuration. In memory alone. */
export class ModelFactsTable {
  readonly #rows = new Map<string, Row>()
  readonly #logged = new Set<string>()
  readonly #clock: Clock & MonotonicClock
  readonly #log: Log

  constructor(clock: Clock & MonotonicClock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  /** The settings that hold now. A server that was not asked for some time is asked, and waited for a short while. */
  async settingsOf(model: ConfiguredModel): Promise<ModelSettings> {
    const row = this.#row(model.settings)
    if (model.adapter.inquire && row.askAgainAt <= this.#clock.monotonic()) {
      row.asking ??= this.#ask(row, model)
      await row.asking
    }
    return this.lastKnown(model)
  }

  /** The same as far as it is known, without asking anybody. */
  lastKnown({ settings }: ConfiguredModel): ModelSettings {
    const row = this.#row(settings)
    const { told, guess } = row
    const now = this.#clock.now()
    const learned = row.learnedUntil < now ? {} : row.learned
    const known = Math.min(settings.contextWindow, told.window ?? Infinity, learned.window ?? Infinity)
    if (known < settings.contextWindow) this.#logLowered(settings, known)
    const lacks = lacksOf(told, learned)
    const narrowed = { ...settings, ...(lacks ? { lacks } : {}) }
    if (guess && guess.until > now && guess.configured === settings) {
      const window = Math.ceil(guess.prompt * guess.factor) + guess.output
      if (window < known)
        return { ...narrowed, contextWindow: window, maxOutput: guess.output, isWindowGuessed: true }
    }
    if (known < settings.contextWindow)
      return { ...narrowed, contextWindow: known, maxOutput: outputIn(known, settings) }
    return lacks ? narrowed : settings
  }

  /**
   * A request to the model failed. Its server may come back with another window, so it is asked again before the next
   * turn; a server that did not answer keeps its pause.
   */
  requestFailed(settings: ModelSettings): void {
    const row = this.#row(settings)
    if (row.askAgainAt > this.#clock.monotonic() + RETRY_MS) row.askAgainAt = -Infinity
  }

  learn(settings: ModelSettings, facts: ModelFacts): void {
    const row = this.#row(settings)
    const now = this.#clock.now()
    row.learned = { ...(row.learnedUntil < now ? {} : row.learned), ...facts }
    row.learnedUntil = now + LEARNED_MS
  }

  /**
   * Assumes that the window has space for a prompt of so many tokens of ours, and its answer: for an hour, or until the
   * config is read again.
   */
  assumePrompt({ settings }: ConfiguredModel, prompt: number, factor: number): void {
    const row = this.#row(settings)
    const now = this.#clock.now()
    const output = outputBeside(prompt * factor, settings)
    if (!row.guess || row.guess.until <= now || row.guess.configured !== settings) {
      const window = Math.ceil(prompt * factor) + output
      this.#log.warn({ model: settings.name, context_window: settings.contextWindow, window }, GUESSED)
    }
    row.guess = { prompt, factor, output, until: now + GUESS_MS, configured: settings }
  }

  /** A prompt of so many tokens of ours was taken; the provider counts `factor` for each, as we know by now. */
  promptTaken(settings: ModelSettings, counted: number, factor: number): void {
    const row = this.#row(settings)
    row.longestTaken = Math.max(counted, row.longestTaken)
    if (row.guess) row.guess = { ...row.guess, factor, prompt: Math.max(counted, row.guess.prompt) }
  }

  /** Tokens of ours; 0 if a prompt of `refused` tokens shows that this tells nothing now. */
  longestTaken(settings: ModelSettings, refused: number): number {
    const row = this.#row(settings)
    if (row.longestTaken >= refused) row.longestTaken = 0
    return row.longestTaken
  }

  forgetGuess(settings: ModelSettings): void {
    delete this.#row(settings).guess
  }

  /** Forgets the window that a refusal taught, guessed or not. Returns whether there was one. */
  forgetWindow(settings: ModelSettings): boolean {
    const row = this.#row(settings)
    const { window, ...others } = row.learned
    const hadWindow =
      row.guess !== undefined || (window !== undefined && row.learnedUntil >= this.#clock.now())
    row.learned = others
    delete row.guess
    return hadWindow
  }

  /** As for calibrations, the names that one model of one server has here share a row. */
  #row(settings: ModelSettings): Row {
    const key = calibrationKey(settings)
    const row = this.#rows.get(key) ?? {
      ...{ told: {}, learned: {}, learnedUntil: -Infinity, longestTaken: 0, askAgainAt: -Infinity },
    }
    this.#rows.set(key, row)
    return row
  }

  async #ask(row: Row, { settings, adapter }: ConfiguredModel): Promise<void> {
    try {
      const facts = await adapter.inquire?.(AbortSignal.timeout(WAIT_MS))
      if (facts) row.told = facts
      row.askAgainAt = this.#clock.monotonic() + FRESH_MS
    } catch (error) {
      row.askAgainAt = this.#clock.monotonic() + RETRY_MS
      const facts = { model: settings.name, error: errorMessage(error) }
      this.#log.debug(facts, 'a server did not tell about its model')
    } finally {
      row.asking = undefined
    }
  }

  /** Once for each window and run of the server. */
  #logLowered({ name, contextWindow }: ModelSettings, window: number): void {
    const key = `${name} ${contextWindow} ${window}`
    if (this.#logged.has(key)) return
    this.#logged.add(key)
    this.#log.warn({ model: name, context_window: contextWindow, window }, LOWERED)
  }
}

const LOWERED = 'context_window is larger than what the server of the model takes; the smaller one holds'
const GUESSED =
  'a prompt was refused as too long, without numbers; smaller windows are tried, and /models shows the one that holds'

/**
 * Tokens of an answer in a window that is smaller than the configured one: as if the config had named that window, or
 * half of it if the config says how long an answer may be.
 */
function outputIn(window: number, { maxOutput, contextWindow }: ModelSettings): number {
  const isUsual = maxOutput === usualOutput(contextWindow)
  return Math.min(maxOutput, isUsual ? usualOutput(window) : Math.floor(window / 2))
}

/** Tokens of the answer beside a prompt of so many: `outputIn` the other way round. */
function outputBeside(prompt: number, { maxOutput, contextWindow }: ModelSettings): number {
  const isUsual = maxOutput === usualOutput(contextWindow)
  return Math.min(maxOutput, Math.floor(isUsual ? prompt / 3 : prompt))
}

function lacksOf(told: ModelFacts, learned: ModelFacts): Lacks | undefined {
  const reason = (what: string, byServer?: boolean, byRefusal?: boolean): string | undefined => {
    if (byServer === false) return `its server says that it takes no ${what.replace(/^a /, '')}`
    return byRefusal === false ? `it refused ${what}` : undefined
  }
  const tools = reason('tools', told.tools, learned.tools)
  const systemRole = reason('a system message', told.systemRole, learned.systemRole)
  if (tools === undefined && systemRole === undefined) return undefined
  return { ...(tools === undefined ? {} : { tools }), ...(systemRole === undefined ? {} : { systemRole }) }
}

export interface RefusedRequest {
  readonly model: ConfiguredModel
  readonly settings: ModelSettings
  /** As we count it. */
  readonly size: CountedRequest
  /** Share of the refused prompt that the next one may have, 0-1, if the refusal tells no number. */
  readonly share?: number
}

export interface RefusalParts {
  readonly calibrations: Pick<Calibrations, 'budgetFactor' | 'learnRefusal'>
  readonly modelFacts: ModelFactsTable
}

/**
 * Learns why a provider refused a request. Resolves to the settings for the next one, which differs: it is shorter,
 * without tools, or without a system message. Rejects with `StorageError`.
 */
export async function learnFromRefusal(
  refusal: ModelRefusal,
  { model, settings, size: { counted }, share = 0.5 }: RefusedRequest,
  { calibrations, modelFacts }: RefusalParts,
): Promise<ModelSettings> {
  if (refusal.kind !== 'too-long') {
    modelFacts.learn(settings, refusal.kind === 'no-tools' ? { tools: false } : { systemRole: false })
    return await modelFacts.settingsOf(model)
  }
  const { window, total } = refusal
  const tokens = refusal.tokens ?? (total === undefined ? undefined : total - settings.maxOutput)
  if (window !== undefined && window >= MIN_WINDOW && window < settings.contextWindow)
    modelFacts.learn(settings, { window })
  if (tokens !== undefined) await calibrations.learnRefusal(settings, { counted, tokens })
  const next = await modelFacts.settingsOf(model)
  const calibration = await calibrations.budgetFactor(next)
  if (promptBudget({ ...next, calibration }) < counted) return next
  const fitting = Math.floor(Math.max(counted * share, modelFacts.longestTaken(next, counted)))
  const prompt = fitting * calibration
  if (prompt + outputBeside(prompt, model.settings) < MIN_WINDOW) return next
  modelFacts.assumePrompt(model, fitting, calibration)
  return await modelFacts.settingsOf(model)
}

/** Requests that may follow one another because each was refused as too long: the last one has a 64th of the first. */
const MAX_SHORTER = 6

/** Decides for one request whether another one may follow a refusal: a shorter one some times, else one for each kind. */
export function createAttempts(): (refusal: ModelRefusal) => boolean {
  const times = new Map<ModelRefusal['kind'], number>()
  return ({ kind }) => {
    const before = times.get(kind) ?? 0
    times.set(kind, before + 1)
    return before < (kind === 'too-long' ? MAX_SHORTER : 1)
  }
}
