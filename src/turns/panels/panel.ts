// panels/ lets several models answer one question, round by round, and has one of them write the answer. A
// panel is a turn of the model that writes it; its parts are side turns.
import { Refusal } from '../../words/errors.ts'
import type { AskedModel } from '../personas.ts'
import { PanelTokens } from './tokens.ts'

/** Keys of `[limits]`. */
export interface PanelLimits {
  readonly panel_models: number
  /** Tokens of a panel in all, and the most that one may ask for. */
  readonly panel_tokens: number
}

export interface PanelRequest {
  /** Names of models and of the room's personas, in the order in which they were given. */
  readonly models: readonly string[]
  /** The model that writes the answer; if absent, the first model that answered. */
  readonly merger?: string | undefined
  readonly rounds: number
  readonly tokens?: number | undefined
  readonly question: string
}

/** A model of a panel, or a persona of the room with its model. */
export interface PanelMember extends AskedModel {
  /** The name by which the member was asked. */
  readonly name: string
}

export interface Panel {
  readonly members: readonly PanelMember[]
  readonly merger: PanelMember | undefined
  readonly rounds: number
  readonly tokens: PanelTokens
  readonly question: string
}

/** Rejects with `Refusal`, also if `find` does so for an unknown name, and with `StorageError`. */
export async function createPanel(
  { models, merger, rounds, tokens, question }: PanelRequest,
  find: (name: string) => Promise<AskedModel>,
  { panel_models: most, panel_tokens: mostTokens }: PanelLimits,
): Promise<Panel> {
  const names = [...new Set(models)]
  if (names.length < 2) throw new Refusal('a panel needs two models or more')
  if (names.length > most) throw new Refusal(`a panel has at most ${most} models (panel_models)`)
  if (tokens !== undefined && tokens > mostTokens)
    throw new Refusal(`a panel has at most ${mostTokens} tokens (panel_tokens)`)
  const member = async (name: string): Promise<PanelMember> => ({ name, ...(await find(name)) })
  return {
    members: await Promise.all(names.map(member)),
    merger: merger === undefined ? undefined : await member(merger),
    rounds,
    tokens: new PanelTokens(tokens ?? mostTokens),
    question,
  }
}
