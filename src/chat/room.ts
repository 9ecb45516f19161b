import { SYSTEM } from './names.ts'
import type { Entry, EntryDraft, EntryId, PresenceEntry, ReplyDelta, RoomName } from './entry.ts'
import type { Person, Role } from './person.ts'
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
import { Refusal, StorageError } from './errors.ts'
import { createPresent } from './present.ts'

/** Somebody who hears a room without being present in it. */
export type Listener = Pick<Participant, 'deliver' | 'stream'>

/** A room: a log whose entries are delivered, and the people in it. */
export interface Room {
  readonly name: RoomName
  /** The room's row, as it is now. Rejects with `StorageError`. */
  info(): Promise<RoomRecord>
  /**
   * Gives the draft an id and a time, appends it to the log, then delivers it to all present, in order.
   * Resolves when it is on disk and was delivered. If it rejects, with `StorageError`, nobody saw it.
   */
  record(draft: EntryDraft): Promise<Entry>
  /** Delivers a piece of a reply to those present; nothing is stored. */
  stream(delta: Omit<ReplyDelta, 'room'>): void
  /**
   * Adds somebody; the first participant of a person is announced, where that can be stored. Rejects with `Refusal` where
   * that person would be one too many.
   */
  enter(participant: Participant): Promise<void>
  /** Takes somebody away; the last participant of a person is announced, likewise. */
  leave(participant: Participant): Promise<void>
  /** Hears everything without being present: a script that waits for an answer. Returns the function that ends it. */
  listen(listener: Listener): () => void
  /** Each person once, in order of name. The list is kept, so asking costs nothing. */
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

/** The keys of `[limits]` that concern one room. */
export interface RoomLimits {
  /** How many people may be present at once. */
  readonly members_per_room: number
}

/** The room called `name`. A process makes one object for each room, and the log has the order of its `record` calls. */
export function createRoom(name: RoomName, parts: RoomParts, limits: RoomLimits): Room {
  const here = createPresent()
  const listeners = new Set<Listener>()
  const record = recorder(name, parts)

  // Lasts as long as the process: a room without anybody in it costs one entry in the bus's table.
  parts.bus.subscribe(name, (event) =>
    tellAll((one) => (event.type === 'entry' ? one.deliver(event.entry) : one.stream?.(event.delta))),
  )

  /** A participant that throws must not keep the others from hearing. */
  function tellAll(tell: (one: Listener) => void): void {
    for (const hearers of [here.participants(), [...listeners]]) for (const one of hearers) tellOne(one, tell)
  }

  function tellOne(one: Listener, tell: (one: Listener) => void): void {
    try {
      tell(one)
    } catch (error) {
      parts.log.error({ error, room: name }, 'a participant threw')
    }
  }

  /** People come and go also while nothing can be stored; then the others are not told. */
  async function announce(draft: EntryDraft): Promise<void> {
    try {
      await record(draft)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      parts.log.warn({ error, reason: error.reason, room: name }, 'a coming or going was not stored')
    }
  }

  return {
    name,
    record,
    stream: (delta) => parts.bus.publish(name, { type: 'delta', delta: { ...delta, room: name } }),
    async info() {
      const row = await parts.rooms.find(name)
      if (!row) throw new StorageError('corrupt', `the room ${name} is not in the database any more`)
      return row
    },
    async enter(participant) {
      const { person } = participant
      const isFirst = !here.has(person)
      if (isFirst && here.people().length >= limits.members_per_room)
        throw new Refusal(fullRoom(name, limits.members_per_room))
      here.add(participant)
      if (isFirst) await announce(presenceOf('joined', person))
    },
    async leave(participant) {
      const { person } = participant
      if (here.remove(participant) && !here.has(person)) await announce(presenceOf('left', person))
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    present: () => here.people(),
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
    const delivered = Promise.all([stored, lastDelivery]).then(() =>
      bus.publish(room, { type: 'entry', entry }),
    )
    lastDelivery = delivered.catch(() => {})
    await delivered
    return entry
  }
}

const fullRoom = (name: RoomName, limit: number): string =>
  `${name} is full: ${limit} of ${limit} people are in it; try again later`

const presenceOf = (event: PresenceEntry['event'], person: Person): EntryDraft => ({
  kind: 'presence',
  author: SYSTEM,
  event,
  text: `${person.name} ${event}`,
})

async function roleIn(room: RoomName, person: Person, { rooms, people }: RoomParts): Promise<Role> {
  if (person.guest) return 'guest'
  // The store is asked each time, because a person may become an admin while their session lasts.
  const now = await people.byId(person.id)
  if (now?.admin) return 'admin'
  const membership = await rooms.membership(room, person.id)
  return membership === 'owner' || membership === 'op' ? membership : 'member'
}
