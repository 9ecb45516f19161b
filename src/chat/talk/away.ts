import { createSerial } from '../../lib/jobs/serial.ts'
import { Refusal, StorageError } from '../errors.ts'
import { mentionsOfPeople } from '../mentions.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import type { Person, PersonId } from '../people/person.ts'
import type { Clock, Log } from '../ports.ts'
import type { Room } from '../room.ts'
import type { AwayStore } from './ports.ts'
import { SYSTEM } from '../people/names.ts'

/** Who is away, kept until they speak; of a guest, at most until the server stops. */
export interface AwayPeople {
  /**
   * Somebody is away from now on; an empty text gives no reason. Throws `Refusal` where the text is too long. Rejects with
   * `StorageError`.
   */
  leave(person: Person, text: string): Promise<void>
  /** What they said as they left; undefined where they are not away. */
  textOf(person: PersonId): string | undefined
  /** Somebody spoke: they are not away any more. True if they were. */
  comeBack(person: PersonId): boolean
  /** What to tell somebody who wrote to this person, once for each time that the person is away. */
  toldTo(asker: PersonId, person: Person): string | undefined
  /** Somebody said this in a room: ends their own absence, and tells them alone who of those they mention is away. */
  heard(room: Room, speaker: Person, text: string): void
}

/** Characters of a reason. */
const MAX_AWAY_CHARS = 200
/** Beyond this many, the first who left counts as back. */
const MAX_AWAY = 10_000
/** Beyond this many, nobody further is told of one absence: they are no help any more, and each is remembered. */
const MAX_TOLD = 2_000

interface Absence {
  readonly text: string
  readonly told: Set<PersonId>
}

/** Reads who was away when the server stopped. Rejects with `StorageError`. */
export async function openAway(store: AwayStore, clock: Clock, log: Pick<Log, 'warn'>): Promise<AwayPeople> {
  const stored = await store.away()
  const absences = new Map(
    stored.map(({ person, text }): [PersonId, Absence] => [person, { text, told: new Set() }]),
  )
  const inTurn = createSerial()

  function comeBack(person: PersonId): boolean {
    const wasAway = absences.delete(person)
    if (wasAway) void inTurn(() => store.comeBack(person)).catch(cannotForget)
    return wasAway
  }

  /** They are away again once the server has started anew: what they say then brings them back. */
  function cannotForget(error: unknown): void {
    if (!(error instanceof StorageError)) throw error
    log.warn({ error, reason: error.reason }, 'who came back is stored as away')
  }

  function toldTo(asker: PersonId, { id, name }: Person): string | undefined {
    const absence = absences.get(id)
    if (!absence || asker === id || absence.told.has(asker) || absence.told.size >= MAX_TOLD) return undefined
    absence.told.add(asker)
    return absence.text === '' ? `${name} is away` : `${name} is away: ${absence.text}`
  }

  return {
    async leave({ id, guest }, raw) {
      const text = cleanLine(raw)
      if ([...text].length > MAX_AWAY_CHARS)
        throw new Refusal(`that is too long: ${MAX_AWAY_CHARS} characters are allowed`)
      if (!guest) await inTurn(() => store.leave({ person: id, text }, clock.now()))
      absences.delete(id)
      absences.set(id, { text, told: new Set() })
      const [first] = absences.keys()
      if (absences.size > MAX_AWAY && first !== undefined) comeBack(first)
    },
    textOf: (person) => absences.get(person)?.text,
    comeBack,
    toldTo,
    heard(room, speaker, text) {
      const tell = (line: string): void =>
        room.whisper([speaker], { kind: 'notice', level: 'info', author: SYSTEM, text: line })
      if (comeBack(speaker.id)) tell(BACK)
      if (absences.size === 0) return
      const isMentioned = mentionsOfPeople(text)
      const mentioned = room.present().filter(({ id, name }) => absences.has(id) && isMentioned(name))
      for (const line of mentioned.map((person) => toldTo(speaker.id, person))) if (line) tell(line)
    },
  }
}

/** What somebody is told who spoke while they were away. */
export const BACK = 'you are not away any more'
