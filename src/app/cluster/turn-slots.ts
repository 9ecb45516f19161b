// What joins a server with the other ones of its database: what they do for the core's ports, such as slots of turns for all of them
// together, and what this one follows. This folder must not know how servers hear of each other, nor what a turn does.

import type { EntryId, TurnId } from '../../chat/entry.ts'
import { Refusal } from '../../chat/errors.ts'
import type { SharedWork, WorkElsewhere } from '../../cluster/work.ts'
import {
  queueIsFull,
  type CalledTurn,
  type QueueLimits,
  type TurnAtWork,
  type TurnSlots,
} from '../../turns/queue.ts'
import { doingNow, progressNow, reportTo } from './doing.ts'

/** One queue for each room, whichever server a turn was called for on. */
export const sharedTurnSlots = (
  work: Pick<SharedWork, 'take' | 'elsewhere'>,
  limits: QueueLimits,
): TurnSlots => ({
  async take(turn, stop) {
    const slot = await work.take(
      workOf(turn),
      () => ({ running: limits.turns_per_room, waiting: limits.turns_queued }),
      { stop, lost: () => stop(`@${turn.model} was stopped: the server lost the database`) },
    )
    if ('running' in slot) throw new Refusal(queueIsFull(slot.running, slot.waiting))
    const { ready, giveUp, leave, tell } = slot
    return { ready, giveUp, leave: () => void leave(), report: reportTo(tell) }
  },
  elsewhere: (room) => work.elsewhere('turn', room).map(turnElsewhere),
})

/** What all servers are told of a turn. */
type TurnFacts = Pick<CalledTurn, 'model' | 'requester' | 'message'>

const workOf = ({ id, room, requesterId: person, model, requester, message }: CalledTurn) => {
  const facts = { model, requester, message } satisfies TurnFacts
  return { id, kind: 'turn' as const, queue: `turn ${room}`, room, person, facts }
}

function turnElsewhere(work: WorkElsewhere): TurnAtWork {
  const { model, requester, message } = work.facts as { readonly [Key in keyof TurnFacts]: string }
  return {
    isElsewhere: true,
    id: work.id as TurnId,
    room: work.room,
    model,
    requester,
    requesterId: work.person,
    message: message as EntryId,
    startedAt: work.startedAt,
    doing: () => (work.waits ? 'waiting' : doingNow(work, 'thinking')),
    progress: () => progressNow(work),
    cancel: (reason = `@${model} was stopped`) => work.stop(reason),
    ended: work.ended,
  }
}
