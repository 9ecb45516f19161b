import { refuseBanned, refuseLate, roleIn } from './access.ts'
import type { Entry, EntryId, NewEntry, Recorded, ReplyDelta, RoomName } from './entry.ts'
import { Refusal, StorageError } from './errors.ts'
import type { Sanctions } from './moderation/sanctions.ts'
import type { Peers } from './peers.ts'
import type { Person, PersonId, Role } from './people/person.ts'
import type {
  Alarm,
  BusEvent,
  Clock,
  EntryLog,
  Log,
  LogQuery,
  Participant,
  PeopleStore,
  RoomBus,
  RoomRecord,
  RoomStore,
} from './ports.ts'
import { PresenceAnnouncer, type PresenceLimits } from './presence/presence.ts'
import { Roster } from './presence/roster.ts'
import type { PresenceChange } from './presence/tally.ts'

/** Somebody who hears a room without being present in it. */
export interface Listener extends Partial<Pick<Participant, 'deliver' | 'stream'>> {
  /**
   * Somebody came or went, with or without a line that says so, which is delivered before. Also called after work or
   * questions of other servers changed.
   */
  peopleChanged?(): void
}

/** The parts that all rooms of a server share. */
export interface RoomParts {
  readonly entries: EntryLog
  readonly rooms: RoomStore
  readonly people: PeopleStore
  readonly bus: RoomBus
  readonly peers: Pick<Peers, 'entered' | 'left' | 'peopleIn' | 'find' | 'mayReturn' | 'rooms' | 'watch'>
  readonly clock: Clock & Alarm
  /** Ids that sort in time order. */
  readonly nextId: () => string
  readonly log: Log
  readonly sanctions: Pick<Sanctions, 'whyOutOf' | 'whySilent' | 'whyNoWork' | 'isGone' | 'isArchived'>
}

/** The keys of `[limits]` that concern one room. */
export interface RoomLimits extends PresenceLimits {
  /** How many people may be present at once. */
  readonly members_per_room: number
}

/** A person has spoken lately if one of this many last lines is theirs. */
const RECENT_LINES = 200

/** A room without its private fields: so one that wraps another can do some things in its own way. */
export type Room = Pick<OpenRoom, keyof OpenRoom>

/**
 * A log whose entries are delivered, and the people in it. A process makes one object for each room. The public parts
 * are fields, so that a wrapping room can be a copy with some of them replaced.
 */
export class OpenRoom {
  readonly name: RoomName
  readonly #parts: RoomParts
  readonly #limits: RoomLimits
  readonly #roster: Roster
  readonly #listeners = new Set<Listener>()
  readonly #presence: PresenceAnnouncer
  /** Participants and listeners. The room is subscribed to the bus while there are any. */
  readonly #receivers = new Set<object>()
  #unsubscribe: (() => void) | undefined
  /** Deliveries wait for each other, so that everybody sees the order of the log. */
  #lastDelivery: Promise<unknown> = Promise.resolve()

