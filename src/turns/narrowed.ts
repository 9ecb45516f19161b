import { usualOutput } from '../lib/usual-output.ts'
import type { Lacks, ModelSettings } from '../prompt/model-settings.ts'
import type { GuessedWindow } from './guessed-windows.ts'
import type { ModelFacts, StoredFacts } from './ports.ts'

/** The settings of the config with what a server told and what refusals taught. */
export function narrow(settings: ModelSettings, { told, learned }: StoredFacts): ModelSettings {
  const window = Math.min(settings.contextWindow, told.window ?? Infinity, learned.window ?? Infinity)
  const maxOutput = window < settings.contextWindow ? outputIn(window, settings) : settings.maxOutput
  const lacks = lacksOf(told, learned)
  return { ...settings, contextWindow: window, maxOutput, ...(lacks ? { lacks } : {}) }
}

/** Settings that were narrowed, with a smaller window that is only guessed. */
export const withGuess = (
  narrowed: ModelSettings,
  configured: ModelSettings,
  { window, factor }: GuessedWindow,
): ModelSettings => ({
  ...narrowed,
  contextWindow: window,
  maxOutput: outputIn(window, configured),
  guessFactor: factor,
})

/** The window in which a prompt has so many tokens beside its answer: `outputIn` the other way round. */
export function windowFor(promptTokens: number, { maxOutput, contextWindow }: ModelSettings): number {
  const isUsual = maxOutput === usualOutput(contextWindow)
  return promptTokens + Math.min(maxOutput, Math.floor(isUsual ? promptTokens / 3 : promptTokens))
}

/**
 * Tokens of an answer in a window that is smaller than the one the config speaks of: as if the config had named that one,
 * or half of it where the config says how long an answer may be.
 */
function outputIn(window: number, { maxOutput, contextWindow }: ModelSettings): number {
  const isUsual = maxOutput === usualOutput(contextWindow)
  return Math.min(maxOutput, isUsual ? usualOutput(window) : Math.floor(window / 2))
}

function lacksOf(told: ModelFacts, learned: ModelFacts): Lacks | undefined {
  const tools = reason('tools', told.tools, learned.tools)
  const systemRole = reason('a system message', told.systemRole, learned.systemRole)
  if (tools === undefined && systemRole === undefined) return undefined
  return { ...(tools === undefined ? {} : { tools }), ...(systemRole === undefined ? {} : { systemRole }) }
}

function reason(what: string, told: boolean | undefined, learned: boolean | undefined): string | undefined {
  if (told === false) return `its server says that it takes no ${what.replace(/^a /, '')}`
  return learned === false ? `it refused ${what}` : undefined
}
