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

/** How many models' replies led to an entry; none where it is not in the map. */
type Depths = WeakMap<AnsweredEntry, number>

/**
 * The same turn, after which the models that its reply mentions are called: for the same person, whose quotas and rights
 * hold, and as deep as the limit allows. What a script's caller granted for its own question does not go along.
 */
export function callingMentioned(
  runTurn: RunTurn,
  turns: () => Pick<Turns, 'start' | 'names'>,
  limits: CallLimits,
): RunTurn {
  const depths: Depths = new WeakMap()
  return async (job, stop) => {
    const end = await runTurn(job, stop)
    const { reply } = end
    const depth = depths.get(job.message) ?? 0
    if (reply?.kind === 'reply' && mayCall(job) && depth < limits.turn_depth) {
      depths.set(reply, depth + 1)
      await callAll(reply, end.text, job, turns())
    }
    return end
  }
}

/** The offline helper is no language model: the names in its answers are examples of what people can write. */
const mayCall = ({ model }: TurnRequest): boolean => model.settings.backend !== 'guide'

/** `text` is all that was said in the turn, also before calls. */
async function callAll(
  message: ReplyEntry,
  text: string,
  { room, requester }: Pick<TurnRequest, 'room' | 'requester'>,
  turns: Pick<Turns, 'start' | 'names'>,
): Promise<void> {
  // The author is not always the job's model: its fallback may have answered.
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

/** The same turn, of which the room's script is told when it has ended. Sub-turns belong to their turn and are not told. */
export const tellingHooks =
  (runTurn: RunTurn, hooks: Pick<RoomHooks, 'afterTurn'>, clock: Clock): RunTurn =>
  async (job, stop) => {
    const end = await runTurn(job, stop)
    hooks.afterTurn(job.room, turnFacts(job, end, clock.now()))
    return end
  }

/** What `after_turn` is called with. */
function turnFacts(job: TurnRequest, { ending, text, reply, last, spent }: TurnEnd, now: number): JsonObject {
  const { recorder, requester } = job
  return {
    id: recorder.id,
    model: reply?.author ?? job.model.settings.name,
    user: requester.name,
    outcome: ending.outcome,
    text,
    seconds: Math.max(0, (now - recorder.time.startedAt) / 1000),
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
