import type { Clock, Log } from '../../base/environment.ts'
import { createSerial } from '../../base/jobs/serial.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import { Refusal, warnOfStorage } from '../../words/errors.ts'
import { createMentionTest } from '../../words/mentions.ts'
import { SYSTEM } from '../../words/names.ts'
import { keyOfGuest, type Person, type PersonId } from '../../words/person.ts'
import type { Peers } from '../peers.ts'
import type { Room } from '../room.ts'
import type { AwayStore } from './ports.ts'

const MAX_AWAY_CHARS = 200
const MAX_AWAY = 10_000
/** The most people who are notified of one absence. */
const MAX_TOLD = 2_000

export class Away {
  readonly #store: AwayStore
  readonly #clock: Clock
  readonly #log: Pick<Log, 'warn'>
  readonly #peers: Pick<Peers, 'broadcast'>
  readonly #absences = new Map<PersonId, { readonly text: string; readonly told: Set<PersonId> }>()
  readonly #serial = createSerial()
  /** Counts changes by this server, which make an earlier read outdated. */
  #changes = 0

  constructor(store: AwayStore, clock: Clock, log: Pick<Log, 'warn'>, peers: Pick<Peers, 'broadcast'>) {
    this.#store = store
    this.#clock = clock
    this.#log = log
    this.#peers = peers
  }

  /** An empty text gives no reason. Rejects with `Refusal` if it is too long, and `StorageError`. */
  async leave({ id, guest }: Person, raw: string): Promise<void> {
    const text = cleanLine(raw)
    if ([...text].length > MAX_AWAY_CHARS)
      throw new Refusal(`that is too long: ${MAX_AWAY_CHARS} characters are allowed`)
    if (guest) void this.#peers.broadcast('guestAway', { person: id, text })
    else await this.#serial(() => this.#store.leave({ person: id, text }, this.#clock.now()))
    this.#changes++
    this.#set(id, text)
  }

  textOf(person: PersonId): string | undefined {
    return this.#absences.get(person)?.text
  }

  comeBack(person: PersonId): boolean {
    const wasAway = this.#absences.delete(person)
    if (!wasAway) return false
    this.#changes++
    if (isGuest(person)) void this.#peers.broadcast('guestAway', { person, text: null })
    else void this.#forget(person)
    return true
  }

  noticeTo(asker: PersonId, { id, name }: Person): string | undefined {
    const absence = this.#absences.get(id)
    if (!absence || asker === id || absence.told.has(asker) || absence.told.size >= MAX_TOLD) return undefined
    absence.told.add(asker)
    return absence.text === '' ? `${name} is away` : `${name} is away: ${absence.text}`
  }

  /** Call it when somebody spoke. Ends their absence, and tells only them which mentioned people are away. */
  heard(room: Room, speaker: Person, text: string): void {
    const tell = (line: string): void =>
      room.whisper([speaker], { kind: 'notice', level: 'info', author: SYSTEM, text: line })
    if (this.comeBack(speaker.id)) tell(BACK)
    if (this.#absences.size === 0) return
    const isMentioned = createMentionTest(text)
    const mentioned = room.present().filter(({ id, name }) => this.#absences.has(id) && isMentioned(name))
    for (const line of mentioned.map((person) => this.noticeTo(speaker.id, person))) if (line) tell(line)
  }

  /** Reads who is away, at the start and after changes of other servers. Rejects with `StorageError`. */
  async readAgain(): Promise<void> {
    const before = this.#changes
    const stored = await this.#serial(() => this.#store.away())
    if (this.#changes !== before) return await this.readAgain()
    const away = new Set(stored.map(({ person }) => person))
    for (const person of [...this.#absences.keys()])
      if (!away.has(person) && !isGuest(person)) this.#absences.delete(person)
    for (const { person, text } of stored) if (this.textOf(person) !== text) this.#set(person, text)
  }

  guestAway(person: PersonId, text: string | null): void {
    if (text === null) this.#absences.delete(person)
    else this.#set(person, text)
  }

  #set(person: PersonId, text: string): void {
    this.#absences.delete(person)
    this.#absences.set(person, { text, told: new Set() })
    const [first] = this.#absences.keys()
    if (this.#absences.size > MAX_AWAY && first !== undefined) this.comeBack(first)
  }

  /** After a failure, the person is away again from a restart until they speak. */
  async #forget(person: PersonId): Promise<void> {
    await this.#serial(() => this.#store.comeBack(person)).catch(
      warnOfStorage(this.#log, 'a person who came back is still stored as away'),
    )
  }
}

const isGuest = (person: PersonId): boolean => keyOfGuest(person) !== undefined

export const BACK = 'you are not away any more'
