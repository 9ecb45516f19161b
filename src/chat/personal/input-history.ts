import { DAY_MS } from '../../base/amounts.ts'
import type { Alarm, Clock, Log } from '../../base/environment.ts'
import { warnOfStorage } from '../../words/errors.ts'
import type { Person, PersonId } from '../../words/person.ts'
import type { TypedLimits, TypedStore } from './ports.ts'
import { holdsSecret } from './secrets.ts'

export interface OpenHistory {
  readonly lines: readonly string[]
  /** What was being typed when a connection broke; may be empty. */
  readonly draft: string
  sent(line: string): void
  /** Call it once, with a draft that was not sent. Never rejects with `StorageError`. */
  close(draft: string): Promise<void>
}

const LIMITS: TypedLimits = { lines: 200, characters: 65_536 }
const MAX_LINE_UNITS = 4_000
const MAX_DRAFT_UNITS = 16_384
const DRAFT_DAYS = 7
/** The delay in ms after which new lines are stored together. */
const STORE_AFTER_MS = 5_000

/** Stores people's last typed lines, except secrets, and a cut-off draft. Logs, and loses, failed writes. */
export class InputHistory {
  readonly #store: TypedStore
  readonly #clock: Clock & Alarm
  readonly #log: Log
  readonly #notKept: (error: unknown) => undefined
  readonly #pending = new Map<PersonId, readonly string[]>()

  constructor(store: TypedStore, clock: Clock & Alarm, log: Log) {
    this.#store = store
    this.#clock = clock
    this.#log = log
    this.#notKept = warnOfStorage(log, 'could not store the input history of a person')
  }

  /** Nothing is kept while `isWanted` is false. Never rejects with `StorageError`. */
  async open({ id, guest }: Person, isWanted: () => boolean): Promise<OpenHistory> {
    if (guest) return NOTHING
    await this.#storeLines(id)
    const [lines = [], draft = ''] =
      (await Promise.all([this.#store.lines(id), this.#store.draft(id, this.#oldestDraft())]).catch(
        warnOfStorage(this.#log, 'could not read the input history of a person'),
      )) ?? []
    let last = lines.at(-1)
    let offered = draft
    const add = (line: string): void => {
      if (!isWanted() || line === last || line.length > MAX_LINE_UNITS || holdsSecret(line)) return
      last = line
      this.#add(id, line)
    }
    return {
      lines,
      draft,
      sent: (line) => {
        const text = offered
        offered = ''
        if (text !== '') void this.#store.dropDraft(id, text).catch(this.#notKept)
        if (!line.includes(text)) add(text)
        add(line)
      },
      close: async (unsent) => {
        if (isWanted() && unsent.trim() !== '' && !holdsSecret(unsent)) await this.#keepDraft(id, unsent)
        await this.#storeLines(id)
      },
    }
  }

  /** Rejects with `StorageError`. */
  async forget({ id, guest }: Person): Promise<void> {
    this.#pending.delete(id)
    if (!guest) await this.#store.forget(id)
  }

  #add(person: PersonId, line: string): void {
    const lines = this.#pending.get(person)
    this.#pending.set(person, [...(lines ?? []), line].slice(-LIMITS.lines))
    if (!lines) this.#clock.later(STORE_AFTER_MS, () => void this.#storeLines(person))
  }

  async #storeLines(person: PersonId): Promise<void> {
    const lines = this.#pending.get(person)
    if (!lines) return
    this.#pending.delete(person)
    await this.#store.addLines(person, lines, LIMITS).catch(this.#notKept)
  }

  async #keepDraft(person: PersonId, unsent: string): Promise<void> {
    const draft = { text: unsent.slice(0, MAX_DRAFT_UNITS).toWellFormed(), at: this.#clock.now() }
    await this.#store.keepDraft(person, draft, this.#oldestDraft()).catch(this.#notKept)
  }

  #oldestDraft(): number {
    return this.#clock.now() - DRAFT_DAYS * DAY_MS
  }
}

const NOTHING: OpenHistory = { lines: [], draft: '', sent: () => undefined, close: async () => undefined }
