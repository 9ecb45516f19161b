import type { PeopleStore, RoomStore } from '../../../chat/ports.ts'
import type { Grant, GrantStore } from '../../../approvals/ports.ts'
import { missing } from './table.ts'

/** Standing permissions in a list, in order of id within a room. */
export function createMemoryGrants(rooms: RoomStore, people: PeopleStore): GrantStore {
  let grants: readonly Grant[] = []
  const holding = (at: number): readonly Grant[] =>
    grants.filter(({ until }) => until === undefined || until > at)
  return {
    async put(given) {
      if (!(await rooms.find(given.room))) throw missing(`room ${given.room}`)
      if (!(await people.byId(given.person))) throw missing(`person ${given.person}`)
      const others = grants.filter((one) => one.room !== given.room)
      const here = holding(given.at).filter((one) => one.room === given.room)
      const id = here.find((one) => sameThing(one, given))?.id ?? (here.at(-1)?.id ?? 0) + 1
      const grant: Grant = { ...given, id }
      const kept = here.filter((one) => one.id !== id)
      grants = [...others, ...[...kept, grant].toSorted((a, b) => a.id - b.id)]
      return grant
    },
    find: async ({ at, ...what }) => holding(at).find((one) => sameThing(one, what)),
    list: async (room, at) => holding(at).filter((one) => one.room === room),
    async remove(room, id) {
      const left = grants.filter((one) => one.room !== room || one.id !== id)
      const found = left.length < grants.length
      grants = left
      return found
    },
  }
}

type Thing = Pick<Grant, 'room' | 'person' | 'tool' | 'target'>

const sameThing = (a: Thing, b: Thing): boolean =>
  a.room === b.room && a.person === b.person && a.tool === b.tool && a.target === b.target
