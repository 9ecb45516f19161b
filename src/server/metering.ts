import type { Meter } from './metrics/meter.ts'
import type { Log } from '../base/environment.ts'
import { costOf } from '../base/price.ts'
import type { TurnRecord } from '../turns/index.ts'
import { type LanguageModel, ModelError } from '../wrap/loop/index.ts'
import type { Composer } from '../wrap/index.ts'
import type { Storage } from '../storage/index.ts'

/** Logs turns as they end. With a meter, counts turns and charges. */
export function watchedStorage<Stored extends Pick<Storage, 'models'>>(
  storage: Stored,
  log: Log,
  meter: Meter | undefined,
): Stored {
  const { turns, charges } = storage.models
  const running = new Map<string, TurnRecord & { readonly since: number }>()
  return {
    ...storage,
    models: {
      ...storage.models,
      turns: {
        ...turns,
        async begin(turn) {
          await turns.begin(turn)
          running.set(turn.id, { ...turn, since: performance.now() })
        },
        async finish(id, change) {
          const bytes = await turns.finish(id, change)
          const began = running.get(id)
          if (!began) return bytes
          // `change` may have the prompt, which is too long to keep in memory.
          const { model = began.model, usage = began.usage, outcome } = change
          if (outcome === undefined) {
            running.set(id, { ...began, model, ...(usage && { usage }) })
            return bytes
          }
          running.delete(id)
          const { room, requester: person, parent } = began
          const ms = performance.now() - began.since
          const tokens = usage && { input: usage.input, cached: usage.cached, output: usage.output }
          const facts = { turn: id, room, model, person, parent, outcome, ms: Math.round(ms), ...tokens }
          log.info(facts, 'a turn ended')
          meter?.turnEnded(model, outcome, ms / 1_000)
          return bytes
        },
      },
      charges: {
        ...charges,
        async add(charge) {
          await charges.add(charge)
          const { model, usage, price } = charge
          meter?.used(model, usage, price && Number(costOf(usage, price)) / UNITS)
        },
      },
    },
  }
}

/** `costOf` counts in 1e-12 of the currency's unit. */
const UNITS = 1e12

/** With a meter, times the first piece of each answer and counts failed requests. */
export function meteredModel(name: string, adapter: LanguageModel, meter: Meter | undefined): LanguageModel {
  if (!meter) return adapter
  return {
    ...adapter,
    async *stream(request, signal) {
      const since = performance.now()
      let hasBegun = false
      try {
        for await (const event of adapter.stream(request, signal)) {
          const isFirst: boolean = !hasBegun && event.type !== 'reported'
          if (isFirst) meter.firstToken(name, (performance.now() - since) / 1_000)
          hasBegun ||= isFirst
          yield event
        }
      } catch (error) {
        if (error instanceof ModelError) meter.modelFailed(name, reasonOf(error))
        throw error
      }
    },
  }
}

/** Returns one of a few reasons, because each is a separate series per model. */
function reasonOf({ facts: { status, code }, refusal, begun }: ModelError): string {
  if (status === 401 || status === 403) return 'key'
  if (status === 429) return 'limit'
  if (typeof status === 'number' && status >= 500) return 'server'
  if (refusal !== undefined || status !== undefined) return 'refused'
  if (code !== undefined) return 'network'
  return begun ? 'cut' : 'other'
}

/** With a meter, times the composition of prompts. */
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
