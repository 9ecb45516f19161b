import type { Clock } from '../chat/ports.ts'
import { HOUR_MS } from '../lib/duration.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'

/** A window that nobody told: it is what a request had left after a refusal without numbers. */
export interface GuessedWindow {
  /** Tokens, prompt and answer together. */
  readonly window: number
  /** The calibration that it was made with: under a lower one, a prompt in this window would be longer than was meant. */
  readonly factor: number
}

interface KeptGuess extends GuessedWindow {
  readonly configured: ModelSettings
  /** Milliseconds since the epoch. */
  readonly until: number
}

/** Guesses and what speaks against them, by model. They are kept in memory alone: a guess is worth little. */
export interface GuessedWindows {
  /** The guess for a model with these settings of the config; each reading of the config has settings of its own. */
  find(key: string, configured: ModelSettings): GuessedWindow | undefined
  set(key: string, configured: ModelSettings, guess: GuessedWindow): void
  /** Returns whether there was one. */
  forget(key: string): boolean
  /** A prompt of so many tokens, as we count them, was taken. */
  taken(key: string, counted: number): void
  /**
   * The longest prompt that was taken, in tokens, after one of so many was refused; 0 where none is known. A longer one than
   * the refused one tells nothing any more.
   */
  longestTaken(key: string, refused: number): number
}

/** What made a server refuse may be over soon: the load of others, or how it was started. */
const GUESS_MS = HOUR_MS

export function createGuessedWindows(clock: Clock): GuessedWindows {
  const guesses = new Map<string, KeptGuess>()
  const longest = new Map<string, number>()

  return {
    find(key, configured) {
      const guess = guesses.get(key)
      return guess && guess.until > clock.now() && guess.configured === configured ? guess : undefined
    },
    set: (key, configured, guess) =>
      void guesses.set(key, { ...guess, configured, until: clock.now() + GUESS_MS }),
    forget: (key) => guesses.delete(key),
    taken: (key, counted) => void longest.set(key, Math.max(counted, longest.get(key) ?? 0)),
    longestTaken(key, refused) {
      const known = longest.get(key) ?? 0
      if (known < refused) return known
      longest.delete(key)
      return 0
    },
  }
}
