import { type Entry, type EntryId, isEntryKind, type ReplyDelta, type RoomName } from '../words/entry.ts'
import { warnOfStorage } from '../words/errors.ts'
import { createLocalBus, type EntryLog, type RoomBus } from '../chat/index.ts'
import type { PersonId } from '../words/person.ts'
import { utf8Bytes } from '../base/amounts.ts'
import type { Log } from '../base/environment.ts'
import { createSerial } from '../base/jobs/serial.ts'
import type { ClusterStores, ServerId, Wire } from './stores.ts'

export interface RoomFeedParts {
  readonly server: ServerId
  readonly wire: Wire
  readonly entries: Pick<EntryLog, 'read'>
  readonly newestIn: ClusterStores['newestIn']
  readonly log: Log
}

const PAGE = 200

/** A room with listeners in this process. */
interface Followed {
  readonly delivery: RoomDelivery
  readonly stop: () => void
  listeners: number
}

/** The bus of rooms that several servers share. */
export function createRoomFeed({ server, wire, entries, newestIn, log }: RoomFeedParts): RoomBus & {
  /** Delivers entries whose hint was lost. Must be called every second; never rejects. */
  pollLog(): Promise<void>
} {
  const local = createLocalBus(log)
  const followed = new Map<RoomName, Followed>()

  function follow(name: RoomName): Followed {
    const delivery = new RoomDelivery({
      newest: async () => (await newestIn([name])).get(name),
      read: (after) => entries.read(name, { after, limit: PAGE, oldestFirst: true }),
      deliver: (entry, after) =>
        void local.publish(name, { type: 'entry', entry, ...(after !== undefined && { after }) }),
      log,
    })
    const stop = wire.hear(subjectOf(name), (text) => take(name, delivery, text))
    return { delivery, stop, listeners: 0 }
  }

  function take(name: RoomName, delivery: RoomDelivery, text: string): void {
    const note = parseNote(text)
    if (!note || note.server === server) return
    if ('hint' in note) void delivery.hinted(note.hint)
    else
      void delivery.inOrder(() => {
        if ('delta' in note) void local.publish(name, { type: 'delta', delta: note.delta })
        else void local.publish(name, { type: 'whisper', entry: note.whisper, to: note.to })
      })
  }

  /** Drops texts that are too long: a reply's delta comes again with its entry. */
  function send(room: RoomName, body: NoteBody): void {
    const text = JSON.stringify({ server, ...body })
    if (utf8Bytes(text) <= wire.maxBytes) wire.send(subjectOf(room), text)
  }

  return {
    async publish(room, event) {
      const delivery = followed.get(room)?.delivery
      if (event.type === 'entry') {
        send(room, { hint: { id: event.entry.id, after: event.after } })
        return await delivery?.appended(event.entry, event.after)
      }
      send(room, event.type === 'delta' ? { delta: event.delta } : { whisper: event.entry, to: event.to })
      await delivery?.inOrder(() => void local.publish(room, event))
    },
    subscribe(name, listener) {
      const one = followed.get(name) ?? follow(name)
      followed.set(name, one)
      one.listeners++
      const end = local.subscribe(name, listener)
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        end()
        if (--one.listeners > 0) return
        one.stop()
        followed.delete(name)
      }
    },
    ready: async (name) => await followed.get(name)?.delivery.ready,
    async pollLog() {
      const rooms = [...followed.keys()]
      if (rooms.length === 0) return
      try {
        for (const [name, id] of await newestIn(rooms)) await followed.get(name)?.delivery.hinted({ id })
      } catch (error) {
        log.warn({ error }, 'could not check the log for new entries')
      }
    },
  }
}

const subjectOf = (room: RoomName): string => `room.${room}`

/** An entry that a server appended, and the previous entry in the log. */
export interface Hint {
  readonly id: EntryId
  readonly after?: EntryId | undefined
}

/** A server's message to the others about a room, besides its own ID. */
type NoteBody =
  | { readonly hint: Hint }
  | { readonly delta: ReplyDelta }
  | { readonly whisper: Entry; readonly to: readonly PersonId[] }

