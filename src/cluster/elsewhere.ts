import type { RoomName } from '../chat/entry.ts'
import type { Person, PersonId } from '../chat/people/person.ts'
import type { Log } from '../chat/ports.ts'
import type { Elsewhere } from '../chat/presence/elsewhere.ts'
import { createOwnPlaces, type OwnPlaces } from './own-places.ts'
import { skeleton } from '../lib/text/skeleton.ts'
import type { ClusterStores, PersonInRoom, PresentRow } from './ports.ts'
import { createRoomWatchers } from './room-watchers.ts'

/** Who is in the rooms through which server, kept as the database has it. */
export interface SharedPresence extends Elsewhere, Pick<OwnPlaces, 'catchUp'> {
  /** Reads who is there through others, and follows that. Rejects with `StorageError`. */
  begin(): Promise<void>
  /** Others took this server for dead: its people come in again with the next `catchUp`. */
  comeAgain(): void
}

export function createSharedPresence(
  { present, news }: Pick<ClusterStores, 'present' | 'news'>,
  log: Pick<Log, 'warn'>,
): SharedPresence {
  const rooms = new Map<RoomName, ReadonlyMap<PersonId, Person>>()
  const lists = new Map<RoomName, readonly Person[]>()
  const watchers = createRoomWatchers()
  const own = createOwnPlaces(present, log)

  /** Who has one more place, or one less, is who is there now: what was known before does not matter. */
  function take(places: readonly PersonInRoom[], rows: readonly PresentRow[]): void {
    const there = new Map(rows.map(({ room, person }) => [keyOf(room, person.id), person]))
    const changed = new Set(places.map(({ room }) => room))
    for (const { room, person } of places) put(room, person, there.get(keyOf(room, person)))
    for (const room of changed) {
      lists.delete(room)
      watchers.tell(room)
    }
  }

  function put(room: RoomName, id: PersonId, person: Person | undefined): void {
    const people = new Map(rooms.get(room))
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
    const places = [...rooms].flatMap(([room, people]) =>
      ids.filter((id) => people.has(id)).map((person) => ({ room, person })),
    )
    if (places.length > 0) take(places, await present.elsewhere(places))
  }

  async function readAgain(keys: readonly string[]): Promise<void> {
    const places = keys.map(placeIn)
    take(places, await present.elsewhere(places))
  }

  return {
    came: own.came,
    went: own.went,
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
    watch: watchers.watch,
    async begin() {
      news.on('present', readAgain)
      news.on('people', readPeopleAgain)
      const rows = await present.elsewhere()
      take(
        rows.map(({ room, person }) => ({ room, person: person.id })),
        rows,
      )
    },
  }
}

const keyOf = (room: RoomName, person: PersonId): string => `${person} ${room}`

function placeIn(key: string): PersonInRoom {
  const [person = '', room = ''] = key.split(' ')
  return { person: person as PersonId, room: room as RoomName }
}
