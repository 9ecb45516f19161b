import type { Meter } from '../adapters/metrics/meter.ts'
import type { Log } from '../chat/ports.ts'
import type { TurnRecord } from '../turns/ports.ts'
import type { Composer } from '../prompt/ports.ts'
import type { Storage } from '../adapters/storage/storage.ts'

/** Turns are logged as they end. With a meter, turns and charges are counted. */
export function watchedStorage<Stored extends Pick<Storage, 'models'>>(
  storage: Stored,
  log: Log,
  meter: Meter | undefined,
): Stored {
  const { turns, charges } = storage.models
  const running = new Map<string, { readonly turn: TurnRecord; readonly since: number }>()
  return {
    ...storage,
    models: {
      ...storage.models,
      turns: {
        ...turns,
        async begin(turn) {
          await turns.begin(turn)
          running.set(turn.id, { turn, since: performance.now() })
        },
        async finish(id, change) {
          await turns.finish(id, change)
          const one = running.get(id)
          if (!one) return
          const turn = { ...one.turn, ...change }
          if (change.outcome === undefined) return void running.set(id, { ...one, turn })
          running.delete(id)
          const ms = performance.now() - one.since
          logTurn(turn, change.outcome, Math.round(ms), log)
          meter?.turnEnded(turn.model, change.outcome, ms / 1_000)
        },
      },
      charges: {
        ...charges,
        async add(charge) {
          await charges.add(charge)
          meter?.used(charge.model, charge.usage)
        },
      },
    },
  }
}

function logTurn(
  { id: turn, room, model, requester: person, parent, usage }: TurnRecord,
  outcome: string,
  ms: number,
  log: Log,
): void {
  const tokens = usage && { input: usage.input, cached: usage.cached, output: usage.output }
  log.info({ turn, room, model, person, parent, outcome, ms, ...tokens }, 'a turn ended')
}

/** With a meter, prompts are timed. */
export function meteredComposer<One extends Composer>(composer: One, meter: Meter | undefined): One {
  if (!meter) return composer
  return {
    ...composer,
    async compose(snapshot, signal) {
      const started = performance.now()
      let isDone = false
      try {
        const prompt = await composer.compose(snapshot, signal)
        isDone = true
        return prompt
      } finally {
        meter.composed((performance.now() - started) / 1_000, isDone)
      }
    },
  }
}
