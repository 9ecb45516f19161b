import { SYSTEM } from './names.ts'
import type { Entry, EntryDraft, EntryId, PresenceEntry, ReplyDelta, RoomName } from './entry.ts'
import type { Person, PersonId, Role } from './person.ts'
import type {
  Clock,
  EntryLog,
  Log,
  Participant,
  PeopleStore,
  RoomBus,
  RoomRecord,
  RoomStore,
} from './ports.ts'
import { StorageError } from './errors.ts'

/** Somebody who hears a room without being present in it. */
export type Listener = Pick<Participant, 'deliver' | 'stream'>

/** A room as everything else sees it: a log that delivers, and the people in it. */
export interface Room {
  readonly name: RoomName
  /** The room's row, as it is now. Rejects with `StorageError`. */
  info(): Promise<RoomRecord>
  /**
   * Gives the draft an id and a time, appends it to the log, then delivers it to all present, in order.
   * Resolves when it is on disk and was delivered; rejects with `StorageError` and then nobody saw it.
   */
  record(draft: EntryDraft): Promise<Entry>
  /** Shows a piece of a reply to those present; nothing is stored. */
  stream(delta: Omit<ReplyDelta, 'room'>): void
  /** Adds somebody; the first participant of a person is announced. */
  enter(participant: Participant): Promise<void>
  /** Takes somebody away; the last participant of a person is announced. */
  leave(participant: Participant): Promise<void>
  /** Hears everything without being present: a script that waits for an answer. Returns the function that ends it. */
  listen(listener: Listener): () => void
  /** Each person once, in order of name. */
  present(): readonly Person[]
  /** What this person may do here, by server, room and membership. Rejects with `StorageError`. */
  roleOf(person: Person): Promise<Role>
}

/** What a room is made of; every room of a server shares them. */
export interface RoomParts {
  readonly entries: EntryLog
  readonly rooms: RoomStore
  readonly people: PeopleStore
  readonly bus: RoomBus
  readonly clock: Clock
  /** Ids that sort in time order. */
  readonly nextId: () => string
  readonly log: Log
}

/** The room called `name`. One process makes one object a room: its order is the order of `record` calls. */
export function createRoom(name: RoomName, parts: RoomParts): Room {
  const here = new Map<PersonId, Set<Participant>>()
  const listeners = new Set<Listener>()
  const record = recorder(name, parts)

  parts.bus.subscribe((event) => {
    if (event.type === 'entry' && event.entry.room === name) {
      tellAll((one) => one.deliver(event.entry))
    }
    if (event.type === 'delta' && event.delta.room === name) {
      tellAll((one) => one.stream?.(event.delta))
    }
  })

  /** One that throws must not keep the others from hearing. */
  function tellAll(tell: (one: Listener) => void): void {
    for (const one of [...[...here.values()].flatMap((screens) => [...screens]), ...listeners]) {
      try {
        tell(one)
      } catch (error) {
        parts.log.error({ error, room: name }, 'a participant threw')
      }
    }
  }

  return {
    name,
    record,
    stream: (delta) => parts.bus.publish({ type: 'delta', delta: { ...delta, room: name } }),
    async info() {
      const row = await parts.rooms.find(name)
      if (!row) throw new StorageError('corrupt', `the room ${name} is not in the database any more`)
      return row
    },
    async enter(participant) {
      const { person } = participant
      const screens = here.get(person.id)
      if (screens) return void screens.add(participant)
      here.set(person.id, new Set([participant]))
      await record(presence('joined', person))
    },
    async leave(participant) {
      const { person } = participant
      const screens = here.get(person.id)
      if (!screens?.delete(participant) || screens.size > 0) return
      here.delete(person.id)
      await record(presence('left', person))
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    present: () => [...here.values()].map(personOf).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    roleOf: (person) => roleIn(name, person, parts),
  }
}

/**
 * Appends start at once, so that the store can commit many together; deliveries wait for each other,
 * so that everybody sees the order of the log.
 */
function recorder(room: RoomName, { entries, bus, clock, nextId }: RoomParts): Room['record'] {
  let lastDelivery: Promise<unknown> = Promise.resolve()
  return async (draft) => {
    const entry: Entry = { ...draft, id: nextId() as EntryId, at: clock.now(), room }
    const stored = entries.append(entry)
    const delivered = Promise.all([stored, lastDelivery]).then(() => bus.publish({ type: 'entry', entry }))
    lastDelivery = delivered.catch(() => {})
    await delivered
    return entry
  }
}

const personOf = (screens: Set<Participant>): Person => [...screens][0]!.person

const presence = (event: PresenceEntry['event'], person: Person): EntryDraft => ({
  kind: 'presence',
  author: SYSTEM,
  event,
  text: `${person.name} ${event}`,
})

async function roleIn(room: RoomName, person: Person, { rooms, people }: RoomParts): Promise<Role> {
  if (person.guest) return 'guest'
  // Asked of the store each time: a session outlives a claim.
  const now = await people.byId(person.id)
  if (now?.admin) return 'admin'
  const membership = await rooms.membership(room, person.id)
  return membership === 'owner' || membership === 'op' ? membership : 'member'
}
