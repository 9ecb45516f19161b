import type { Entry } from '../entry.ts'
import { unlessRefused } from '../errors.ts'
import { addressedWords } from '../mentions.ts'
import type { Person, PersonId } from '../people/person.ts'
import type { Preferences } from '../personal/preferences.ts'
import type { Log, MonotonicClock } from '../ports.ts'
import type { Rooms } from '../rooms.ts'
import type { Sender } from './ports.ts'
import type { Talk } from './talk.ts'

interface NoticeParts {
  readonly talk: Pick<Talk, 'findPerson' | 'ignores' | 'away'>
  readonly rooms: Pick<Rooms, 'get' | 'isPresent'>
  readonly preferences: Pick<Preferences, 'of'>
  /** Origins that notices may go to. */
  readonly origins: () => readonly string[]
  /** Must not throw. */
  readonly send: (url: string, text: string) => void
  readonly clock: MonotonicClock
  readonly log: Pick<Log, 'warn'>
}

/** Of one line: more words in it notify nobody. */
const MAX_WORDS = 10
/** Between two notices to one person. */
const PACE_MS = 60_000
const MAX_PEOPLE = 10_000

/** Tells people who are not here, by HTTP, that somebody mentioned them or wrote to them. Says no text. */
export class Notices {
  readonly #parts: NoticeParts
  readonly #toldAt = new Map<PersonId, number>()

  constructor(parts: NoticeParts) {
    this.#parts = parts
  }

  /** Takes each entry that this server recorded. */
  readonly onEntry = (entry: Entry): void => {
    if (this.#parts.origins().length === 0 || 'edits' in entry || 'reacts' in entry) return
    const words = addressedWords(entry)
    if (words.length > 0) void this.#attempt(() => this.#tellMentioned(entry, words.slice(0, MAX_WORDS)))
  }

  /** Takes each direct message that was sent through this server. */
  readonly onMessage = (from: Sender, to: Person): void => {
    if (this.#parts.origins().length === 0) return
    void this.#attempt(() =>
      this.#tell(to, async () => {
        const filter = await this.#parts.talk.ignores.open(to)
        filter.close()
        return filter.acceptsFrom(from) ? `${from.name} wrote to you` : undefined
      }),
    )
  }

  async #tellMentioned(entry: Entry, words: readonly string[]): Promise<void> {
    const { talk, rooms } = this.#parts
    for (const word of words) {
      const person = await talk.findPerson.called(word).catch(unlessRefused)
      if (!person || person.id === entry.by || person.name === entry.author) continue
      await this.#tell(person, async () => {
        const room = await rooms.get(entry.room, person).catch(unlessRefused)
        const filter = await talk.ignores.open(person)
        filter.close()
        if (!room || !filter.shows(entry)) return undefined
        const { private: isPrivate } = await room.info()
        return `${entry.author} mentioned you in ${isPrivate ? 'a private room' : room.name}`
      })
    }
  }

  /** `text` resolves to undefined if the person may not know of it. */
  async #tell(person: Person, text: () => Promise<string | undefined>): Promise<void> {
    const { rooms, talk, preferences, origins, send } = this.#parts
    if (person.guest || (rooms.isPresent(person) && talk.away.textOf(person.id) === undefined)) return
    const { notify: url = 'off' } = await preferences.of(person)
    if (url === 'off' || !origins().includes(new URL(url).origin)) return
    const said = await text()
    if (said !== undefined && this.#take(person.id)) send(url, said)
  }

  /** False for a person who was told within the last minute. */
  #take(id: PersonId): boolean {
    const now = this.#parts.clock.monotonic()
    const last = this.#toldAt.get(id) ?? -Infinity
    if (now - last < PACE_MS) return false
    this.#toldAt.delete(id)
    this.#toldAt.set(id, now)
    const [oldest] = this.#toldAt.keys()
    if (oldest !== undefined && this.#toldAt.size > MAX_PEOPLE) this.#toldAt.delete(oldest)
    return true
  }

  async #attempt(job: () => Promise<void>): Promise<void> {
    try {
      await job()
    } catch (error) {
      this.#parts.log.warn({ error }, 'a person who is away was not told of a message')
    }
  }
}
