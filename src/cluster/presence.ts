import type { RoomName } from '../words/entry.ts'
import { StorageError } from '../words/errors.ts'
import { quotaKeysOf, type Peers } from '../chat/index.ts'
import type { Person, PersonId } from '../words/person.ts'
import type { PresenceChange } from '../chat/presence/index.ts'
import type { Alarm, Log } from '../base/environment.ts'
import { createKeyedSerial, createSerial } from '../base/jobs/serial.ts'
import { skeleton } from '../base/text/names.ts'
import type { ClusterStores, PersonInRoom, PresentRow, PresentStore, ServerId } from './stores.ts'

/** Milliseconds in which a person who left one server may reach another. */
const MOVE_MS = 10_000

export interface RemotePresenceParts extends Pick<ClusterStores, 'present' | 'changes'> {
  readonly clock: Alarm
  /** Called after a person came or left, or when the time to return is over. */
  readonly changed: (room: RoomName) => void
}

/** The people in rooms through other servers, according to the database. */
export class RemotePresence {
  readonly #parts: RemotePresenceParts
  readonly #people = new Map<RoomName, Map<PersonId, readonly PresentRow[]>>()
  readonly #lists = new Map<RoomName, readonly Person[]>()
  readonly #serverCounts = new ServerCounts()
  /** The last departure of each person from each room. */
  readonly #departures = new Map<string, object>()
  /** Serializes reads, so that older rows never replace newer ones. */
  readonly #serially = createSerial()

  constructor(parts: RemotePresenceParts) {
    this.#parts = parts
    const { changes } = parts
    changes.on('present', (keys: readonly string[] | 'all') =>
      this.#serially(() => (keys === 'all' ? this.#readAll() : this.#readPlaces(keys.map(parsePlace)))),
    )
    // The names or rights of these people have changed.
    changes.on('people', async (ids: readonly PersonId[] | 'all') => {
      if (ids !== 'all')
        await this.#serially(() => this.#readPlaces(this.#placesOf((id) => ids.includes(id))))
    })
  }

  async #readAll(): Promise<void> {
    const rows = await this.#parts.present.elsewhere()
    const known = this.#placesOf(() => true)
    this.#take([...known, ...rows.map(({ room, person }) => ({ room, person: person.id }))], rows)
  }

  peopleIn(room: RoomName): readonly Person[] {
    const rows = [...(this.#people.get(room)?.values() ?? [])]
    const list = this.#lists.get(room) ?? rows.flatMap(([row]) => (row ? [row.person] : []))
    this.#lists.set(room, list)
    return list
  }

  find(id: PersonId): Person | undefined {
    return this.#findWhere((person) => person.id === id)
  }

  findGuest(name: string): Person | undefined {
    const wanted = skeleton(name)
    return this.#findWhere((person) => person.guest && skeleton(person.name) === wanted)
  }

  mayReturn(room: RoomName, id: PersonId): boolean {
    return this.#departures.has(placeOf(room, id))
  }

  rooms(): readonly RoomName[] {
    return [...this.#people.keys()]
  }

  serversOf(quotaKey: string): number {
    return 1 + this.#serverCounts.of(quotaKey)
  }

  /** Records that a person left a room, through any server. */
  departed(room: RoomName, id: PersonId): void {
    const [place, departure] = [placeOf(room, id), {}]
    this.#departures.set(place, departure)
    this.#parts.clock.later(MOVE_MS, () => {
      if (this.#departures.get(place) !== departure) return
      this.#departures.delete(place)
      this.#parts.changed(room)
    })
  }

  #placesOf(isMeant: (id: PersonId) => boolean): readonly PersonInRoom[] {
    return [...this.#people].flatMap(([room, people]) =>
      [...people.keys()].filter(isMeant).map((person) => ({ room, person })),
    )
  }

  async #readPlaces(places: readonly PersonInRoom[]): Promise<void> {
    if (places.length > 0) this.#take(places, await this.#parts.present.elsewhere(places))
  }

  /** Replaces the known rows of these places; `rows` are all their current rows. */
  #take(places: readonly PersonInRoom[], rows: readonly PresentRow[]): void {
    const now = new Map<string, PresentRow[]>()
    for (const row of rows) {
      const place = placeOf(row.room, row.person.id)
      now.set(place, [...(now.get(place) ?? []), row])
    }
    const unique = new Map(places.map((place) => [placeOf(place.room, place.person), place]))
    for (const [key, { room, person }] of unique) this.#put(room, person, now.get(key) ?? [])
    for (const room of new Set(places.map((place) => place.room))) {
      this.#lists.delete(room)
      this.#parts.changed(room)
    }
  }

  #put(room: RoomName, id: PersonId, after: readonly PresentRow[]): void {
    const people = this.#people.get(room) ?? new Map<PersonId, readonly PresentRow[]>()
    const before = people.get(id) ?? []
    if (before.length > 0 && after.length === 0) this.departed(room, id)
    for (const row of before) this.#serverCounts.add(row, -1)
    for (const row of after) this.#serverCounts.add(row, 1)
    if (after.length > 0) people.set(id, after)
    else people.delete(id)
    if (people.size > 0) this.#people.set(room, people)
    else this.#people.delete(room)
  }

  #findWhere(isMeant: (person: Person) => boolean): Person | undefined {
    for (const people of this.#people.values())
      for (const [row] of people.values()) if (row && isMeant(row.person)) return row.person
    return undefined
  }
}

