import { createDeferred, type Deferred } from '../base/jobs/waiting.ts'
import { nextInLine } from '../base/jobs/serial.ts'
import type { RoomName } from '../words/entry.ts'
import type { PersonId } from '../words/person.ts'
import type { Peers, Questions, SlotLimits, Slots } from './peers.ts'

const NOBODY = [] as const

/** The peers of a server that has its database to itself. Keeps queues and question numbers in memory. */
export const createLocalPeers = (): Peers => ({
  entered: async () => true,
  left: async () => true,
  peopleIn: () => NOBODY,
  find: () => undefined,
  findGuest: () => undefined,
  mayReturn: () => false,
  rooms: () => NOBODY,
  serversOf: () => 1,
  broadcast: async () => {},
  upToDate: () => undefined,
  problems: () => NOBODY,
  watch: () => () => {},
  closeRoom: async () => true,
  openRoom: async () => {},
  slots: createSlots(),
  questions: createQuestions(),
})

interface Place extends Deferred<void> {
  readonly owner: PersonId
}

/** Runs work in the order of requests, except that people without running work go first. */
function createSlots(): Slots {
  const queues = new Map<string, { readonly running: Set<Place>; readonly waiting: Set<Place> }>()

  return {
    async take(work, limits) {
      const queue = queues.get(work.queue) ?? { running: new Set(), waiting: new Set() }
      const { running, waiting } = queue
      const place = { ...createDeferred<void>(), owner: work.person }
      const begin = (one: Place): void => {
        waiting.delete(one)
        running.add(one)
        one.resolve()
      }
      const max: SlotLimits = limits()
      if (running.size < max.running) begin(place)
      else if (waiting.size < max.waiting) waiting.add(place)
      else return { running: running.size, waiting: waiting.size }
      queues.set(work.queue, queue)
      return {
        ready: place.promise,
        giveUp() {
          if (waiting.delete(place)) place.resolve()
        },
        async leave() {
          if (!waiting.delete(place) && !running.delete(place)) return
          const next = running.size < limits().running ? nextInLine(running, waiting) : undefined
          if (next) begin(next)
          if (running.size === 0) queues.delete(work.queue)
        },
        report() {},
      }
    },
    others: () => NOBODY,
    stop: async () => {},
  }
}

function createQuestions(): Questions {
  const rooms = new Map<RoomName, { lastNumber: number; readonly open: Map<number, PersonId> }>()
  return {
    async open({ room, person }, mayOpen) {
      const page = rooms.get(room) ?? { lastNumber: 0, open: new Map<number, PersonId>() }
      rooms.set(room, page)
      const own = [...page.open.values()].filter((id) => id === person).length
      const counts = { open: page.open.size, own }
      if (!mayOpen(counts)) return counts
      page.open.set(++page.lastNumber, person)
      return page.lastNumber
    },
    close: async ({ room, number }) => (rooms.get(room)?.open.delete(number) ? 'closed' : 'gone'),
    answer: async () => false,
    others: () => NOBODY,
  }
}
