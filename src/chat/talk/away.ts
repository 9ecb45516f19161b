import { createSerial } from '../../lib/jobs/serial.ts'
import { Refusal, StorageError } from '../errors.ts'
import { mentionsOfPeople } from '../mentions.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { keyOfGuest, type Person, type PersonId } from '../people/person.ts'
import type { Peers } from '../peers.ts'
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
  /** Another server may have changed who is away. Rejects with `StorageError`. */
  readAgain(): Promise<void>
  /** A guest left, or came back, through another server. */
  guestAway(person: PersonId, text: string | null): void
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
export async function openAway(
  store: AwayStore,
  clock: Clock,
  log: Pick<Log, 'warn'>,
  peers: Pick<Peers, 'broadcast'>,
): Promise<AwayPeople> {
  const stored = await store.away()
  const absences = new Map(
    stored.map(({ person, text }): [PersonId, Absence] => [person, { text, told: new Set() }]),
  )
  const serially = createSerial()
  /** Counts what this server changed: what was read before is too old then. */
  let changes = 0

  function comeBack(person: PersonId): boolean {
    const wasAway = absences.delete(person)
    if (!wasAway) return false
    changes++
    if (isGuest(person)) void peers.broadcast('guestAway', { person, text: null })
    else void serially(() => store.comeBack(person)).catch(cannotForget)
    return true
  }

  function setAway(person: PersonId, text: string): void {
    absences.delete(person)
    absences.set(person, { text, told: new Set() })
    const [first] = absences.keys()
    if (absences.size > MAX_AWAY && first !== undefined) comeBack(first)
  }

  async function readAgain(): Promise<void> {
    const before = changes
    const stored = await serially(() => store.away())
    if (changes !== before) return await readAgain()
    const away = new Set(stored.map(({ person }) => person))
    for (const person of [...absences.keys()])
      if (!away.has(person) && !isGuest(person)) absences.delete(person)
    for (const { person, text } of stored) if (absences.get(person)?.text !== text) setAway(person, text)
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
      if (guest) void peers.broadcast('guestAway', { person: id, text })
      else await serially(() => store.leave({ person: id, text }, clock.now()))
      changes++
      setAway(id, text)
    },
    readAgain,
    guestAway(person, text) {
      if (text === null) absences.delete(person)
      else setAway(person, text)
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

const isGuest = (person: PersonId): boolean => keyOfGuest(person) !== undefined

/** What somebody is told who spoke while they were away. */
export const BACK = 'you are not away any more'
