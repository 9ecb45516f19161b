import type { Meter, ReadableMeter } from '../adapters/metrics/meter.ts'
import type { Composer } from '../prompt/ports.ts'
import type { Storage } from '../adapters/storage/storage.ts'

/** For a server whose figures nobody reads. */
const NO_METER: Meter = { entry() {}, turnEnded() {}, used() {}, composed() {} }

/** A meter, and how to read it: absent, and its library not loaded, where nothing serves what it says. */
export interface Metering {
  readonly meter: Meter
  readonly readable?: ReadableMeter
}

/** Makes the meter of a server. */
export async function openMetering(isRead: boolean): Promise<Metering> {
  if (!isRead) return { meter: NO_METER }
  const { createMeter } = await import('../adapters/metrics/meter.ts')
  const readable = createMeter()
  return { meter: readable, readable }
}

/** The same storage; what is stored of turns and charges is counted. */
export function meteredStorage<Stored extends Pick<Storage, 'models'>>(
  storage: Stored,
  meter: Meter,
): Stored {
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

/** The same composer; prompts are timed. */
export const meteredComposer = <One extends Composer>(composer: One, meter: Meter): One => ({
  ...composer,
  async compose(snapshot, signal) {
    const started = performance.now()
    const seconds = (): number => (performance.now() - started) / 1_000
    try {
      const prompt = await composer.compose(snapshot, signal)
      meter.composed(seconds(), true)
      return prompt
    } catch (error) {
      meter.composed(seconds(), false)
      throw error
    }
  },
})
