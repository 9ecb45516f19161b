import type { TurnId, Usage } from '../chat/entry.ts'
import { Refusal } from '../chat/errors.ts'
import type { Room } from '../chat/room.ts'
import { isBlank } from '../lib/clean-text.ts'
import { failed, ok, type SideOrder, type SideTurns, type ToolResult } from '../tools/tool.ts'
import type { Bounds } from '../prompt/scope.ts'
import { briefing } from './sub-turn-message.ts'
import type { ConfiguredModel, StepMessage, TurnStore } from './ports.ts'
import type { RunTurn, TurnEnd, TurnJob, TurnParts } from './turn.ts'

/** What a side turn has from the turn that started it. */
export interface Descent {
  /** 1 in a side turn of a turn that somebody called for, 2 in one of its own. */
  readonly depth: number
  /** How many more side turns the first turn and all below it may start. */
  readonly family: { left: number }
  readonly within: Bounds
  /** Starts without the conversation in the room. */
  readonly fresh: boolean
  /** Told what each of its steps has cost: that is on the first turn's account. */
  readonly spent: (usage: Usage) => void
}

/** The turn that side turns are started from, as it is now. */
export interface Parent {
  readonly job: TurnJob
  readonly parts: TurnParts
  /** Aborted when the turn is over; then its side turns are. */
  readonly signal: AbortSignal
  /** Grows as the turn goes on. */
  readonly steps: readonly StepMessage[]
  /** Ids of the tools that it has in this step. */
  readonly offered: () => readonly string[]
  readonly spent: (usage: Usage) => void
}

/** A turn's side turns. */
export interface SideTurnRunner extends SideTurns {
  /** Resolves when all that were started have ended and are on record. */
  settled(): Promise<void>
}

/** Side turns that one mention may lead to, at any depth. */
const MOST = 8

/** Characters of a prompt. */
const LONGEST = 32_000

/** The tools that start side turns; a turn that may have none is not given them. */
const STARTERS: ReadonlySet<string> = new Set(['spawn_agent', 'fork'])

/** `run` is what runs any turn: a side turn is one like all others, with narrower bounds. */
export function createSideTurns(parent: Parent, run: RunTurn): SideTurnRunner {
  const { job, parts } = parent
  const { depth, family } = job.descent ?? { depth: 0, family: { left: MOST } }
  const started = new Set<Promise<unknown>>()

  /** Throws `Refusal`. */
  function check({ prompt }: SideOrder): void {
    if (isBlank(prompt)) throw new Refusal('a side turn needs a prompt; this one is empty')
    if (prompt.length > LONGEST)
      throw new Refusal(`a prompt has at most ${LONGEST} characters, this one ${prompt.length}`)
    if (depth >= parts.limits.turn_depth)
      throw new Refusal(`side turns go ${parts.limits.turn_depth} deep; do it in this turn`)
    if (family.left <= 0)
      throw new Refusal(`${MOST} side turns are the limit for one turn; do it in this turn`)
  }

  function modelFor({ model }: SideOrder): ConfiguredModel {
    if (model === undefined || model === job.model.settings.name) return job.model
    const found = parts.models.find(({ settings }) => settings.name === model)
    if (found) return found
    throw new Refusal(`there is no model called ${model}; there are ${parts.modelNames.join(', ')}`)
  }

  function boundsOf({ scope }: SideOrder): Bounds {
    const isLast = depth + 1 >= parts.limits.turn_depth
    const ids = parent.offered().filter((id) => !isLast || !STARTERS.has(id))
    return { ids: new Set(ids), scope: scope ?? 'all' }
  }

  const childOf = (order: SideOrder): TurnJob => ({
    id: parts.newId() as TurnId,
    room: threadIn(job.room, job.id),
    requester: job.requester,
    model: modelFor(order),
    message: briefing(order, job, parent.steps),
    ...(job.permissions ? { permissions: job.permissions } : {}),
    report: (doing) => job.report(`side turn: ${doing}`),
    descent: {
      depth: depth + 1,
      family,
      within: boundsOf(order),
      fresh: order.part === undefined,
      spent: parent.spent,
    },
  })

  async function start(child: TurnJob): Promise<ToolResult> {
    await begin(child, parts)
    return resultOf(await run(child, { ...parts, turns: withoutUsage(parts.turns) }, parent.signal))
  }

  return {
    async run(order) {
      try {
        check(order)
        const child = childOf(order)
        family.left -= 1
        const result = start(child)
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

/** A room in which what a turn does is a thread of another turn: stored as such, and not shown while it is written. */
const threadIn = (room: Room, thread: TurnId): Room => ({
  ...room,
  record: (draft) => room.record('turn' in draft ? { thread, ...draft } : draft),
  stream: () => undefined,
})

/** On record as cut off until it has ended: if the server dies, the room is told of the first turn only. */
function begin({ id, room, requester, model }: TurnJob, { turns, clock }: TurnParts): Promise<void> {
  const now = clock.now()
  const facts = { id, room: room.name, requester: requester.name, model: model.settings.name }
  return turns.begin({ ...facts, startedAt: now, endedAt: now, outcome: 'cut' })
}

/** What it costs is on the record of the first turn, once. */
const withoutUsage = (turns: TurnStore): TurnStore => ({
  ...turns,
  finish(id, change) {
    const { usage: _, ...others } = change
    return turns.finish(id, others)
  },
})

function resultOf({ text, ending: { outcome, notice } }: TurnEnd): ToolResult {
  if (outcome === 'done')
    return ok([text || '(no answer)', ...(notice ? [`(${notice.text})`] : [])].join('\n'))
  const reason = notice?.text ?? 'it did not end well'
  return failed(`the side turn did not finish: ${reason}${text ? `\nUp to then it had said:\n${text}` : ''}`)
}
