import type { ReplyEntry, Usage } from '../chat/entry.ts'
import { Refusal } from '../chat/errors.ts'
import { mentions } from '../chat/mentions.ts'
import { SYSTEM } from '../chat/people/names.ts'
import type { Clock } from '../chat/ports.ts'
import type { JsonObject } from '../lib/json.ts'
import type { RoomHooks } from '../prompt/hooks.ts'
import type { AnsweredEntry, RunTurn, TurnEnd, TurnRequest } from './turn.ts'
import type { Turns } from './turns.ts'

/** The limit of the config on models that call each other. */
export interface CallLimits {
  /** How deep they may do so; 0 for never. */
  readonly turn_depth: number
}

interface AfterTurnParts {
  readonly turns: () => Pick<Turns, 'start' | 'names'>
  readonly hooks: Pick<RoomHooks, 'afterTurn'>
  readonly clock: Clock
  readonly limits: CallLimits
}

/**
 * The same turn, after which the room's script is told of it, and the models that its reply mentions are called: for the
 * same person, whose quotas and rights hold, and as deep as the limit allows. What a script's caller granted for its own
 * question does not go along. Side turns belong to their turn and are not told.
 */
export function runWholeTurn(runTurn: RunTurn, { turns, hooks, clock, limits }: AfterTurnParts): RunTurn {
  /** How many models' replies led to an entry; none if it is not in the map. */
  const depths = new WeakMap<AnsweredEntry, number>()
  return async (request, stop) => {
    const end = await runTurn(request, stop)
    hooks.afterTurn(request.room, turnFacts(request, end, clock.now()))
    const { reply } = end
    const depth = depths.get(request.message) ?? 0
    // The offline helper is no language model: the names in its answers are examples of what people can write.
    const mayCall = request.model.settings.backend !== 'guide' && depth < limits.turn_depth
    if (reply?.kind === 'reply' && mayCall) {
      depths.set(reply, depth + 1)
      await callAll(reply, end.text, request, turns())
    }
    return end
  }
}

/** `text` is all that was said in the turn, also before calls. */
async function callAll(
  message: ReplyEntry,
  text: string,
  { room, requester }: Pick<TurnRequest, 'room' | 'requester'>,
  turns: Pick<Turns, 'start' | 'names'>,
): Promise<void> {
  // The author is not always the turn's model: its fallback may have answered.
  for (const model of mentions(text, turns.names()).filter((name) => name !== message.author)) {
    try {
      await turns.start({ room, requester, model, message })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const notice = `@${message.author} mentioned @${model}, which was not asked: ${error.message}`
      await room.record({ kind: 'notice', level: 'info', author: SYSTEM, text: notice })
    }
  }
}

/** What `after_turn` is called with. */
function turnFacts(
  { recorder, requester, model }: TurnRequest,
  { ending, text, reply, last, spent }: TurnEnd,
  now: number,
): JsonObject {
  return {
    id: recorder.id,
    model: reply?.author ?? model.settings.name,
    user: requester.name,
    outcome: ending.outcome,
    text,
    seconds: Math.max(0, (now - recorder.startedAt) / 1000),
    ...(ending.outcome === 'done' ? {} : { error: last.text }),
    ...(spent ? { usage: usageFacts(spent.usage) } : {}),
  }
}

const usageFacts = ({ input, output, cached, estimated }: Usage): JsonObject => ({
  input,
  output,
  ...(cached === undefined ? {} : { cached }),
  ...(estimated ? { estimated: { ...estimated } } : {}),
})
