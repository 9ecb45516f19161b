import type { RoomName } from '../../../chat/entry.ts'
import type { PersonId } from '../../../chat/person.ts'
import type { Membership, PeopleStore, RoomRecord, RoomStore } from '../../../chat/ports.ts'
import type { Json } from '../../../lib/json.ts'
import { byText, missing, stored } from './table.ts'

interface KnownRoom {
  record: RoomRecord
  readonly members: Map<PersonId, Membership>
  readonly values: Map<string, Json>
}

/** Rooms, members and key-values in maps. */
export function createMemoryRooms(people: PeopleStore): Omit<RoomStore, 'fork'> {
  const rooms = new Map<RoomName, KnownRoom>()
  const existing = (name: RoomName): KnownRoom => {
    const room = rooms.get(name)
    if (!room) throw missing(`room ${name}`)
    return room
  }
  const requirePerson = async (id: PersonId): Promise<void> => {
    if (!(await people.byId(id))) throw missing(`person ${id}`)
  }
  return {
    all: async () =>
      [...rooms.values()].map((room) => room.record).toSorted((a, b) => byText(a.name, b.name)),
    find: async (name) => rooms.get(name)?.record,
    async create(record) {
      if (record.owner !== null) await requirePerson(record.owner)
      if (rooms.has(record.name)) return false
      const members = new Map(record.owner === null ? [] : [[record.owner, 'owner' as const]])
      rooms.set(record.name, { record: { ...record }, members, values: new Map() })
      return true
    },
    async update(name, { topic, vibe }) {
      const room = rooms.get(name)
      if (!room) return
      room.record = { ...room.record, topic: topic ?? room.record.topic, vibe: vibe ?? room.record.vibe }
    },
    membership: async (name, person) => rooms.get(name)?.members.get(person),
    async setMembership(name, person, membership) {
      if (membership === null) rooms.get(name)?.members.delete(person)
      else {
        await requirePerson(person)
        existing(name).members.set(person, membership)
      }
    },
    async members(name) {
      const members = [...(rooms.get(name)?.members ?? [])].map(async ([id, membership]) => {
        const person = await people.byId(id)
        return person ? [{ person, membership }] : []
      })
      return (await Promise.all(members)).flat().toSorted((a, b) => byText(a.person.name, b.person.name))
    },
    async getValue(name, key) {
      const value = rooms.get(name)?.values.get(key)
      return value === undefined ? undefined : stored(value)
    },
    async setValue(name, key, value) {
      if (value === undefined) rooms.get(name)?.values.delete(key)
      else existing(name).values.set(key, stored(value))
    },
    values: async (name) =>
      new Map(stored([...(rooms.get(name)?.values ?? [])]).toSorted(([a], [b]) => byText(a, b))),
  }
}