type Note = NoteBody & { readonly server: ServerId }

/** Returns undefined for a text that no server of this version sends. */
export function parseNote(text: string): Note | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isNote(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isNote(value: unknown): value is Note {
  if (!isObject(value) || typeof value['server'] !== 'string') return false
  const { hint, delta, whisper, to } = value
  if (whisper !== undefined) return isEntry(whisper) && Array.isArray(to)
  if (delta !== undefined) return isObject(delta) && typeof delta['text'] === 'string'
  return isObject(hint) && typeof hint['id'] === 'string'
}

const isEntry = (value: unknown): boolean =>
  isObject(value) &&
  ['id', 'kind', 'author', 'text', 'room'].every((key) => typeof value[key] === 'string') &&
  isEntryKind(String(value['kind']))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** `newest` and `read` reject only with `StorageError`. */
export interface RoomDeliveryParts {
  readonly newest: () => Promise<EntryId | undefined>
  /** Resolves to the first entries after `after`, oldest first. */
  readonly read: (after: EntryId) => Promise<readonly Entry[]>
  /** Must not throw. */
  readonly deliver: (entry: Entry, after: EntryId | undefined) => void
  readonly log: Pick<Log, 'warn'>
}

/** Sorts before every ID. */
const BEFORE_ALL = '' as EntryId

/**
 * Delivers one room's entries in this process, each once, in the log's order. Reads the log up to a hint's
 * ID. Begins after the entry that is newest at creation, or before the first entry that this process appends
 * meanwhile. No method rejects.
 */
export class RoomDelivery {
  /** Resolves once all later entries will be delivered, or if the log cannot be read now. */
  readonly ready: Promise<void>
  readonly #parts: RoomDeliveryParts
  readonly #serially = createSerial()
  /** The last delivered entry; undefined until the beginning is known. */
  #last: EntryId | undefined
  /** The log's last entry before the first one that this process appended while `last` was unknown. */
  #ownBefore: EntryId | undefined

  constructor(parts: RoomDeliveryParts) {
    this.#parts = parts
    this.ready = this.#serially(() => this.#begin())
  }

  /** Delivers an entry that this process appended. */
  appended(entry: Entry, after = BEFORE_ALL): Promise<void> {
    if (this.#last === undefined) this.#ownBefore ??= after
    return this.#serially(async () => {
      if (this.#last === undefined) await this.#begin(after)
      if (this.#last === after) this.#deliver(entry)
      else await this.#catchUpTo(entry.id)
    })
  }

  /** Resolves when all entries up to a hint are delivered, or cannot be read now. */
  hinted({ id, after }: Hint): Promise<void> {
    return this.#serially(async () => {
      if (this.#last === undefined) await this.#begin(after)
      await this.#catchUpTo(id)
    })
  }

  /** Calls `act` after everything received earlier is delivered. */
  inOrder(act: () => void): Promise<void> {
    return this.#serially(act)
  }

  /** `before` is the log's last entry before an entry that must be delivered. */
  async #begin(before?: EntryId): Promise<void> {
    try {
      const stored = (await this.#parts.newest()) ?? BEFORE_ALL
      this.#last = [before, this.#ownBefore].reduce<EntryId>(
        (first, id) => (id !== undefined && id < first ? id : first),
        stored,
      )
    } catch (error) {
      this.#failed(error)
    }
  }

  async #catchUpTo(id: EntryId): Promise<void> {
    try {
      while (this.#last !== undefined && this.#last < id) {
        const missed = await this.#parts.read(this.#last)
        // An entry that is missing in the log was deleted with its room.
        if (missed.length === 0) return
        for (const entry of missed) this.#deliver(entry)
      }
    } catch (error) {
      this.#failed(error)
    }
  }

  #deliver(entry: Entry): void {
    const after = this.#last === BEFORE_ALL ? undefined : this.#last
    this.#last = entry.id
    this.#parts.deliver(entry, after)
  }

  /** The next hint or poll tries again. */
  #failed(error: unknown): void {
    warnOfStorage(this.#parts.log, 'could not read entries of other servers')(error)
  }
}
