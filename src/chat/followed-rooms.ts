import type { Alarm, Log } from '../base/environment.ts'
import { headOf } from '../base/text/characters.ts'
import { cleanLine } from '../base/text/clean-text.ts'
import type { Entry, EntryId, RoomName } from '../words/entry.ts'
import { ignoreRefusal, warnOfStorage } from '../words/errors.ts'
import { createAddressed } from '../words/mentions.ts'
import type { Person, PersonId } from '../words/person.ts'
import { type Alerts, createAlerts } from './personal/alerts.ts'
import type { LastSeen } from './personal/last-seen.ts'
import type { SeenRoom } from './personal/ports.ts'
import type { Preferences } from './personal/preferences.ts'
import { MAX_NEW, type RoomNews } from './room-news.ts'
import type { Room } from './room.ts'
import type { Rooms } from './rooms.ts'
import type { IgnoreFilter, Ignores } from './talk/ignores.ts'
import type { PersonalScreen } from './talk/open-sessions.ts'

export interface NewsScreen extends Pick<PersonalScreen, 'person' | 'message' | 'bell'> {
  refresh(): void
}

export interface FollowingParts {
  readonly rooms: Pick<Rooms, 'get'>
  readonly lastSeen: Pick<LastSeen, 'mine' | 'put' | 'drop'>
  readonly ignores: Pick<Ignores, 'open'>
  readonly preferences: Pick<Preferences, 'settingsOf'>
  /** True if the entry ends a turn that this person asked for. */
  readonly isAnswerTo: (entry: Entry, person: PersonId) => boolean
  readonly clock: Alarm
  readonly log: Log
}

export type FollowingSession = ReturnType<FollowedRooms['open']>

/**
 * The rooms that each person joined and has not left for good. During a session, counts new lines in its
 * person's other rooms, and shows lines that name the person and answers to them. Guests follow no rooms.
 */
export class FollowedRooms {
  readonly #parts: FollowingParts
  readonly #followers = new Map<PersonId, Follower>()

  constructor(parts: FollowingParts) {
    this.#parts = parts
  }

  /** Call it when a terminal begins; it reads the store. Call `entered` and `left` in turn, `close` once. */
  open(person: Person) {
    const follower = person.guest ? undefined : this.#hold(person)
    const { lastSeen, rooms } = this.#parts
    const mine = lastSeen.mine(person)
    let shown: NewsScreen | undefined
    return {
      attach(screen: NewsScreen): void {
        follower?.screens.add((shown = screen))
      },
      entered: ({ name }: Room): void => follower?.entered(name, mine),
      left: (room: Room): void => follower?.left(room),
      gone: (room: RoomName, renamed?: Room): void => follower?.gone(room, renamed),
      /** The person's last room before this session, if they may still enter it. */
      async last(): Promise<Room | undefined> {
        const seen = (await mine).find(({ at }) => at > 0)
        return seen && (await rooms.get(seen.room, person).catch(ignoreRefusal))
      },
      news: (): readonly RoomNews[] => follower?.news() ?? [],
      close: (): void => {
        if (shown) follower?.screens.delete(shown)
        if (follower) this.#release(person, follower)
      },
    }
  }

  /** Resolves to rooms with new lines: rooms that name the person first, then the newest. Never rejects. */
  async news(person: Person): Promise<readonly RoomNews[]> {
    if (person.guest) return []
    const follower = this.#hold(person)
    await follower.load(this.#parts.lastSeen.mine(person))
    this.#release(person, follower)
    return follower.news()
  }

  /** Follows a room from its newest line on, if the person does not yet. Rejects with `StorageError`. */
  async join(person: Person, room: Room): Promise<void> {
    const { lastSeen } = this.#parts
    if (person.guest || (await lastSeen.mine(person)).some((seen) => seen.room === room.name)) return
    const [newest] = await room.history({ limit: 1 })
    await lastSeen.put(person, room.name, newest?.id ?? ('' as EntryId), 0)
    this.#followers.get(person.id)?.joined(room)
  }

  /** Stops following a room. Call it after the person has left the room. Never rejects. */
  async leave(person: Person, room: RoomName): Promise<void> {
    this.#followers.get(person.id)?.forget(room)
    await this.#parts.lastSeen.drop(person, room)
  }

  #hold(person: Person): Follower {
    const follower = this.#followers.get(person.id) ?? new Follower(person, this.#parts)
    this.#followers.set(person.id, follower)
    follower.holders++
    return follower
  }

