/**
 * chat/presence/ announces in a room who comes and goes: one by one, or in one line for many. It must not know who is in
 * the room: it is told of each change, in order.
 */

import { errorMessage } from '../../lib/errors.ts'
import type { NewEntry } from '../entry.ts'
import type { Alarm, Log } from '../ports.ts'
import { lineOf, type PresenceChange, Tally } from './tally.ts'

/** The key of `[limits]` that bounds how often comings and goings are announced in a room. */
export interface PresenceLimits {
  /** Lines a minute, the sum at its end included. */
  readonly presence_per_min: number
}

const MINUTE_MS = 60_000

/** Changes of more people are summed up before the minute is over, so that no entry grows without end. */
const MAX_PEOPLE_A_SUM = 500

/**
 * Announces who comes and goes. Never rejects: people come and go also while nothing can be stored. A minute begins with
 * the first line after a minute without any, or with the sum of the minute before.
 */
export class PresenceAnnouncer {
  readonly #record: (draft: NewEntry) => Promise<unknown>
  readonly #limits: PresenceLimits
  readonly #alarm: Alarm
  readonly #log: Pick<Log, 'warn'>
  /** Of this minute. */
  #lines = 0
  /** Lost if the server is killed. */
  #pending = new Tally()
  #summing: Promise<void> = Promise.resolve()
  /** True if the last line could not be stored. */
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

  /** Records the change, or keeps it for the next sum if the minute has enough lines or a line cannot be stored. */
  async announce(change: PresenceChange): Promise<void> {
    // Nobody is said to have left before they are said to have come.
    await this.#summing
    if (this.#pending.size > 0 || this.#lines >= this.#limits.presence_per_min) return this.#keep(change)
    this.#countLine()
    if (!(await this.#store(lineOf(change)))) this.#keep(change)
  }

  /** Records the sum of what was kept: at the end of the minute, and when the server stops. What fails is kept. */
  flush(): Promise<void> {
    this.#summing = this.#summing.then(() => this.#sumUp())
    return this.#summing
  }

  /** Something else was stored in the room: so can be what could not be stored before. */
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

  /** False if it could not be stored. */
  async #store(draft: NewEntry): Promise<boolean> {
    try {
      await this.#record(draft)
      this.#failed = false
    } catch (error) {
      this.#failed = true
      this.#log.warn({ error, reason: errorMessage(error) }, 'a coming or going was not stored')
    }
    return !this.#failed
  }
}
