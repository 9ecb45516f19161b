import type { Entry, NewEntry, Recorded, ReplyDelta, RoomName } from './entry.ts'
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
import { Refusal, StorageError } from './errors.ts'
import type { Peers } from './peers.ts'
import type { Sanctions } from './moderation/sanctions.ts'
import { createHearing } from './hearing.ts'
import { createRecorder, entryOf } from './recorder.ts'
import { refuseBanned, refuseLate, roleIn } from './access.ts'
import { PresenceAnnouncer, type PresenceLimits } from './presence/presence.ts'
import { Roster } from './presence/roster.ts'
import type { PresenceChange } from './presence/tally.ts'

/** Somebody who hears a room without being present in it. */
export interface Listener extends Partial<Pick<Participant, 'deliver' | 'stream'>> {
  /**
   * Somebody came or went: told after the line that says so, and also where no line does (chat/presence/presence.ts). Also
   * told when work or questions of other servers changed.
   */
  peopleChanged?(): void
}

/** A room: a log whose entries are delivered, and the people in it. */
export interface Room {
  readonly name: RoomName
  /** The room's row, as it is now. Rejects with `StorageError`. */
  info(): Promise<RoomRecord>
  /**
   * Gives the entry an id and a time, appends it to the log, then delivers it to all present, in order.
   * Resolves when it is on disk and was delivered. If it rejects, with `StorageError`, nobody saw it.
   */
  record<New extends NewEntry>(newEntry: New): Promise<Recorded<New>>
  /** What was recorded here, oldest first. Rejects with `StorageError`. */
  history(query: LogQuery): Promise<readonly Entry[]>
  /** Delivers a piece of a reply to those present; nothing is stored. */
  stream(delta: Omit<ReplyDelta, 'room'>): void
  /** Tells some of those who are present, through any server, or through this one, which takes no bus, and nobody else; nothing is stored. */
  whisper(people: readonly Person[], newEntry: NewEntry, only?: 'here'): void
  /**
   * Adds somebody; the first participant of a person is announced, as soon as that can be stored. Many who come and
   * go are summed up in one line (chat/presence/presence.ts). Rejects with `Refusal` for somebody who is banned, or
   * would be one too many; admins are let in anyway, since they may have to put something right, and the owner is never banned.
   */
  enter(participant: Participant): Promise<void>
  /** Takes somebody away; the last participant of a person is announced, likewise. */
  leave(participant: Participant): Promise<void>
  /**
   * Somebody has another name than before. Where they are present or a member, or spoke lately, an entry says it, so that whoever
   * knows the former name knows the new one; nobody speaks in an archived room. Rejects with `StorageError`, and then only the
   * entry is missing.
   */
  renamed(person: Person, former: string): Promise<void>
  /**
   * Somebody who is not present became a member, or is none any more: told as their coming and going is, and in the same
   * measure.
   */
  memberChanged(person: Person, event: PresenceChange['event']): Promise<void>
  /** Somebody who may be here has another name, which was told already. */
  namesChanged(): void
  /** Whether somebody is here through this server. */
  isHere(person: PersonId): boolean
  /**
   * Whether somebody is present, or went a moment ago and may be on their way to another server: then `peopleChanged` tells when that
   * moment is over.
   */
  awaits(person: PersonId): boolean
  /** Hears everything without being present: a script that waits for an answer. Returns the function that ends it. */
  listen(listener: Listener): () => void
  /** Each person once, in order of name. The list is kept, so asking costs nothing. */
  present(): readonly Person[]
  /** Throws `Refusal` where this person may not speak here: nothing that they do may become an entry or ask a model. */
  needVoice(person: Pick<Person, 'id' | 'login'>): void
  /** Why what works for this person here must end (moderation/sanctions.ts). Rejects with `StorageError`. */
  whyNoWork(person: Person): Promise<string | undefined>
  /** What this person may do here, by server, room and membership. Rejects with `StorageError`. */
  roleOf(person: Person): Promise<Role>
  /** Announces a coming or going that no participant of this server made. Never rejects. */
  announcePresence(change: PresenceChange): Promise<void>
  /** Records now the sum of the comings and goings that were not announced yet. Never rejects. */
  flushPresence(): Promise<void>
}

/** What a room is made of; every room of a server shares them. */
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
  /** Who may not come in, and who may not speak. */
  readonly sanctions: Pick<Sanctions, 'whyOutOf' | 'whySilent' | 'whyNoWork' | 'isGone' | 'isArchived'>
}

/** The keys of `[limits]` that concern one room. */
export interface RoomLimits extends PresenceLimits {
  /** How many people may be present at once. */
  readonly members_per_room: number
}

/** So many lines back somebody spoke lately. */
const LATELY = 200