/** Counts the rooms in which a person, a key or a network is, for each other server. */
class ServerCounts {
  readonly #counts = new Map<string, Map<ServerId, number>>()

  /** Returns the number of other servers. */
  of(quotaKey: string): number {
    return this.#counts.get(quotaKey)?.size ?? 0
  }

  add({ server, person }: PresentRow, by: 1 | -1): void {
    for (const { name } of quotaKeysOf(person)) {
      const servers = this.#counts.get(name) ?? new Map<ServerId, number>()
      const count = (servers.get(server) ?? 0) + by
      if (count > 0) servers.set(server, count)
      else servers.delete(server)
      if (servers.size > 0) this.#counts.set(name, servers)
      else this.#counts.delete(name)
    }
  }
}

interface Presence {
  readonly room: RoomName
  readonly person: Person
}

/**
 * Stores the people in rooms through this server. No method rejects. The database, not a server's memory,
 * decides whether to announce a person to a room, so that no announcement is repeated.
 */
export class OwnPresence implements Pick<Peers, 'entered' | 'left'> {
  readonly #present: Pick<PresentStore, 'come' | 'go'>
  readonly #log: Pick<Log, 'warn'>
  readonly #takenForDead: () => void
  readonly #here = new Map<string, Presence>()
  /** Presences that may differ in the database. */
  readonly #unstored = new Map<string, Presence>()
  /** Orders the changes of one person in one room. */
  readonly #serially = createKeyedSerial<string>()

  /** Calls `takenForDead` if nothing can be stored because others have ended this server's lease. */
  constructor(present: Pick<PresentStore, 'come' | 'go'>, log: Pick<Log, 'warn'>, takenForDead: () => void) {
    this.#present = present
    this.#log = log
    this.#takenForDead = takenForDead
  }

  entered(room: RoomName, person: Person): Promise<boolean> {
    const place = placeOf(room, person.id)
    return this.#serially(place, () => {
      this.#here.set(place, { room, person })
      return this.#store(place, { room, person })
    })
  }

  left(room: RoomName, person: Person): Promise<boolean> {
    const place = placeOf(room, person.id)
    return this.#serially(place, () => {
      this.#here.delete(place)
      return this.#store(place, { room, person })
    })
  }

  /** Stores what could not be stored before. Calls `announce` for each change that the room must be told. */
  async storeAgain(announce: (room: RoomName, change: PresenceChange) => Promise<void>): Promise<void> {
    for (const [place, presence] of [...this.#unstored]) {
      const { room, person } = presence
      await this.#serially(place, async () => {
        if (!this.#unstored.has(place) || !(await this.#store(place, presence))) return
        await announce(room, { name: person.name, event: this.#here.has(place) ? 'joined' : 'left' })
      })
      // The other presences would fail as well.
      if (this.#unstored.has(place)) return
    }
  }

  /** Marks all presences as unstored, so that the next `storeAgain` stores them. */
  forgetStored(): void {
    for (const [place, presence] of this.#here) this.#unstored.set(place, presence)
  }

  async #store(place: string, presence: Presence): Promise<boolean> {
    const { room, person } = presence
    this.#unstored.set(place, presence)
    try {
      const isHere = this.#here.has(place)
      const isFirstOrLast = await (isHere ? this.#present.come(room, person) : this.#present.go(room, person))
      this.#unstored.delete(place)
      return isFirstOrLast
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      if (error.reason === 'taken-for-dead') this.#takenForDead()
      else
        this.#log.warn({ error, reason: error.reason }, 'could not store for the other servers who is here')
      return false
    }
  }
}

const placeOf = (room: RoomName, person: PersonId): string => `${person} ${room}`

function parsePlace(key: string): PersonInRoom {
  const [person = '', room = ''] = key.split(' ')
  return { person: person as PersonId, room: room as RoomName }
}
