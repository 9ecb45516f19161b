import { SYSTEM } from '../chat/names.ts'
import { Refusal } from '../chat/errors.ts'
import { mentions } from '../chat/mentions.ts'
import type { ReplyEntry } from '../chat/entry.ts'
import type { TurnJob } from './turn-job.ts'
import type { RunTurn } from './turn.ts'
import type { Turns } from './turns.ts'

/** How deep models may call each other; 0 for never. */
interface CallLimits {
  readonly turn_depth: number
}

/**
 * The same turn, after which the models that its reply mentions are called: for the same person, whose quotas and rights
 * hold, and as deep as the limit allows. What a script's caller granted for its own question does not go along.
 */
export const callingMentioned =
  (runTurn: RunTurn, turns: () => Pick<Turns, 'start' | 'names'>, limits: CallLimits): RunTurn =>
  async (job, stop) => {
    const end = await runTurn(job, stop)
    if (end.reply && (job.depth ?? 0) < limits.turn_depth) await callAll(end.reply, job, turns())
    return end
  }

async function callAll(
  message: ReplyEntry,
  job: TurnJob,
  turns: Pick<Turns, 'start' | 'names'>,
): Promise<void> {
  const { room, requester, depth = 0 } = job
  // The author is not always the job's model: its fallback may have answered.
  for (const model of mentions(message.text, turns.names()).filter((name) => name !== message.author)) {
    try {
      await turns.start({ room, requester, model, message, depth: depth + 1 })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const text = `@${message.author} mentioned @${model}, which was not asked: ${error.message}`
      await room.record({ kind: 'notice', level: 'info', author: SYSTEM, text })
    }
  }
}