  constructor(name: RoomName, parts: RoomParts, limits: RoomLimits) {
    this.name = name
    this.#parts = parts
    this.#limits = limits
    this.#roster = new Roster(() => parts.peers.peopleIn(name))
    this.#presence = new PresenceAnnouncer(
      (draft) => this.#appendAndDeliver(draft),
      limits,
      parts.clock,
      parts.log,
    )
  }

  /** The room's present row. Rejects with `StorageError`. */
  readonly info = async (): Promise<RoomRecord> => {
    const row = await this.#parts.rooms.find(this.name)
    if (!row) throw new StorageError('corrupt', `the room ${this.name} is not in the database any more`)
    return row
  }

  /**
   * Gives the entry an id and a time, appends it to the log, then delivers it to all present, in order.
   * Resolves when it is on disk and was delivered. If it rejects, with `StorageError`, nobody saw it.
   */
  readonly record = async <New extends NewEntry>(newEntry: New): Promise<Recorded<New>> => {
    const entry = await this.#appendAndDeliver(newEntry)
    this.#presence.retry()
    return entry
  }

  /** Recorded entries, oldest first. Rejects with `StorageError`. */
  readonly history = async (query: LogQuery): Promise<readonly Entry[]> => {
    await this.#parts.bus.ready(this.name)
    return await this.#parts.entries.read(this.name, query)
  }

  /** Delivers a piece of a reply to those present; nothing is stored. */
  readonly stream = (delta: Omit<ReplyDelta, 'room'>): void => {
    void this.#parts.bus.publish(this.name, { type: 'delta', delta: { ...delta, room: this.name } })
  }

  /** Tells some of those present, through any server or, without the bus, this one alone; nothing is stored. */
  readonly whisper = (people: readonly Person[], newEntry: NewEntry, only?: 'here'): void => {
    if (people.length === 0) return
    const entry = this.#entryOf(newEntry)
    const to = people.map(({ id }) => id)
    if (only) this.#tellSome(to, entry)
    else void this.#parts.bus.publish(this.name, { type: 'whisper', entry, to })
  }

  /**
   * Adds somebody; the first participant of a person is announced. Rejects with `Refusal` for a banned person and for
   * one too many. Admins are let in anyway, since they may have to put something right, and the owner is never banned.
   */
  readonly enter = async (participant: Participant): Promise<void> => {
    const { person } = participant
    const { sanctions, peers } = this.#parts
    const why = sanctions.whyOutOf(this.name, person)
    if (why !== undefined) await refuseBanned(why, this.name, person, this.#parts)
    const limit = this.#limits.members_per_room
    const isFull = !this.#roster.has(person) && this.present().length >= limit
    if (isFull) await refuseLate(limit, this.name, person, this.#parts)
    const isFirst = !this.#roster.has(person)
    this.#roster.add(participant)
    this.#addReceiver(participant)
    if (isFirst && (await peers.entered(this.name, person)))
      await this.announcePresence({ name: person.name, event: 'joined' })
  }

  /** Takes somebody away; the last participant of a person is announced. */
  readonly leave = async (participant: Participant): Promise<void> => {
    const { person } = participant
    if (!this.#roster.remove(participant)) return
    this.#removeReceiver(participant)
    if (!this.#roster.has(person) && (await this.#parts.peers.left(this.name, person)))
      await this.announcePresence({ name: person.name, event: 'left' })
  }

  /**
   * Somebody has another name. An entry says so if they are present or a member, or spoke lately; nobody speaks in an
   * archived room. Rejects with `StorageError`, and then only the entry is missing.
   */
  readonly renamed = async (person: Person, former: string): Promise<void> => {
    this.#roster.sort()
    if (this.#parts.sanctions.isArchived(this.name) || !(await this.#isKnownHere(person, former))) return
    const text = `${former} is called ${person.name} now`
    await this.#appendAndDeliver({ kind: 'notice', level: 'info', author: person.name, text })
    this.#tellPeopleChanged()
  }

  /** Announces that a person who is not present became a member, or is none any more, as their coming or going. */
  readonly memberChanged = async (person: Person, event: PresenceChange['event']): Promise<void> => {
    if (!this.#roster.has(person)) await this.#presence.announce({ name: person.name, event })
  }

  /** Somebody who may be here has another name, which was told already. */
  readonly namesChanged = (): void => {
    this.#roster.sort()
    this.#tellPeopleChanged()
  }

  /** True if the person is here through this server. */
  readonly isHere = (id: PersonId): boolean => this.#roster.has({ id })

  /**
   * True if a person is present, or left a moment ago and may be on their way to another server: then `peopleChanged` is
   * called when that moment is over.
   */
  readonly awaits = (id: PersonId): boolean =>
    this.present().some((one) => one.id === id) || this.#parts.peers.mayReturn(this.name, id)

  /** Hears everything without being present. Returns the function that ends it. */
  readonly listen = (listener: Listener): (() => void) => {
    this.#listeners.add(listener)
    this.#addReceiver(listener)
    return () => {
      this.#listeners.delete(listener)
      this.#removeReceiver(listener)
    }
  }

  /** Each person once, in order of name. The list is kept, so asking costs nothing. */
  readonly present = (): readonly Person[] => this.#roster.people()

  /** Throws `Refusal` if nothing that this person does may become an entry or ask a model. */
  readonly needVoice = (person: Pick<Person, 'id' | 'login'>): void => {
    const why = this.#parts.sanctions.whySilent(this.name, person)
    if (why !== undefined) throw new Refusal(why)
  }

  /** Why work for this person here must end (moderation/sanctions.ts). Rejects with `StorageError`. */
  readonly whyNoWork = (person: Person): Promise<string | undefined> =>
    this.#parts.sanctions.whyNoWork(this.name, person, this.#parts.rooms)

  /** The person's role by server, room and membership. Rejects with `StorageError`. */
  readonly roleOf = (person: Person): Promise<Role> => roleIn(this.name, person, this.#parts)

  /** Announces a coming or going that no participant of this server made. Never rejects. */
  readonly announcePresence = async (change: PresenceChange): Promise<void> => {
    await this.#presence.announce(change)
    this.#tellPeopleChanged()
  }

  /** Records now the sum of the comings and goings that were not announced yet. Never rejects. */
  readonly flushPresence = (): Promise<void> => this.#presence.flush()

  /** Appends start at once, so that the store can commit many together. */
  async #appendAndDeliver<New extends NewEntry>(newEntry: New): Promise<Recorded<New>> {
    const { entries, bus } = this.#parts
    const written = this.#entryOf(newEntry)
    const stored = entries.append(written)
    const delivered = Promise.all([stored, this.#lastDelivery]).then(async ([{ id, after }]) => {
      const entry = id === written.id ? written : { ...written, id }
      await bus.publish(this.name, { type: 'entry', entry, ...(after !== undefined && { after }) })
      return entry
    })
    this.#lastDelivery = delivered.catch(() => {})
    return await delivered
  }

  #entryOf<New extends NewEntry>(newEntry: New) {
    const { nextId, clock } = this.#parts
    return { ...newEntry, id: nextId() as EntryId, at: clock.now(), room: this.name }
  }

  #addReceiver(receiver: object): void {
    this.#receivers.add(receiver)
    this.#unsubscribe ??= this.#subscribe()
  }

  #removeReceiver(receiver: object): void {
    this.#receivers.delete(receiver)
    if (this.#receivers.size > 0) return
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
  }

  #subscribe(): () => void {
    const { bus, peers } = this.#parts
    const ends = [
      bus.subscribe(this.name, (event) => this.#hear(event)),
      peers.watch(this.name, () => this.#tellPeopleChanged()),
    ]
    return () => ends.forEach((end) => end())
  }

  #hear(event: BusEvent): void {
    if (event.type === 'entry') this.#tellAll((one) => one.deliver?.(event.entry))
    else if (event.type === 'delta') this.#tellAll((one) => one.stream?.(event.delta))
    else this.#tellSome(event.to, event.entry)
  }

  #tellAll(tell: (one: Listener) => void): void {
    for (const hearers of [this.#roster.participants(), [...this.#listeners]])
      for (const one of hearers) this.#tellOne(one, tell)
  }

  #tellSome(to: readonly PersonId[], entry: Entry): void {
    const ids = new Set(to)
    for (const one of this.#roster.participants())
      if (ids.has(one.person.id))
        this.#tellOne(one, () => (one.whisper ? one.whisper(entry) : one.deliver(entry)))
  }

  #tellPeopleChanged(): void {
    for (const one of [...this.#listeners]) this.#tellOne(one, () => one.peopleChanged?.())
  }

  /** A participant that throws must not keep the others from hearing. */
  #tellOne(one: Listener, tell: (one: Listener) => void): void {
    try {
      tell(one)
    } catch (error) {
      this.#parts.log.error({ error, room: this.name }, 'a participant threw')
    }
  }

  /** True if people who are here know somebody under a name. */
  async #isKnownHere({ id }: Person, called: string): Promise<boolean> {
    const { rooms, entries } = this.#parts
    if (this.present().some((one) => one.id === id) || (await rooms.membership(this.name, id))) return true
    const query = { limit: RECENT_LINES, kinds: ['message', 'action', 'notice'] } as const
    return (await entries.read(this.name, query)).some(({ author }) => author === called)
  }
}
