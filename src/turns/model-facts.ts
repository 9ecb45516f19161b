import { DAY_MS, HOUR_MS } from '../base/amounts.ts'
import type { Clock, Log, MonotonicClock } from '../base/environment.ts'
import { errorMessage } from '../base/errors.ts'
import { usualOutput } from '../base/basics.ts'
import { calibrationKey, type Lacks, type ModelSettings } from '../wrap/index.ts'
import type { ConfiguredModel, ModelFacts } from '../wrap/loop/index.ts'

/** What is known of one model of one server beyond its configuration. */
interface Row {
  reported: ModelFacts
  /** Learned from refusals; valid until `learnedUntil` (ms since the epoch). */
  learned: ModelFacts
  learnedUntil: number
  /** The assumed window after a refusal without numbers; a reload of the config ends it. */
  guess?: Guess
  /** Tokens of the longest accepted prompt, in our own count. */
  longestAccepted: number
  /** When to ask the server again, in ms of the monotonic clock. */
  askAgainAt: number
  asking?: Promise<void> | undefined
}

/** Parts of requests that the server refused, each with a reason. Reset by a reload of the config. */
export type RefusedParts = Omit<Lacks, 'tools'>

/** A window guessed from a refused prompt, in our count: a rising `factor` must not shrink prompts. */
interface Guess {
  readonly prompt: number
  /** The provider's tokens per token of our count, as known so far. */
  readonly factor: number
  readonly output: number
  readonly until: number
  readonly configured: ModelSettings
}

/** Milliseconds to wait for a server that is asked about a model. */
const WAIT_MS = 1_500
/** Milliseconds until a server that answered is asked again. */
const FRESH_MS = 10 * 60_000
/** Milliseconds until a server that did not answer is asked again. */
const RETRY_MS = 30_000
/** Learned facts expire, because servers restart with other models and windows. */
const LEARNED_MS = DAY_MS
/** Guessed windows expire sooner, because the cause of a refusal, such as the load, may be over soon. */
const GUESS_MS = HOUR_MS
/** The smallest window in tokens that the config accepts. A smaller one in a refusal is ignored. */
export const MIN_WINDOW = 500

