import type { ReplyEntry, Usage } from '../words/entry.ts'
import { Refusal } from '../words/errors.ts'
import { mentions } from '../words/mentions.ts'
import { SYSTEM } from '../words/names.ts'
import type { Clock } from '../base/environment.ts'
import type { JsonObject } from '../base/json.ts'
import type { RoomHooks } from './hooks.ts'
import type { AnsweredEntry, RunTurn, TurnEnd, TurnRequest } from './turn.ts'
import type { Turns } from './turns.ts'

export interface CallLimits {
  /** How many replies in a chain may each call further models; 0 for none. */
  readonly turn_depth: number
}

interface AfterTurnParts {
  readonly turns: () => Pick<Turns, 'start' | 'personas'>
  readonly hooks: Pick<RoomHooks, 'afterTurn'>
  readonly clock: Clock
  readonly limits: CallLimits
}

/**
 * Runs the room's `after_turn`, then calls the models that the reply mentions, up to the depth limit, for the
 * same requester and routine but without `permissions`. Side turns and panels call nobody.
 */
export function withFollowUps(runTurn: RunTurn, { turns, hooks, clock, limits }: AfterTurnParts): RunTurn {
  /** Maps an entry to the number of models' replies that led to it; absent for 0. */
  const depths = new WeakMap<AnsweredEntry, number>()
  return async (request, stop) => {
    const end = await runTurn(request, stop)
    hooks.afterTurn(request.room, turnFacts(request, end, clock.now()))
    const { reply } = end
    const depth = depths.get(request.message) ?? 0
    // The offline helper is no language model: names in its answers are only examples for people.
    const isGuide = request.model.settings.backend === 'guide'
    if (reply?.kind !== 'reply' || isGuide || request.panel || limits.turn_depth === 0) return end
    // The author is not always the turn's model: its fallback may have answered.
    const own = reply.persona ?? reply.author
    const known = end.text.includes('@') ? await turns().personas.namesIn(request.room.name) : []
    const called = mentions(end.text, known).filter((name) => name !== own)
    if (depth < limits.turn_depth) {
      depths.set(reply, depth + 1)
      await callAll(
        reply,
        called,
        request,
        turns(),
        `call ${depth + 1} of at most ${limits.turn_depth} in a row`,
      )
    } else if (called[0] !== undefined) {
      const why = `models call each other ${limits.turn_depth} times in a row; write @${called[0]} to go on`
      await reportUnasked(request.room, reply, called, why)
    }
    return end
  }
}

async function callAll(
  message: ReplyEntry,
  models: readonly string[],
  { room, requester, routine }: Pick<TurnRequest, 'room' | 'requester' | 'routine'>,
  turns: Pick<Turns, 'start'>,
  howDeep: string,
): Promise<void> {
  const asked: string[] = []
  for (const model of models) {
    try {
      await turns.start({ room, requester, model, message, ...(routine ? { routine } : {}) })
      asked.push(`@${model}`)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      await reportUnasked(room, message, [model], error.message)
    }
  }
  if (asked.length === 0) return
  const text = `@${message.author} asked ${asked.join(', ')}: ${howDeep}`
  await room.record({ kind: 'notice', level: 'info', author: SYSTEM, text })
}

async function reportUnasked(
  room: TurnRequest['room'],
  { author }: ReplyEntry,
  models: readonly string[],
  why: string,
): Promise<void> {
  const names = models.map((name) => `@${name}`).join(', ')
  const were = models.length === 1 ? 'which was' : 'which were'
  const text = `@${author} mentioned ${names}, ${were} not asked: ${why}`
  await room.record({ kind: 'notice', level: 'info', author: SYSTEM, text })
}

/** Returns the argument of `after_turn`. */
function turnFacts(
  { recorder, requester, persona, model }: TurnRequest,
  { ending, text, reply, last, spent }: TurnEnd,
  now: number,
): JsonObject {
  return {
    id: recorder.id,
    model: reply?.model ?? reply?.author ?? model.settings.name,
    ...(persona ? { persona: persona.name } : {}),
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
