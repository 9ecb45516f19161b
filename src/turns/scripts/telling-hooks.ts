import type { Usage } from '../../chat/entry.ts'
import type { Clock } from '../../chat/ports.ts'
import type { JsonObject } from '../../lib/json.ts'
import type { RoomHooks } from '../../prompt/hooks.ts'
import type { TurnEnd, TurnJob } from '../turn-job.ts'
import type { RunTurn } from '../turn.ts'
import { nameOf } from '../turn-state.ts'

/** The same turn, of which the room's script is told when it has ended. Sub-turns belong to their turn and are not told. */
export const tellingHooks =
  (runTurn: RunTurn, hooks: Pick<RoomHooks, 'afterTurn'>, clock: Clock): RunTurn =>
  async (job, stop) => {
    const end = await runTurn(job, stop)
    hooks.afterTurn(job.room, turnFacts(job, end, clock.now()))
    return end
  }

/** What `after_turn` is called with. */
function turnFacts(job: TurnJob, { ending, text, reply, last, spent }: TurnEnd, now: number): JsonObject {
  const { recorder, requester } = job
  return {
    id: recorder.id,
    model: reply?.author ?? nameOf(job),
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
