import type { Meter } from '../adapters/metrics/meter.ts'
import type { Composer } from '../prompt/ports.ts'
import type { Storage } from '../adapters/storage/storage.ts'

/** With a meter, turns and charges are counted. */
export function meteredStorage<Stored extends Pick<Storage, 'models'>>(
  storage: Stored,
  meter: Meter | undefined,
): Stored {
  if (!meter) return storage
  const { turns, charges } = storage.models
  const modelOf = new Map<string, string>()
  return {
    ...storage,
    models: {
      ...storage.models,
      turns: {
        ...turns,
        async begin(turn) {
          await turns.begin(turn)
          modelOf.set(turn.id, turn.model)
        },
        async finish(id, change) {
          const model = modelOf.get(id)
          modelOf.delete(id)
          await turns.finish(id, change)
          if (model !== undefined) meter.turnEnded(model, change.outcome ?? 'done')
        },
      },
      charges: {
        ...charges,
        async add(charge) {
          await charges.add(charge)
          meter.used(charge.model, charge.usage)
        },
      },
    },
  }
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