  #release({ id }: Person, follower: Follower): void {
    if (--follower.holders > 0) return
    this.#followers.delete(id)
    follower.close()
  }
}

/** A followed room in which the person is not present. */
interface Followed {
  readonly room: Room
  readonly stop: () => void
  /** At most `MAX_NEW` ids of new lines. */
  readonly ids: Set<EntryId>
  isNamed: boolean
  newest: EntryId
}

/** The shortest time in ms between redraws for new lines in other rooms. */
const REDRAW_MS = 1_000
/** Characters shown of a line from another room. */
const MAX_SHOWN = 300

const addressed = createAddressed()

class Follower {
  readonly screens = new Set<NewsScreen>()
  holders = 0
  readonly #person: Person
  readonly #parts: FollowingParts
  readonly #rooms = new Map<RoomName, Followed>()
  /** The number of this person's sessions in each room. */
  readonly #inside = new Map<RoomName, number>()
  #loaded: Promise<void> | undefined
  #filter: IgnoreFilter | undefined
  #alerts: Alerts
  #isClosed = false
  #isPaced = false

  constructor(person: Person, parts: FollowingParts) {
    this.#person = person
    this.#parts = parts
    this.#alerts = createAlerts(person, addressed, () => ({}))
  }

  /** Counts new lines in the rooms where the person is not present. Never rejects. */
  load(mine: Promise<readonly SeenRoom[]>): Promise<void> {
    const { log } = this.#parts
    this.#loaded ??= this.#load(mine)
      .catch(warnOfStorage(log, NOT_COUNTED))
      .catch((error: unknown) => log.error({ error }, NOT_COUNTED))
    return this.#loaded
  }

  entered(room: RoomName, mine: Promise<readonly SeenRoom[]>): void {
    this.#inside.set(room, (this.#inside.get(room) ?? 0) + 1)
    this.forget(room)
    void this.load(mine)
  }

