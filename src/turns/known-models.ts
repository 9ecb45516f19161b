import type { Clock, Log, MonotonicClock } from '../chat/ports.ts'
import { calibrationKey } from '../prompt/calibration.ts'
import { DAY_MS } from '../lib/duration.ts'
import { errorMessage } from '../lib/errors.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import { createGuessedWindows, type GuessedWindow } from './guessed-windows.ts'
import { narrow, withGuess } from './narrowed.ts'
import type { ConfiguredModel, ModelFacts, ModelFactsStore, StoredFacts } from './ports.ts'

/** The configured models as they really are: what their servers tell and what refusals taught narrows the configuration. */
export interface KnownModels {
  /**
   * The settings that hold now. Asks the server where it was not asked for some time, and waits for it a short while only:
   * what it said before holds until it answers. Rejects with `StorageError`.
   */
  settingsOf(model: ConfiguredModel): Promise<ModelSettings>
  /** The same as far as it is known, without asking anybody. Rejects with `StorageError`. */
  lastKnown(model: ConfiguredModel): Promise<ModelSettings>
  /**
   * A request to the model failed. Its server may come back with another window, so it is asked again before the next turn;
   * one that did not answer keeps its pause.
   */
  failed(model: ModelSettings): void
  /** Remembers what a refusal taught. A failure is only logged: then the same is learned again. */
  learn(model: ModelSettings, facts: ModelFacts): Promise<void>
  /**
   * Takes a window in that a refusal without numbers left us to guess. It holds for an hour, or until the config is read
   * again, and is not stored.
   */
  guess(model: ConfiguredModel, guess: GuessedWindow): void
  /** A prompt of so many tokens, as we count them, was taken. */
  taken(model: ModelSettings, counted: number): void
  /** The longest prompt that is known to have been taken, after one of so many tokens was refused; else 0. */
  longestTaken(model: ModelSettings, refused: number): number
  forgetGuess(model: ModelSettings): void
  /** Forgets the window that a refusal taught, guessed or not. Resolves to whether there was one. A failure is only logged. */
  forgetWindow(model: ModelSettings): Promise<boolean>
}

/** Milliseconds for which a turn, or a command, waits for a server that is asked about a model. */
const WAIT_MS = 1_500
/** Milliseconds for which an answer holds before the server is asked again. */
const FRESH_MS = 10 * 60_000
/** Milliseconds until a server that did not answer is asked again. */
const RETRY_MS = 30_000
/** What a refusal taught holds this long, because servers are started anew with other models and windows. */
const LEARNED_MS = DAY_MS

/** Nothing is asked before `settingsOf` is called. */
export function createKnownModels(
  store: ModelFactsStore,
  clock: Clock & MonotonicClock,
  log: Log,
): KnownModels {
  const nextAsk = new Map<string, number>()
  const asking = new Map<string, Promise<void>>()
  const told = new Set<string>()
  const guesses = createGuessedWindows(clock)

  /** Asks at most once at a time, whoever waits for it. */
  async function ask(key: string, { settings, model }: ConfiguredModel): Promise<void> {
    try {
      const facts = await model.inquire?.(AbortSignal.timeout(WAIT_MS))
      nextAsk.set(key, clock.monotonic() + FRESH_MS)
      if (facts) await change(key, { told: facts })
    } catch (error) {
      nextAsk.set(key, clock.monotonic() + RETRY_MS)
      log.debug({ model: settings.name, error: errorMessage(error) }, 'a server did not tell about its model')
    } finally {
      asking.delete(key)
    }
  }

  async function askIfOld(key: string, model: ConfiguredModel): Promise<void> {
    if (!model.model.inquire || (nextAsk.get(key) ?? -Infinity) > clock.monotonic()) return
    const running = asking.get(key) ?? ask(key, model)
    asking.set(key, running)
    await running
  }

  async function change(key: string, next: Partial<StoredFacts>): Promise<void> {
    const before = (await store.find(key)) ?? { told: {}, learned: {}, learnedAt: 0 }
    await store.put(key, { ...before, ...next })
  }

  /** Tells the admin once for each window and run of the server. */
  function tellLowered({ name, contextWindow }: ModelSettings, window: number): void {
    const key = `${name} ${contextWindow} ${window}`
    if (told.has(key)) return
    told.add(key)
    log.warn({ model: name, context_window: contextWindow, window }, LOWERED)
  }

  const isOld = ({ learnedAt }: StoredFacts): boolean => learnedAt + LEARNED_MS < clock.now()

  async function lastKnown({ settings }: ConfiguredModel): Promise<ModelSettings> {
    const stored = await store.find(factsKey(settings))
    const facts = stored && { ...stored, learned: isOld(stored) ? {} : stored.learned }
    const narrowed = facts ? narrow(settings, facts) : settings
    if (narrowed.contextWindow < settings.contextWindow) tellLowered(settings, narrowed.contextWindow)
    const guess = guesses.find(factsKey(settings), settings)
    return guess && guess.window < narrowed.contextWindow ? withGuess(narrowed, settings, guess) : narrowed
  }

  /** Runs a change of what was learned. */
  async function changeLearned(
    settings: ModelSettings,
    next: (learned: ModelFacts) => ModelFacts | undefined,
  ): Promise<boolean> {
    const key = factsKey(settings)
    try {
      const before = await store.find(key)
      const learned = next(before && !isOld(before) ? before.learned : {})
      if (learned) await change(key, { learned, learnedAt: clock.now() })
      return learned !== undefined
    } catch (error) {
      log.debug({ error }, 'what was learned of a model could not be stored')
      return false
    }
  }

  return {
    async settingsOf(model) {
      await askIfOld(factsKey(model.settings), model)
      return await lastKnown(model)
    },
    lastKnown,
    failed(settings) {
      const key = factsKey(settings)
      if ((nextAsk.get(key) ?? -Infinity) > clock.monotonic() + RETRY_MS) nextAsk.delete(key)
    },
    async learn(settings, facts) {
      await changeLearned(settings, (learned) => ({ ...learned, ...facts }))
    },
    guess({ settings }, guess) {
      const key = factsKey(settings)
      const { name, contextWindow } = settings
      if (!guesses.find(key, settings))
        log.warn({ model: name, context_window: contextWindow, window: guess.window }, GUESSED)
      guesses.set(key, settings, guess)
    },
    taken: (settings, counted) => guesses.taken(factsKey(settings), counted),
    longestTaken: (settings, refused) => guesses.longestTaken(factsKey(settings), refused),
    forgetGuess: (settings) => void guesses.forget(factsKey(settings)),
    async forgetWindow(settings) {
      const hadGuess = guesses.forget(factsKey(settings))
      const hadTold = await changeLearned(settings, ({ window, ...others }) =>
        window === undefined ? undefined : others,
      )
      return hadGuess || hadTold
    },
  }
}

const LOWERED = 'context_window is larger than what the server of the model takes; the smaller one holds'
const GUESSED =
  'a prompt was refused as too long, without numbers; smaller windows are tried, and /models shows the one that holds'

/** As for calibrations: what is known is known of one model of one server. */
const factsKey = calibrationKey
