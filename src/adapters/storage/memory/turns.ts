import type { TurnRecord, TurnStore } from '../../../turns/ports.ts'
import { StorageError } from '../../../chat/errors.ts'
import { byText, stored, taken } from './table.ts'

type ModelUsage = Awaited<ReturnType<TurnStore['usage']>>[number]

/** Models' turns in a map. */
export function createMemoryTurns(): TurnStore {
  const turns = new Map<string, TurnRecord>()
  const inOrder = (): readonly TurnRecord[] =>
    [...turns.values()].toSorted((a, b) => a.startedAt - b.startedAt || byText(a.id, b.id))
  return {
    async begin(turn) {
      if (turns.has(turn.id)) throw taken(`turn ${turn.id}`)
      turns.set(turn.id, stored(turn))
    },
    async finish(id, change) {
      const turn = turns.get(id)
      if (turn) turns.set(id, stored({ ...turn, ...change, id }))
    },
    async addStep(id, step) {
      const turn = turns.get(id)
      if (!turn) throw new StorageError('other', `there is no turn ${id}`)
      turns.set(id, { ...turn, steps: [...(turn.steps ?? []), stored(step)] })
    },
    async find(id) {
      const turn = turns.get(id)
      return turn && stored(turn)
    },
    unfinished: async () => stored(inOrder().filter((turn) => turn.endedAt === undefined)).map(withoutSteps),
    spending: async (of, after) =>
      inOrder()
        .filter(
          (turn) =>
            turn.startedAt > after &&
            ('room' in of ? turn.room === of.room : turn.requester === of.requester),
        )
        .map(({ startedAt, usage }) => ({ startedAt, tokens: (usage?.input ?? 0) + (usage?.output ?? 0) }))
        .filter(({ tokens }) => tokens > 0),
    usage: async ({ room, since }) =>
      usageByModel(
        inOrder().filter((turn) => turn.startedAt >= since && (room === undefined || turn.room === room)),
      ),
  }
}

function withoutSteps(turn: TurnRecord): TurnRecord {
  const { steps: _, ...facts } = turn
  return facts
}

/** `turns` oldest first: the model of the newest turn comes first. */
function usageByModel(turns: readonly TurnRecord[]): readonly ModelUsage[] {
  const models = new Map<string, ModelUsage & { readonly newest: number }>()
  for (const { model, usage, startedAt } of turns) {
    const sum = models.get(model) ?? { model, turns: 0, input: 0, output: 0 }
    models.set(model, {
      model,
      turns: sum.turns + 1,
      input: sum.input + (usage?.input ?? 0),
      output: sum.output + (usage?.output ?? 0),
      newest: startedAt,
    })
  }
  return [...models.values()]
    .toSorted((a, b) => b.newest - a.newest || byText(a.model, b.model))
    .map(({ model, turns, input, output }) => ({ model, turns, input, output }))
}
