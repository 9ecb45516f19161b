import type { RoomName } from '../chat/entry.ts'
import { createLocalBus } from '../chat/local-bus.ts'
import type { BusEvent, EntryLog, Log, RoomBus } from '../chat/ports.ts'
import { createHeardRoom, type HeardRoom, type Hint } from './heard-room.ts'
import { utf8Bytes } from '../lib/bytes.ts'
import { parsedNote, type Note, type NoteBody } from './note.ts'
import type { ClusterStores, ServerId, Wire } from './stores.ts'

/** The bus of rooms that several servers share. */
export interface RoomFeed extends RoomBus {
  /** Delivers what no hint came for. To be called every second; never rejects. */
  lookAtLog(): Promise<void>
}

/** What it is made of. */
export interface RoomFeedParts {
  readonly server: ServerId
  readonly wire: Wire
  readonly entries: Pick<EntryLog, 'read'>
  readonly newestIn: ClusterStores['newestIn']
  readonly log: Log
}

/** Entries that are read at once. */
const PAGE = 200

/** A room that somebody hears in this process. */
interface Heard {
  readonly room: HeardRoom
  readonly stop: () => void
  listeners: number
}

export function createRoomFeed({ server, wire, entries, newestIn, log }: RoomFeedParts): RoomFeed {
  const local = createLocalBus(log)
  const heard = new Map<RoomName, Heard>()

  function hear(name: RoomName): Heard {
    const room = createHeardRoom({
      newest: async () => (await newestIn([name])).get(name),
      read: (after) => entries.read(name, { after, limit: PAGE, oldestFirst: true }),
      deliver: (entry, after) =>
        void local.publish(name, { type: 'entry', entry, ...(after !== undefined && { after }) }),
      log,
    })
    const stop = wire.hear(subjectOf(name), (text) => {
      const note = parsedNote(text)
      if (note && note.server !== server) take(name, room, note)
    })
    return { room, stop, listeners: 0 }
  }

  function take(name: RoomName, room: HeardRoom, note: Note): void {
    if ('hint' in note) void room.other(note.hint)
    else void room.serially(() => void local.publish(name, eventOf(note)))
  }

  function leave(name: RoomName, one: Heard): void {
    one.listeners--
    if (one.listeners > 0) return
    one.stop()
    heard.delete(name)
  }

  function send(room: RoomName, told: NoteBody): void {
    const text = JSON.stringify({ server, ...told })
    if (utf8Bytes(text) <= wire.maxBytes) wire.send(subjectOf(room), text)
    // Whoever hears it reads the entry.
    else if ('hint' in told) send(room, { hint: { id: told.hint.id, after: told.hint.after } })
  }

  async function publishEntry(room: RoomName, hint: Hint): Promise<void> {
    send(room, { hint })
    await heard.get(room)?.room.own(hint)
  }

  return {
    async publish(room, event) {
      if (event.type === 'entry')
        return await publishEntry(room, { id: event.entry.id, after: event.after, entry: event.entry })
      send(room, event.type === 'delta' ? { delta: event.delta } : { whisper: event.entry, to: event.to })
      await heard.get(room)?.room.serially(() => void local.publish(room, event))
    },
    subscribe(name, listener) {
      const one = heard.get(name) ?? hear(name)
      heard.set(name, one)
      one.listeners++
      const end = local.subscribe(name, listener)
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        end()
        leave(name, one)
      }
    },
    ready: async (name) => await heard.get(name)?.room.ready,
    async lookAtLog() {
      const rooms = [...heard.keys()]
      if (rooms.length === 0) return
      try {
        for (const [name, id] of await newestIn(rooms)) await heard.get(name)?.room.reach(id)
      } catch (error) {
        log.warn({ error }, 'the log could not be looked at')
      }
    },
  }
}

const subjectOf = (room: RoomName): string => `room.${room}`

const eventOf = (note: Exclude<NoteBody, { readonly hint: Hint }>): BusEvent =>
  'delta' in note
    ? { type: 'delta', delta: note.delta }
    : { type: 'whisper', entry: note.whisper, to: note.to }
