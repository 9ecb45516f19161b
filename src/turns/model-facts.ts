import type { Clock, Log, MonotonicClock } from '../chat/ports.ts'
import { DAY_MS, HOUR_MS } from '../lib/amounts.ts'
import { errorMessage } from '../lib/errors.ts'
import { usualOutput } from '../lib/basics.ts'
import { calibrationKey } from '../prompt/calibration.ts'
import type { Lacks, ModelSettings } from '../prompt/model-settings.ts'
import type { ConfiguredModel, ModelFacts } from './ports.ts'

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

/** Parts of requests that the server refused, with its words. Each reading of the config begins without any. */
export interface RefusedParts {
  readonly systemRole?: string
  readonly fields?: Readonly<Record<string, string>>
  readonly toolIds?: Readonly<Record<string, string>>
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
export const MIN_WINDOW = 500

/** The configured models as they really are: their servers and refusals narrow the configuration. In memory alone. */
export class ModelFactsTable {
  readonly #rows = new Map<string, Row>()
  readonly #refused = new WeakMap<ModelSettings, RefusedParts>()
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
    const lacks = lacksOf(told, learned, this.#refused.get(settings))
    const narrowed = lacks ? { ...settings, lacks } : settings
    if (guess && guess.until > now && guess.configured === settings) {
      const window = Math.ceil(guess.prompt * guess.factor) + guess.output
      if (window < known)
        return { ...narrowed, contextWindow: window, maxOutput: guess.output, isWindowGuessed: true }
    }
    if (known < settings.contextWindow)
      return { ...narrowed, contextWindow: known, maxOutput: outputIn(known, settings) }
    return narrowed
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

  refusedParts({ settings }: ConfiguredModel): RefusedParts {
    return this.#refused.get(settings) ?? {}
  }

  /** Requests are made without these parts, until the config is read again. */
  setRefusedParts({ settings }: ConfiguredModel, parts: RefusedParts): void {
    this.#refused.set(settings, parts)
  }

  /** Adds parts to those that were refused. */
  addRefusedParts(model: ConfiguredModel, { systemRole, fields, toolIds }: RefusedParts): void {
    const before = this.refusedParts(model)
    const parts = { systemRole, fields, toolIds }
    this.#log.warn({ model: model.settings.name, ...parts }, REFUSED_PART)
    this.setRefusedParts(model, {
      ...before,
      ...(systemRole === undefined ? {} : { systemRole }),
      ...(fields ? { fields: { ...before.fields, ...fields } } : {}),
      ...(toolIds ? { toolIds: { ...before.toolIds, ...toolIds } } : {}),
    })
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
const REFUSED_PART = 'a server refused a part of a request; requests are made without it until a reload'
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
export function outputBeside(prompt: number, { maxOutput, contextWindow }: ModelSettings): number {
  const isUsual = maxOutput === usualOutput(contextWindow)
  return Math.min(maxOutput, Math.floor(isUsual ? prompt / 3 : prompt))
}

function lacksOf(told: ModelFacts, learned: ModelFacts, refused: RefusedParts = {}): Lacks | undefined {
  const { toolIds, fields } = refused
  const tools =
    told.tools === false
      ? 'its server says that it takes no tools'
      : learned.tools === false
        ? 'it refused tools'
        : undefined
  const systemRole =
    told.systemRole === false ? 'its server says that it takes no system message' : refused.systemRole
  const lacks = { tools, systemRole, fields, toolIds }
  const known = Object.entries(lacks).filter(([, reason]) => reason !== undefined)
  return known.length === 0 ? undefined : Object.fromEntries(known)
}