/** Caches what servers and refusals reveal about models, and lowers the configured limits accordingly. */
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

  /** Asks the server first, with a short timeout, if the last inquiry is too old. */
  async settingsOf(model: ConfiguredModel): Promise<ModelSettings> {
    const row = this.#row(model.settings)
    if (model.adapter.inquire && row.askAgainAt <= this.#clock.monotonic()) {
      row.asking ??= this.#ask(row, model)
      await row.asking
    }
    return this.lastKnown(model)
  }

  /** Returns the current settings without asking the server. */
  lastKnown({ settings }: ConfiguredModel): ModelSettings {
    const row = this.#row(settings)
    const learned = row.learnedUntil < this.#clock.now() ? {} : row.learned
    const known = this.#lowered(settings, row, learned)
    const { maxOutput: most = Infinity } = learned
    if (most >= known.maxOutput) return known
    // The prompt gets none of the tokens that a guessed window has for the answer.
    const contextWindow = known.contextWindow - (known.isWindowGuessed ? known.maxOutput - most : 0)
    return { ...known, contextWindow, maxOutput: most, isOutputLimited: true }
  }

  /** Returns the settings with the known or guessed window. */
  #lowered(settings: ModelSettings, row: Row, learned: ModelFacts): ModelSettings {
    const { reported, guess } = row
    const now = this.#clock.now()
    const known = Math.min(settings.contextWindow, reported.window ?? Infinity, learned.window ?? Infinity)
    if (known < settings.contextWindow) this.#logLowered(settings, known)
    const lacks = lacksOf(reported, learned, this.#refused.get(settings))
    const images = settings.images ?? reported.images
    const facts = { ...(lacks && { lacks }), ...(images !== settings.images && { images }) }
    const narrowed = Object.keys(facts).length > 0 ? { ...settings, ...facts } : settings
    if (guess && guess.until > now && guess.configured === settings) {
      const window = Math.ceil(guess.prompt * guess.factor) + guess.output
      if (window < known)
        return { ...narrowed, contextWindow: window, maxOutput: guess.output, isWindowGuessed: true }
    }
    if (known < settings.contextWindow)
      return { ...narrowed, contextWindow: known, maxOutput: maxOutputFor(known, settings) }
    return narrowed
  }

  /** Asks the server again before the next turn, unless it just failed to answer: its window may differ. */
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

  /** Sets the parts that requests omit until the config is reloaded. */
  setRefusedParts({ settings }: ConfiguredModel, parts: RefusedParts): void {
    this.#refused.set(settings, parts)
  }

  addRefusedParts(model: ConfiguredModel, { systemRole, pictures, fields, toolIds }: RefusedParts): void {
    const before = this.refusedParts(model)
    const parts = { systemRole, pictures, fields, toolIds }
    this.#log.warn({ model: model.settings.name, ...parts }, REFUSED_PART)
    this.setRefusedParts(model, {
      ...before,
      ...(systemRole === undefined ? {} : { systemRole }),
      ...(pictures === undefined ? {} : { pictures }),
      ...(fields ? { fields: { ...before.fields, ...fields } } : {}),
      ...(toolIds ? { toolIds: { ...before.toolIds, ...toolIds } } : {}),
    })
  }

  /** Assumes for an hour, or until a config reload, that `prompt` tokens (our count) and the answer fit. */
  assumePrompt({ settings }: ConfiguredModel, prompt: number, factor: number): void {
    const row = this.#row(settings)
    const now = this.#clock.now()
    const output = maxOutputBeside(prompt * factor, settings)
    if (!row.guess || row.guess.until <= now || row.guess.configured !== settings) {
      const window = Math.ceil(prompt * factor) + output
      this.#log.warn({ model: settings.name, context_window: settings.contextWindow, window }, GUESSED)
    }
    row.guess = { prompt, factor, output, until: now + GUESS_MS, configured: settings }
  }

  /** `counted` tokens (our count) were accepted; `factor` is the provider's tokens per token of ours. */
  promptAccepted(settings: ModelSettings, counted: number, factor: number): void {
    const row = this.#row(settings)
    row.longestAccepted = Math.max(counted, row.longestAccepted)
    if (row.guess) row.guess = { ...row.guess, factor, prompt: Math.max(counted, row.guess.prompt) }
  }

  /** In our count. Resets the stored number to 0 unless it is below `refused`, a refused prompt's size. */
  longestAccepted(settings: ModelSettings, refused: number): number {
    const row = this.#row(settings)
    if (row.longestAccepted >= refused) row.longestAccepted = 0
    return row.longestAccepted
  }

  forgetGuess(settings: ModelSettings): void {
    delete this.#row(settings).guess
  }

  /** Forgets the window learned from refusals, guessed or not. Returns true if there was one. */
  forgetWindow(settings: ModelSettings): boolean {
    const row = this.#row(settings)
    const { window, ...others } = row.learned
    const hadWindow =
      row.guess !== undefined || (window !== undefined && row.learnedUntil >= this.#clock.now())
    row.learned = others
    delete row.guess
    return hadWindow
  }

  /** All names in the config of one model of one server share a row, as in calibrations. */
  #row(settings: ModelSettings): Row {
    const key = calibrationKey(settings)
    const row = this.#rows.get(key) ?? {
      reported: {},
      learned: {},
      learnedUntil: -Infinity,
      longestAccepted: 0,
      askAgainAt: -Infinity,
    }
    this.#rows.set(key, row)
    return row
  }

  async #ask(row: Row, { settings, adapter }: ConfiguredModel): Promise<void> {
    try {
      const facts = await adapter.inquire?.(AbortSignal.timeout(WAIT_MS))
      if (facts) row.reported = facts
      row.askAgainAt = this.#clock.monotonic() + FRESH_MS
    } catch (error) {
      row.askAgainAt = this.#clock.monotonic() + RETRY_MS
      const facts = { model: settings.name, error: errorMessage(error) }
      this.#log.debug(facts, 'a server gave no facts about its model')
    } finally {
      row.asking = undefined
    }
  }

  /** Warns once per model and window while the server runs. */
  #logLowered({ name, contextWindow }: ModelSettings, window: number): void {
    const key = `${name} ${contextWindow} ${window}`
    if (this.#logged.has(key)) return
    this.#logged.add(key)
    this.#log.warn({ model: name, context_window: contextWindow, window }, LOWERED)
  }
}

const LOWERED = 'context_window is larger than what the server of the model takes; the smaller one is used'
const REFUSED_PART = 'a server refused a part of a request; requests are made without it until a reload'
const GUESSED =
  'a prompt was refused as too long, without numbers; smaller windows are tried, and /models shows the window that is used'

/** For a smaller window than configured: the usual maximum, or half the window if the config sets one. */
function maxOutputFor(window: number, { maxOutput, contextWindow }: ModelSettings): number {
  const isUsual = maxOutput === usualOutput(contextWindow)
  return Math.min(maxOutput, isUsual ? usualOutput(window) : Math.floor(window / 2))
}

/** Returns the maximum answer in tokens next to a prompt; the inverse of `maxOutputFor`. */
export function maxOutputBeside(prompt: number, { maxOutput, contextWindow }: ModelSettings): number {
  const isUsual = maxOutput === usualOutput(contextWindow)
  return Math.min(maxOutput, Math.floor(isUsual ? prompt / 3 : prompt))
}

function lacksOf(reported: ModelFacts, learned: ModelFacts, refused: RefusedParts = {}): Lacks | undefined {
  const { toolIds, fields, pictures } = refused
  const tools =
    reported.tools === false
      ? 'its server says that it takes no tools'
      : learned.tools === false
        ? 'it refused tools'
        : undefined
  const systemRole =
    reported.systemRole === false ? 'its server says that it takes no system message' : refused.systemRole
  const lacks = { tools, systemRole, pictures, fields, toolIds }
  const known = Object.entries(lacks).filter(([, reason]) => reason !== undefined)
  return known.length === 0 ? undefined : Object.fromEntries(known)
}
