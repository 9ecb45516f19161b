import type { RoomName } from '../chat/entry.ts'
import { payersOf } from '../chat/limits/payers.ts'
import type { Person, PersonId } from '../chat/people/person.ts'
import type { Alarm, Log } from '../chat/ports.ts'
import type { Elsewhere } from '../chat/presence/elsewhere.ts'
import { skeleton } from '../lib/text/skeleton.ts'
import { createMoments } from './moments.ts'
import { createOwnPresence, type OwnPresence } from './own-presence.ts'
import type { ClusterStores, PersonInRoom, PresentRow } from './ports.ts'
import { createRoomWatchers } from './room-watchers.ts'
import type { ServerId } from './server-id.ts'

/** How long somebody who goes may take to another server, in milliseconds: their client is told, and they start it again. */
const MOVE_MS = 10_000

/** Who is in the rooms through which server, kept as the database has it. */
export interface SharedPresence extends Elsewhere, Pick<OwnPresence, 'catchUp'> {
  /** Reads who is there through others, and follows that. Rejects with `StorageError`. */
  begin(): Promise<void>
  /** Reads who is there through others, in place of what was known. Rejects with `StorageError`. */
  readAll(): Promise<void>
  /** Others took this server for dead: its people come in again with the next `catchUp`. */
  comeAgain(): void
}

/** What it needs besides what is stored. */
export interface SharedPresenceParts {
  readonly clock: Alarm
  readonly log: Pick<Log, 'warn'>
  /** Nothing of this server can be stored until it is alive to the others again. */
  readonly takenForDead: () => void
}

export function createSharedPresence(
  { present, news }: Pick<ClusterStores, 'present' | 'news'>,
  { clock, log, takenForDead }: SharedPresenceParts,
): SharedPresence {
  const rooms = new Map<RoomName, ReadonlyMap<PersonId, Person>>()
  const lists = new Map<RoomName, readonly Person[]>()
  const rowsByServer = new RowsByServer()
  const watchers = createRoomWatchers()
  const own = createOwnPresence(present, log, takenForDead)
  const moving = createMoments(MOVE_MS, clock)

  const wentFrom = (room: RoomName, id: PersonId): void =>
    moving.begin(keyOf(room, id), () => watchers.tell(room))

  /** Who is in one more room, or one less, is who is there now: what was known before does not matter. */
  function take(presences: readonly PersonInRoom[], rows: readonly PresentRow[]): void {
    const there = new Map(rows.map(({ room, person }) => [keyOf(room, person.id), person]))
    const changed = new Set(presences.map(({ room }) => room))
    for (const { room, person } of presences) put(room, person, there.get(keyOf(room, person)))
    rowsByServer.replace(presences, rows)
    for (const room of changed) {
      lists.delete(room)
      watchers.tell(room)
    }
  }

  function put(room: RoomName, id: PersonId, person: Person | undefined): void {
    const people = new Map(rooms.get(room))
    if (!person && people.has(id)) wentFrom(room, id)
    if (person) people.set(id, person)
    else people.delete(id)
    if (people.size > 0) rooms.set(room, people)
    else rooms.delete(room)
  }

  function find(id: PersonId): Person | undefined {
    for (const people of rooms.values()) if (people.has(id)) return people.get(id)
    return undefined
  }

  /** Their names or rights have changed. */
  async function readPeopleAgain(ids: readonly PersonId[]): Promise<void> {
    const presences = [...rooms].flatMap(([room, people]) =>
      ids.filter((id) => people.has(id)).map((person) => ({ room, person })),
    )
    if (presences.length > 0) take(presences, await present.elsewhere(presences))
  }

  async function readAgain(keys: readonly string[]): Promise<void> {
    const presences = keys.map(presenceIn)
    take(presences, await present.elsewhere(presences))
  }

  async function readAll(): Promise<void> {
    const rows = await present.elsewhere()
    const known = [...rooms].flatMap(([room, people]) =>
      [...people.keys()].map((person) => ({ room, person })),
    )
    take([...known, ...rows.map(({ room, person }) => ({ room, person: person.id }))], rows)
  }

  return {
    came: own.came,
    went(room, person) {
      wentFrom(room, person.id)
      return own.went(room, person)
    },
    catchUp: own.catchUp,
    comeAgain: own.storeAllAgain,
    peopleIn(room) {
      const people = lists.get(room) ?? [...(rooms.get(room)?.values() ?? [])]
      lists.set(room, people)
      return people
    },
    find,
    guestCalled(name) {
      const wanted = skeleton(name)
      for (const people of rooms.values())
        for (const person of people.values())
          if (person.guest && skeleton(person.name) === wanted) return person
      return undefined
    },
    isPresent: (person) => find(person) !== undefined,
    mayComeBack: (room, person) => moving.isNow(keyOf(room, person)),
    rooms: () => [...rooms.keys()],
    serversOf: (quotaKey) => 1 + rowsByServer.servers(quotaKey),
    watch: watchers.watch,
    async begin() {
      news.on('present', readAgain)
      news.on('people', readPeopleAgain)
      await readAll()
    },
    readAll,
  }
}

/** Counts for each person, key and network in how many rooms they are through each other server. */
class RowsByServer {
  /** By place, as `keyOf` says it. */
  private readonly rows = new Map<string, readonly PresentRow[]>()
  private readonly counts = new Map<string, Map<ServerId, number>>()

  servers(quotaKey: string): number {
    return this.counts.get(quotaKey)?.size ?? 0
  }

  /** These are all rows of these places now. */
  replace(places: readonly PersonInRoom[], rows: readonly PresentRow[]): void {
    for (const { room, person } of places) {
      const place = keyOf(room, person)
      for (const row of this.rows.get(place) ?? []) this.count(row, -1)
      this.rows.delete(place)
    }
    for (const row of rows) {
      const place = keyOf(row.room, row.person.id)
      this.rows.set(place, [...(this.rows.get(place) ?? []), row])
      this.count(row, 1)
    }
  }

  private count({ server, person }: PresentRow, by: 1 | -1): void {
    for (const { name } of payersOf(person)) {
      const servers = this.counts.get(name) ?? new Map<ServerId, number>()
      const count = (servers.get(server) ?? 0) + by
      if (count > 0) servers.set(server, count)
      else servers.delete(server)
      if (servers.size > 0) this.counts.set(name, servers)
      else this.counts.delete(name)
    }
  }
}

const keyOf = (room: RoomName, person: PersonId): string => `${person} ${room}`

function presenceIn(key: string): PersonInRoom {
  const [person = '', room = ''] = key.split(' ')
  return { person: person as PersonId, room: room as RoomName }
}
