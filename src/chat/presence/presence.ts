/** chat/presence/ announces who comes and goes: one by one, or in one line for many. */

import type { Alarm, Log } from '../../base/environment.ts'
import { errorMessage } from '../../base/errors.ts'
import type { NewEntry } from '../../words/entry.ts'
import { lineOf, type PresenceChange, Tally } from './tally.ts'

export interface PresenceLimits {
  /** Lines a minute in a room about comings and goings, sums included. */
  readonly presence_per_min: number
}

const MINUTE_MS = 60_000

const MAX_PEOPLE_A_SUM = 500

/**
 * Announces comings and goings; sums them up beyond the limit. Never rejects: people come and go also while
 * nothing can be stored. A minute begins with the first line after the end of the previous one.
 */
export class PresenceAnnouncer {
  readonly #record: (draft: NewEntry) => Promise<unknown>
  readonly #limits: PresenceLimits
  readonly #alarm: Alarm
  readonly #log: Pick<Log, 'warn'>
  #lines = 0
  /** Changes that are not recorded yet; lost if the server is killed. */
  #pending = new Tally()
  #summing: Promise<void> = Promise.resolve()
  #failed = false

  constructor(
    record: (draft: NewEntry) => Promise<unknown>,
    limits: PresenceLimits,
    alarm: Alarm,
    log: Pick<Log, 'warn'>,
  ) {
    this.#record = record
    this.#limits = limits
    this.#alarm = alarm
    this.#log = log
  }

  /** Records the change, or keeps it for the next sum if the minute is full or nothing can be stored. */
  async announce(change: PresenceChange): Promise<void> {
    // Keeps the order: nobody leaves in the log before they came.
    await this.#summing
    if (this.#pending.size > 0 || this.#lines >= this.#limits.presence_per_min) return this.#keep(change)
    this.#countLine()
    if (!(await this.#store(lineOf(change)))) this.#keep(change)
  }

  /** Records the sum of pending changes, at the end of the minute or the server. Keeps them if that fails. */
  flush(): Promise<void> {
    this.#summing = this.#summing.then(() => this.#sumUp())
    return this.#summing
  }

  /** Call it when something else was stored in the room: the store works again. */
  retry(): void {
    if (this.#failed) void this.flush()
  }

  #keep(change: PresenceChange): void {
    const { size } = this.#pending
    this.#pending.add(change)
    if (size < MAX_PEOPLE_A_SUM && this.#pending.size === MAX_PEOPLE_A_SUM) void this.flush()
  }

  async #sumUp(): Promise<void> {
    const summed = this.#pending
    if (summed.size === 0) return
    this.#pending = new Tally()
    this.#countLine()
    if (await this.#store(summed.draft())) return
    if (summed.size >= MAX_PEOPLE_A_SUM) summed.forgetVisits()
    summed.addTally(this.#pending)
    this.#pending = summed
  }

  #countLine(): void {
    if (this.#lines === 0) this.#alarm.later(MINUTE_MS, () => this.#endMinute())
    this.#lines++
  }

  #endMinute(): void {
    this.#lines = 0
    void this.flush()
  }

  async #store(draft: NewEntry): Promise<boolean> {
    try {
      await this.#record(draft)
      this.#failed = false
    } catch (error) {
      this.#failed = true
      this.#log.warn({ error, reason: errorMessage(error) }, 'could not store that a person joined or left')
    }
    return !this.#failed
  }
}
