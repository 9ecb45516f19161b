import { DAY_MS } from '../../base/amounts.ts'
import type { Entry, RoomName } from '../../words/entry.ts'
import { warnOfStorage } from '../../words/errors.ts'
import type { Person, PersonId } from '../../words/person.ts'
import { Runs } from './runs.ts'
import { Schedule } from './schedule.ts'
import { ScriptSpeaker, type SpeakerParts } from './script-speaker.ts'
import { type RoutineLimits, Routines, type RoutinesParts } from './service.ts'
import { TalkListener } from './talk-listener.ts'
import { type TriggerParts, Triggers } from './triggers.ts'

export interface RoutineEngineParts extends Omit<SpeakerParts, 'limits'> {
  readonly people: TriggerParts['people'] & RoutinesParts['people']
  readonly limits: RoutineLimits & TriggerParts['limits']
  readonly nextId: () => string
}

/** Manages and runs the routines of this server. */
export class RoutineEngine implements AsyncDisposable {
  readonly routines: Routines
  readonly #parts: RoutineEngineParts
  readonly #runs: Runs
  readonly #schedule: Schedule
  readonly #triggers: Triggers
  readonly #talks: TalkListener
  readonly #speaker: ScriptSpeaker
  /** The day of each person's last stored login. */
  readonly #seen = new Map<PersonId, number>()
  readonly #listeners = new Set<() => void>()
  #isRunning = false

  constructor(parts: RoutineEngineParts) {
    this.#parts = parts
    const changed = (): void => this.changed()
    this.#runs = new Runs({ ...parts, changed })
    this.routines = new Routines({ ...parts, changed })
    this.#schedule = new Schedule({ ...parts, attempt: this.#runs.attempt })
    this.#triggers = new Triggers({ ...parts, changed, runs: this.#runs })
    this.#talks = new TalkListener(parts)
    this.#speaker = new ScriptSpeaker(parts)
  }

  /** Runs due and later routines, unless the operator has turned routines off. */
  start(): void {
    this.#isRunning = true
    this.changed()
  }

  /** Reads routines and talks again after a server has changed them. Never throws. */
  changed(): void {
    this.#triggers.forget()
    this.#talks.forget()
    if (this.#isRunning && this.#parts.policy().enabled) this.#schedule.wake()
    for (const listener of this.#listeners) listener()
  }

  /** Calls back after routines have changed. Returns a function that ends this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Takes each entry that this server recorded. Never throws. */
  readonly onEntry = (entry: Entry): void => {
    if (!this.#isRunning) return
    this.#talks.onEntry(entry)
    if (this.#parts.policy().enabled) this.#triggers.onEntry(entry)
  }

  /** Says what a hook returned. Resolves to the reason if it was not said. Rejects with `StorageError`. */
  readonly speakForScript: ScriptSpeaker['speak'] = async (...line) =>
    this.#isRunning ? await this.#speaker.speak(...line) : 'the server is stopping'

  /** Called when a person typed a line at a terminal in this room. Never throws. */
  readonly typed = (room: RoomName): void => this.#triggers.typed(room)

  /** Stores, at most once a day, that a person logged in. Never throws. */
  readonly onLogin = ({ id, guest }: Person): void => {
    const now = this.#parts.clock.now()
    const day = Math.floor(now / DAY_MS)
    if (guest || this.#seen.get(id) === day) return
    this.#seen.set(id, day)
    this.#parts.store
      .seen(id, now)
      .catch(warnOfStorage(this.#parts.log, 'could not store a login for the routines'))
  }

  /** Starts no more runs. Resolves when the lines of started runs are said. Never rejects. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isRunning = false
    this.#triggers.close()
    this.#talks.close()
    this.#runs.close()
    await this.#schedule.close()
  }
}
