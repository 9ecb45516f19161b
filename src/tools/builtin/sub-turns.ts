import { Refusal } from '../../chat/errors.ts'
import type { SubTurns, ToolContext } from '../context.ts'

/** The sub-turns of the caller's turn. Throws `Refusal` where a person calls, who has none. */
export function subTurnsOf({ chat: { turn } }: ToolContext): SubTurns {
  if (!turn) throw new Refusal('only a model in its turn can start a side turn')
  return turn.subTurns
}
