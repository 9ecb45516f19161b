import type { TurnId } from '../words/entry.ts'
import { Refusal } from '../words/errors.ts'
import type { Room } from '../chat/index.ts'
import { cleanText, isBlank } from '../base/text/clean-text.ts'
import { attributed } from './gather-snapshot.ts'
import type { SubTurnRequest } from '../tools/index.ts'
import { failed, ok, type ToolResult } from '../tools/results/index.ts'
import { type ConfiguredModel, type StepMessage, transcript } from '../wrap/loop/index.ts'
import { labelOf, nameOf } from './personas.ts'
import type { TurnLog } from './turn-log.ts'
import type { AnsweredEntry, RunTurn, SideTurnOrigin, SideTurns, Turn, TurnEnd, TurnRequest } from './turn.ts'

export interface SideTurnParts {
  readonly models: () => readonly ConfiguredModel[]
  readonly turnLog: Pick<TurnLog, 'begin'>
  readonly limits: SideTurnLimits
}

export interface SideTurnLimits {
  /** Maximum depth of side turns; 0 for none. */
  readonly turn_depth: number
}

/** Side turns that one mention may lead to, at any depth. */
const MAX_SIDE_TURNS = 8

const MAX_PROMPT_CHARS = 32_000

/** The tools that start side turns. A turn that may start none does not get these tools. */
const STARTING_TOOLS: ReadonlySet<string> = new Set(['spawn_agent', 'fork'])

/** Starts the side turns of `parent`: turns with narrower bounds, which end with it. */
export function createSideTurns(parent: () => Turn, runTurn: RunTurn, parts: SideTurnParts): SideTurns {
  const started = new Set<Promise<unknown>>()
  const budget = { left: MAX_SIDE_TURNS }
  return {
    async run(request) {
      const turn = parent()
      const origin = turn.origin ?? { depth: 0, budget }
      try {
        assertMayStart(request, origin, parts.limits)
        const side = sideTurn(request, turn, origin, parts)
        origin.budget.left -= 1
        const result = runTurn(side, turn.signal).then(resultOf)
        started.add(result)
        return await result
      } catch (error) {
        if (error instanceof Refusal) return failed(error.message)
        throw error
      }
    },
    settled: async () => void (await Promise.allSettled(started)),
  }
}

type ParentOrigin = Pick<SideTurnOrigin, 'depth' | 'budget'>

/** Throws `Refusal`. */
function assertMayStart(
  { prompt }: SubTurnRequest,
  { depth, budget }: ParentOrigin,
  { turn_depth: maxDepth }: SideTurnLimits,
): void {
  if (isBlank(prompt)) throw new Refusal('a side turn needs a prompt; this one is empty')
  if (prompt.length > MAX_PROMPT_CHARS)
    throw new Refusal(`a prompt has at most ${MAX_PROMPT_CHARS} characters, this one ${prompt.length}`)
  if (depth >= maxDepth) throw new Refusal(`side turns go ${maxDepth} deep; do it in this turn`)
  if (budget.left <= 0)
    throw new Refusal(`${MAX_SIDE_TURNS} side turns are the limit for one turn; do it in this turn`)
}

/** Throws `Refusal` if there is no such model. */
function sideTurn(
  request: SubTurnRequest,
  parent: Turn,
  { depth, budget }: ParentOrigin,
  { models, turnLog, limits }: SideTurnParts,
): TurnRequest {
  const { room, requester, permissions, persona, routine, recorder, step } = parent
  const model = modelFor(request, parent.model, models())
  const isDeepest = depth + 1 >= limits.turn_depth
  const ids = (step?.toolIds ?? []).filter((id) => !isDeepest || !STARTING_TOOLS.has(id))
  const within = { ids: new Set(ids), scope: request.scope ?? 'all' }
  const fresh = request.part === undefined
  const as = persona && model === parent.model ? { persona } : {}
  const facts = { room: room.name, requester, model: labelOf({ ...model, ...as }), parent: recorder.id }
  return {
    recorder: turnLog.begin(facts),
    room: roomForThread(room, recorder.id),
    requester,
    model,
    ...as,
    message: sideTurnMessage(request, parent),
    ...(permissions ? { permissions } : {}),
    ...(routine ? { routine } : {}),
    report: (doing, progress) => parent.report(`side turn: ${doing}`, progress),
    origin: { parent, depth: depth + 1, budget, within, fresh },
  }
}

function modelFor(
  { model: name }: SubTurnRequest,
  own: ConfiguredModel,
  models: readonly ConfiguredModel[],
): ConfiguredModel {
  if (name === undefined || name === own.settings.name) return own
  const found = models.find(({ settings }) => settings.name === name)
  if (found) return found
  const names = models.map(({ settings }) => settings.name).join(', ')
  throw new Refusal(`there is no model called ${name}; there are ${names}`)
}

/** Records a turn's entries in the thread of another turn, and streams no reply. `round`: of a panel. */
export const roomForThread = (room: Room, thread: TurnId, round?: number): Room => ({
  ...room,
  record: (newEntry) =>
    room.record(
      'turn' in newEntry ? { thread, ...(round === undefined ? {} : { round }), ...newEntry } : newEntry,
    ),
  stream: () => undefined,
})

function resultOf({ text, ending: { outcome, notice } }: TurnEnd): ToolResult {
  if (outcome === 'done')
    return ok([text || '(no answer)', ...(notice ? [`(${notice.text})`] : [])].join('\n'))
  const saidBefore = text ? `\nUp to then it had said:\n${text}` : ''
  return failed(`the side turn did not finish: ${notice.text}${saidBefore}`)
}

/**
 * The message that a side turn answers, in the name of the model that started it: the task. If the side turn
 * continues the conversation, the message also has what that model was asked and has done so far.
 */
function sideTurnMessage({ prompt, part }: SubTurnRequest, parent: Turn): AnsweredEntry {
  const { message, requester, messages } = parent
  const by = nameOf(parent)
  const about =
    `This is a side turn${part ? ` (${part[0]} of ${part[1]})` : ''} that @${by} started for ${requester.name}. ` +
    `Your answer goes to @${by} and not to the room, and there is nobody to ask.`
  const text = part ? [about, ...soFar(message, messages), `Your task: ${prompt}`] : [about, prompt]
  return { ...message, author: by, text: cleanText(text.join('\n\n')) }
}

function soFar(message: AnsweredEntry, messages: readonly StepMessage[]): readonly string[] {
  const done = transcript(messages)
  return [
    `It was called with:\n${attributed(message)}`,
    ...(done.length > 0 ? [`What it has done so far:\n${done.join('\n')}`] : []),
  ]
}
