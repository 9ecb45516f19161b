import type { Log, MonotonicClock } from '../../base/environment.ts'
import type { Entry } from '../../words/entry.ts'
import { ignoreRefusal } from '../../words/errors.ts'
import { createQuotaLedger } from '../limits.ts'
import { addressedWords } from '../../words/mentions.ts'
import type { Person } from '../../words/person.ts'
import type { Preferences } from '../personal/preferences.ts'
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

/** The most words of one line that notify people. */
const MAX_WORDS = 10
/** The rate of notices to one person. */
const ONE_A_MINUTE = { burst: 1, everyMs: 60_000 }

/** Notifies absent people over HTTP of mentions and messages, without the text. */
export class Notices {
  readonly #parts: NoticeParts
  readonly #pace: ReturnType<typeof createQuotaLedger>

  constructor(parts: NoticeParts) {
    this.#parts = parts
    this.#pace = createQuotaLedger(parts.clock)
  }

  /** Takes each entry that this server recorded. */
  readonly onEntry = (entry: Entry): void => {
    if (!('edits' in entry) && !('reacts' in entry)) void this.#attempt(() => this.#tellMentioned(entry))
  }

  readonly onMessage = (from: Sender, to: Person): void =>
    void this.#attempt(() =>
      this.#tell(to, async () => {
        const filter = await this.#parts.talk.ignores.open(to)
        filter.close()
        return filter.acceptsFrom(from) ? `${from.name} wrote to you` : undefined
      }),
    )

  readonly onReminder = (to: Person): void =>
    void this.#attempt(() => this.#tell(to, async () => 'a reminder rang for you'))

  async #tellMentioned(entry: Entry): Promise<void> {
    const { talk, rooms } = this.#parts
    for (const word of addressedWords(entry).slice(0, MAX_WORDS)) {
      const person = await talk.findPerson.called(word).catch(ignoreRefusal)
      if (!person || person.id === entry.by || person.name === entry.author) continue
      await this.#tell(person, async () => {
        const room = await rooms.get(entry.room, person).catch(ignoreRefusal)
        const filter = await talk.ignores.open(person)
        filter.close()
        const { rings } = await this.#parts.preferences.of(person)
        if (!room || !filter.shows(entry) || rings?.get(room.name) === 'off') return undefined
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
    // Allows a millisecond more, since sums of fractions are not exact.
    if (said !== undefined && this.#pace.take({ id: person.id }, 1, ONE_A_MINUTE, 1) <= 1) send(url, said)
  }

  async #attempt(job: () => Promise<void>): Promise<void> {
    try {
      if (this.#parts.origins().length > 0) await job()
    } catch (error) {
      this.#parts.log.warn({ error }, 'could not notify a person who is away of a message')
    }
  }
}
