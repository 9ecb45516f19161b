/**
 * panels/ lets several models answer one question, round by round, and has one of them write the answer. A
 * panel is a turn of the model that writes it; its parts are side turns.
 */
import { Refusal } from '../../words/errors.ts'
import type { ConfiguredModel } from '../../wrap/loop/index.ts'
import { PanelTokens } from './tokens.ts'

/** Keys of `[limits]`. */
export interface PanelLimits {
  readonly panel_models: number
  /** Tokens of a panel in all, and the most that one may ask for. */
  readonly panel_tokens: number
}

export interface PanelRequest {
  /** Names, in the order in which they were given. */
  readonly models: readonly string[]
  /** Who writes the answer; the first model that answered, if absent. */
  readonly merger?: string | undefined
  readonly rounds: number
  readonly tokens?: number | undefined
  readonly question: string
}

export interface Panel {
  readonly members: readonly ConfiguredModel[]
  readonly merger: ConfiguredModel | undefined
  readonly rounds: number
  readonly tokens: PanelTokens
  readonly question: string
}

/** Throws `Refusal`, as `find` does for an unknown model. */
export function createPanel(
  { models, merger, rounds, tokens, question }: PanelRequest,
  find: (name: string) => ConfiguredModel,
  { panel_models: most, panel_tokens: mostTokens }: PanelLimits,
): Panel {
  const names = [...new Set(models)]
  if (names.length < 2) throw new Refusal('a panel needs two models or more')
  if (names.length > most) throw new Refusal(`a panel has at most ${most} models (panel_models)`)
  if (tokens !== undefined && tokens > mostTokens)
    throw new Refusal(`a panel has at most ${mostTokens} tokens (panel_tokens)`)
  return {
    members: names.map(find),
    merger: merger === undefined ? undefined : find(merger),
    rounds,
    tokens: new PanelTokens(tokens ?? mostTokens),
    question,
  }
}