  joined(room: Room): void {
    if (!this.#inside.has(room.name) && !this.#rooms.has(room.name)) this.#follow(room)
  }

  left(room: Room): void {
    const others = (this.#inside.get(room.name) ?? 1) - 1
    if (others > 0) this.#inside.set(room.name, others)
    else {
      this.#inside.delete(room.name)
      this.#follow(room)
    }
  }

  forget(room: RoomName): void {
    this.#rooms.get(room)?.stop()
    this.#rooms.delete(room)
  }

  gone(room: RoomName, to?: Room): void {
    const before = this.#rooms.get(room)
    if (!before || to?.name === room) return
    this.forget(room)
    const { ids, isNamed, newest } = before
    if (to && !this.#inside.has(to.name)) Object.assign(this.#follow(to), { ids, isNamed, newest })
    this.#changed()
  }

  news(): readonly RoomNews[] {
    return [...this.#rooms.values()]
      .filter(({ ids }) => ids.size > 0)
      .toSorted((a, b) => Number(b.isNamed) - Number(a.isNamed) || (a.newest > b.newest ? -1 : 1))
      .map(({ room, ids, isNamed }) => ({ room: room.name, count: ids.size, isNamed }))
  }

  close(): void {
    this.#isClosed = true
    for (const { stop } of this.#rooms.values()) stop()
    this.#filter?.close()
  }

  async #load(mine: Promise<readonly SeenRoom[]>): Promise<void> {
    const { ignores, preferences } = this.#parts
    const [rooms, filter, settings] = await Promise.all([
      mine,
      ignores.open(this.#person),
      preferences.settingsOf(this.#person),
    ])
    this.#filter = filter
    this.#alerts = createAlerts(this.#person, addressed, settings)
    if (this.#isClosed) return filter.close()
    await Promise.all(rooms.map(({ room, entry }) => this.#countSince(room, entry)))
    if (this.news().length > 0) this.#changed()
  }

  /** Listens before reading, so that no line is missed between the two. */
  async #countSince(name: RoomName, seen: EntryId): Promise<void> {
    const room = await this.#visible(name)
    if (!room || this.#isClosed || this.#inside.has(name) || this.#rooms.has(name)) return
    const followed = this.#follow(room)
    const said = { kinds: COUNTED, withoutThreads: true, revised: true }
    for (const entry of await room.history({ after: seen, limit: MAX_NEW, ...said }))
      this.#count(followed, entry)
  }

  #follow(room: Room): Followed {
    const stop = room.listen({ deliver: (entry) => this.#hear(followed, entry) })
    const followed: Followed = { room, stop, ids: new Set(), isNamed: false, newest: '' as EntryId }
    this.#rooms.set(room.name, followed)
    return followed
  }

  #hear(followed: Followed, entry: Entry): void {
    if (entry.kind === 'notice' && entry.act?.verb === 'delete') return this.forget(entry.room)
    const isAnswer = this.#parts.isAnswerTo(entry, this.#person.id)
    if (isAnswer || (this.#isNews(entry) && this.#alerts.rings(entry))) void this.#show(entry)
    if (this.#count(followed, entry)) this.#changed()
  }

  /** Counts an entry once, even if it is both heard and read. Returns true if it was new. */
  #count(followed: Followed, entry: Entry): boolean {
    const { ids, newest } = followed
    if (ids.has(entry.id) || !this.#isNews(entry)) return false
    if (ids.size < MAX_NEW) ids.add(entry.id)
    if (entry.id > newest) followed.newest = entry.id
    followed.isNamed ||= this.#alerts.isFor(entry)
    return true
  }

  #isNews(entry: Entry): boolean {
    const { id, name } = this.#person
    const isOwn = entry.by === undefined ? entry.author === name : entry.by === id
    return !isOwn && isSaid(entry) && this.#filter?.shows(entry) !== false
  }

  /** Checks access again, because the person may have been banned or removed meanwhile. */
  async #show({ room, author, text, at }: Entry): Promise<void> {
    if (!(await this.#visible(room).catch(() => undefined))) return this.forget(room)
    const line = headOf(cleanLine(text).replace(/\s+/g, ' ').trim(), MAX_SHOWN)
    const from = { name: author, guest: false }
    for (const screen of this.screens) {
      screen.message({ head: `[${room}] ${author}`, text: line, from, at, isOneRow: true })
      screen.bell()
    }
  }

  /** Undefined for a room that the person may not enter any more. */
  #visible(room: RoomName): Promise<Room | undefined> {
    return this.#parts.rooms.get(room, this.#person).catch(ignoreRefusal)
  }

  #changed(): void {
    if (this.#isPaced) return
    this.#isPaced = true
    this.#parts.clock.later(REDRAW_MS, () => {
      this.#isPaced = false
      for (const screen of this.screens) screen.refresh()
    })
  }
}

const NOT_COUNTED = "what is new in somebody's rooms is not known"
const COUNTED = ['message', 'action', 'reply'] as const

const isSaid = (entry: Entry): boolean =>
  entry.thread === undefined &&
  ((entry.kind === 'message' && entry.edits === undefined) ||
    (entry.kind === 'action' && entry.reacts === undefined) ||
    (entry.kind === 'reply' && entry.text !== ''))