/** The room called `name`. A process makes one object for each room, and the log has the order of its `record` calls. */
export function createRoom(name: RoomName, parts: RoomParts, limits: RoomLimits): Room {
  const { entries: store, bus, peers } = parts
  const here = new Roster(() => peers.peopleIn(name))
  const listeners = new Set<Listener>()
  const record = createRecorder(name, parts)
  const presence = new PresenceAnnouncer(record, limits, parts.clock, parts.log)

  const hearing = createHearing(() => {
    const ends = [bus.subscribe(name, hear), peers.watch(name, tellPeopleChanged)]
    return () => ends.forEach((end) => end())
  })

  function hear(event: BusEvent): void {
    if (event.type === 'entry') tellAll((one) => one.deliver?.(event.entry))
    else if (event.type === 'delta') tellAll((one) => one.stream?.(event.delta))
    else tellSome(event.to, event.entry)
  }

  function tellSome(to: readonly PersonId[], entry: Entry): void {
    const ids = new Set(to)
    for (const one of here.participants())
      if (ids.has(one.person.id)) tellOne(one, () => (one.whisper ? one.whisper(entry) : one.deliver(entry)))
  }

  const isFull = (): boolean => here.people().length >= limits.members_per_room

  /** A participant that throws must not keep the others from hearing. */
  function tellAll(tell: (one: Listener) => void): void {
    for (const hearers of [here.participants(), [...listeners]]) for (const one of hearers) tellOne(one, tell)
  }

  async function announcePresence(change: PresenceChange): Promise<void> {
    await presence.announce(change)
    tellPeopleChanged()
  }

  function tellPeopleChanged(): void {
    for (const one of [...listeners]) tellOne(one, () => one.peopleChanged?.())
  }

  /** Whether those who are here know somebody under a name. */
  async function isKnownHere(person: Person, called: string): Promise<boolean> {
    const isPresent = here.people().some(({ id }) => id === person.id)
    if (isPresent || (await parts.rooms.membership(name, person.id))) return true
    const lately = await store.read(name, { limit: LATELY, kinds: ['message', 'action', 'notice'] })
    return lately.some(({ author }) => author === called)
  }

  function tellOne(one: Listener, tell: (one: Listener) => void): void {
    try {
      tell(one)
    } catch (error) {
      parts.log.error({ error, room: name }, 'a participant threw')
    }
  }

  return {
    name,
    async record(newEntry) {
      const entry = await record(newEntry)
      presence.retry()
      return entry
    },
    async history(query) {
      await bus.ready(name)
      return await store.read(name, query)
    },
    announcePresence,
    flushPresence: () => presence.flush(),
    stream: (delta) => void bus.publish(name, { type: 'delta', delta: { ...delta, room: name } }),
    whisper(people, newEntry, only) {
      const entry = entryOf(newEntry, name, parts)
      if (people.length === 0) return
      const to = people.map(({ id }) => id)
      if (only) tellSome(to, entry)
      else void bus.publish(name, { type: 'whisper', entry, to })
    },
    async info() {
      const row = await parts.rooms.find(name)
      if (!row) throw new StorageError('corrupt', `the room ${name} is not in the database any more`)
      return row
    },
    async enter(participant) {
      const { person } = participant
      const why = parts.sanctions.whyOutOf(name, person)
      if (why !== undefined) await refuseBanned(why, name, person, parts)
      if (!here.has(person) && isFull()) await refuseLate(limits.members_per_room, name, person, parts)
      const isFirst = !here.has(person)
      here.add(participant)
      hearing.begin(participant)
      if (isFirst && (await peers.entered(name, person)))
        await announcePresence({ name: person.name, event: 'joined' })
    },
    async leave(participant) {
      const { person } = participant
      if (!here.remove(participant)) return
      hearing.end(participant)
      if (!here.has(person) && (await peers.left(name, person)))
        await announcePresence({ name: person.name, event: 'left' })
    },
    namesChanged() {
      here.sort()
      tellPeopleChanged()
    },
    isHere: (id) => here.has({ id }),
    awaits: (person) => here.people().some(({ id }) => id === person) || peers.mayReturn(name, person),
    async renamed(person, former) {
      here.sort()
      if (parts.sanctions.isArchived(name) || !(await isKnownHere(person, former))) return
      const text = `${former} is called ${person.name} now`
      await record({ kind: 'notice', level: 'info', author: person.name, text })
      tellPeopleChanged()
    },
    async memberChanged(person, event) {
      if (!here.has(person)) await presence.announce({ name: person.name, event })
    },
    listen(listener) {
      listeners.add(listener)
      hearing.begin(listener)
      return () => {
        listeners.delete(listener)
        hearing.end(listener)
      }
    },
    present: () => here.people(),
    needVoice(person) {
      const why = parts.sanctions.whySilent(name, person)
      if (why !== undefined) throw new Refusal(why)
    },
    whyNoWork: (person) => parts.sanctions.whyNoWork(name, person, parts.rooms),
    roleOf: (person) => roleIn(name, person, parts),
  }
}
