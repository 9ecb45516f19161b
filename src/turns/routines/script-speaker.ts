import { HOUR_MS, utf8Bytes } from '../../base/amounts.ts'
import { createQuotaLedger, type RateLimiter, type Room } from '../../chat/index.ts'
import { Refusal } from '../../words/errors.ts'
import { mentions } from '../../words/mentions.ts'
import type { PersonId } from '../../words/person.ts'
import type { HookSpeech } from '../../wrap/index.ts'
import { findScriptPerson } from './requester.ts'
import type { RoutineRun } from './run.ts'
import type { TriggerParts } from './triggers.ts'

export interface SpeakerParts extends Omit<TriggerParts, 'runs' | 'changed'> {
  readonly pace: Pick<RateLimiter, 'next'>
}

/** Lines of hooks belong to no routine: the person who set the script pays for the models. */
const RUN: RoutineRun = {
  number: 0,
  scope: null,
  rights: 'member',
  spent: async () => {},
  whyNoTokens: async () => undefined,
}

/** Says what hooks return, for the person who set the script in the room. */
export class ScriptSpeaker {
  readonly #parts: SpeakerParts
  readonly #asks: ReturnType<typeof createQuotaLedger>

  constructor(parts: SpeakerParts) {
    this.#parts = parts
    this.#asks = createQuotaLedger(parts.clock)
  }

  /** Resolves to the reason if the line is not said. Rejects with `StorageError`. */
  async speak(
    room: Room,
    { person: id }: { readonly person?: PersonId | null },
    { text: words, asks }: HookSpeech,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (!id) return 'nobody has set the script in this room; set the script again to let it speak'
    const { models, takeBytes, pace, say } = this.#parts
    const text = asks === undefined ? words : `@${asks} ${words}`
    const asked = mentions(text, await models(room.name))
    if (asks !== undefined && !asked.includes(asks)) return `there is no model @${asks}; see /models`
    try {
      const person = await findScriptPerson(room.name, id, asked.length > 0, this.#parts)
      if (asked.length === 0) await pace.next(person, signal)
      else this.#takeAsk(room)
      takeBytes(person, utf8Bytes(text))
      await say(room, person, text, RUN)
      return undefined
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return error.message
    }
  }

  #takeAsk({ name }: Room): void {
    const { routine_runs_per_hour: burst } = this.#parts.limits
    const rate = { burst, everyMs: HOUR_MS / burst }
    if (this.#asks.take({ id: `script of ${name}` as PersonId }, 1, rate, 0) > 0)
      throw new Refusal(`the script has asked ${burst} times in an hour (routine_runs_per_hour)`)
  }
}
