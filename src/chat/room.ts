import type { Alarm, Clock, Log } from '../base/environment.ts'
import { roleIn } from './access.ts'
import type { Entry, EntryId, NewEntry, Recorded, ReplyDelta, RoomName } from '../words/entry.ts'
import { Refusal, StorageError } from '../words/errors.ts'
import type { Sanctions } from './moderation/sanctions.ts'
import type { Peers } from './peers.ts'
import type { Person, PersonId, Role } from '../words/person.ts'
import type {
  BusEvent,
  EntryLog,
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

export interface Listener extends Partial<Pick<Participant, 'deliver' | 'stream'>> {
  /** Called after people came or went (and any line about it), or remote work or questions changed. */
  peopleChanged?(): void
}

export interface RoomParts {
  readonly entries: EntryLog
  readonly rooms: RoomStore
  readonly people: PeopleStore
  readonly bus: RoomBus
  readonly peers: Peers
  readonly clock: Clock & Alarm
  readonly nextId: () => string
  readonly log: Log
  readonly sanctions: Sanctions
}

export interface RoomLimits extends PresenceLimits {
  readonly members_per_room: number
}

/** A person spoke lately if one of this many last lines is theirs. */
const RECENT_LINES = 200

/** The public members of a room, so that a copy can replace some of them. */
export type Room = Pick<OpenRoom, keyof OpenRoom>

export class OpenRoom {
  readonly name: RoomName
  readonly #parts: RoomParts
  readonly #limits: RoomLimits
  readonly #roster: Roster
  readonly #listeners = new Set<Listener>()
  readonly #presence: PresenceAnnouncer
  /** Participants and listeners: the room is subscribed to the bus while there are any. */
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

  readonly info = async (): Promise<RoomRecord> => {
    const row = await this.#parts.rooms.find(this.name)
    if (!row) throw new StorageError('corrupt', `the room ${this.name} is not in the database any more`)
    return row
  }

  /** Resolves once the entry is stored and delivered. If it rejects with `StorageError`, nobody saw it. */
  readonly record = async <New extends NewEntry>(newEntry: New): Promise<Recorded<New>> => {
    const entry = await this.#appendAndDeliver(newEntry)
    this.#presence.retry()
    return entry
  }

  readonly history = async (query: LogQuery): Promise<readonly Entry[]> => {
    await this.#parts.bus.ready(this.name)
    return await this.#parts.entries.read(this.name, query)
  }

  readonly stream = (delta: Omit<ReplyDelta, 'room'>): void => {
    void this.#parts.bus.publish(this.name, { type: 'delta', delta: { ...delta, room: this.name } })
  }

  /** Shows an entry to some people who are present, with `only` just on this server. Stores nothing. */
  readonly whisper = (people: readonly Person[], newEntry: NewEntry, only?: 'here'): void => {
    if (people.length === 0) return
    const entry = this.#entryOf(newEntry)
    const to = people.map(({ id }) => id)
    if (only) this.#tellSome(to, entry)
    else void this.#parts.bus.publish(this.name, { type: 'whisper', entry, to })
  }

  /** Announces a first participant unless `quietly`. Refuses banned people, and non-admins in a full room. */
  readonly enter = async (participant: Participant, how?: 'quietly'): Promise<void> => {
    const { person } = participant
    const { sanctions, peers } = this.#parts
    const why = sanctions.whyOutOf(this.name, person)
    if (why !== undefined) await this.#refuseUnlessExempt(why, person)
    const limit = this.#limits.members_per_room
    const isFull = !this.#roster.has(person) && this.present().length >= limit
    if (isFull && (await this.roleOf(person)) !== 'admin')
      throw new Refusal(`${this.name} is full: ${limit} of ${limit} people are in it; try again later`)
    const isFirst = !this.#roster.has(person)
    this.#roster.add(participant)
    this.#addReceiver(participant)
    if (isFirst && (await peers.entered(this.name, person)))
      await this.announcePresence({ name: person.name, event: 'joined' }, how)
  }

  readonly leave = async (participant: Participant, how?: 'quietly'): Promise<void> => {
    const { person } = participant
    if (!this.#roster.remove(participant)) return
    this.#removeReceiver(participant)
    if (!this.#roster.has(person) && (await this.#parts.peers.left(this.name, person)))
      await this.announcePresence({ name: person.name, event: 'left' }, how)
  }

  /** Records that somebody has another name, if people here know them and the room is not archived. */
  readonly renamed = async (person: Person, former: string): Promise<void> => {
    this.#roster.sort()
    if (this.#parts.sanctions.isArchived(this.name) || !(await this.#isKnownHere(person, former))) return
    const text = `${former} is called ${person.name} now`
    await this.#appendAndDeliver({ kind: 'notice', level: 'info', author: person.name, text })
    this.#tellPeopleChanged()
  }

  readonly memberChanged = async (person: Person, event: PresenceChange['event']): Promise<void> => {
    if (!this.#roster.has(person)) await this.#presence.announce({ name: person.name, event })
  }

  readonly namesChanged = (): void => {
    this.#roster.sort()
    this.#tellPeopleChanged()
  }

  readonly isHere = (id: PersonId): boolean => this.#roster.has({ id })

  readonly awaits = (id: PersonId): boolean =>
    this.present().some((one) => one.id === id) || this.#parts.peers.mayReturn(this.name, id)

  readonly listen = (listener: Listener): (() => void) => {
    this.#listeners.add(listener)
    this.#addReceiver(listener)
    return () => {
      this.#listeners.delete(listener)
      this.#removeReceiver(listener)
    }
  }

  /** Each person once, in order of name. Cached until somebody comes or goes. */
  readonly present = (): readonly Person[] => this.#roster.people()

  readonly needVoice = (person: Pick<Person, 'id' | 'login'>): void => {
    const why = this.#parts.sanctions.whySilent(this.name, person)
    if (why !== undefined) throw new Refusal(why)
  }

  readonly whyNoWork = (person: Person): Promise<string | undefined> =>
    this.#parts.sanctions.whyNoWork(this.name, person, this.#parts.rooms)

  readonly roleOf = (person: Person): Promise<Role> => roleIn(this.name, person, this.#parts)

  readonly announcePresence = async (change: PresenceChange, how?: 'quietly'): Promise<void> => {
    if (!how) await this.#presence.announce(change)
    this.#tellPeopleChanged()
  }

  /** Records pending comings and goings now. Never rejects. */
  readonly flushPresence = (): Promise<void> => this.#presence.flush()

  /** Bans do not apply to the owner and admins, but nobody enters a room that is being deleted. */
  async #refuseUnlessExempt(why: string, person: Person): Promise<void> {
    const role = this.#parts.sanctions.isGone(this.name) ? 'guest' : await this.roleOf(person)
    if (role !== 'admin' && role !== 'owner') throw new Refusal(why)
  }

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
    for (const receivers of [this.#roster.participants(), [...this.#listeners]])
      for (const one of receivers) this.#tellOne(one, tell)
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

  #tellOne(one: Listener, tell: (one: Listener) => void): void {
    try {
      tell(one)
    } catch (error) {
      this.#parts.log.error({ error, room: this.name }, 'a participant threw')
    }
  }

  async #isKnownHere({ id }: Person, called: string): Promise<boolean> {
    const { rooms, entries } = this.#parts
    if (this.present().some((one) => one.id === id) || (await rooms.membership(this.name, id))) return true
    const query = { limit: RECENT_LINES, kinds: ['message', 'action', 'notice'] } as const
    return (await entries.read(this.name, query)).some(({ author }) => author === called)
  }
}
