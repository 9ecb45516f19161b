import { createSerial } from '../base/jobs/serial.ts'
import type { Json } from '../base/json.ts'
import type { Entry, EntryId, EntryKind, RoomName } from '../words/entry.ts'
import { Refusal } from '../words/errors.ts'
import { PINS_KEY } from '../words/room-keys.ts'
import type { EntryLog, RoomStore } from './ports.ts'

const MAX_PINS = 3

const PINNED_KINDS: readonly EntryKind[] = ['message', 'action', 'reply']

/**
 * Lines under a room's heading. Stores only ids, so that a pin shows its line as edited last, and vanishes
 * with a retracted, purged or removed line. Methods reject with `StorageError`.
 */
export class Pins {
  readonly #rooms: Pick<RoomStore, 'getValue' | 'setValue'>
  readonly #entries: Pick<EntryLog, 'read'>
  /** Serializes changes: two that read the same value would undo each other. */
  readonly #serially = createSerial()

  constructor(rooms: Pick<RoomStore, 'getValue' | 'setValue'>, entries: Pick<EntryLog, 'read'>) {
    this.#rooms = rooms
    this.#entries = entries
  }

  /** Resolves to at most three lines, in the order in which they were pinned. */
  async list(room: RoomName): Promise<readonly Entry[]> {
    const ids = idsOf(await this.#rooms.getValue(room, PINS_KEY))
    const found = await Promise.all(ids.map((id) => this.#find(room, id)))
    return found.filter((entry) => entry !== undefined)
  }

  /** Rejects with `Refusal` for a line that nobody said or that is pinned already, and for a fourth pin. */
  async add(room: RoomName, line: Entry | undefined): Promise<Entry> {
    if (!line || line.thread !== undefined || !PINNED_KINDS.includes(line.kind))
      throw new Refusal('only messages of people and models can be pinned')
    await this.#serially(async () => {
      const pinned = await this.list(room)
      if (pinned.some(({ id }) => id === line.id)) throw new Refusal('that line is pinned already')
      if (pinned.length >= MAX_PINS)
        throw new Refusal(`a room has at most ${MAX_PINS} pins; first: /unpin 1, or another number`)
      await this.#put(room, [...pinned, line])
    })
    return line
  }

  /** Removes a pin by its place, from 1; the newest without a number. Resolves to its line. */
  remove(room: RoomName, place?: number): Promise<Entry> {
    return this.#serially(async () => {
      const pinned = await this.list(room)
      const line = pinned.at(place === undefined ? -1 : place - 1)
      if (!line || place === 0)
        throw new Refusal(
          pinned.length === 0 ? 'no line is pinned here' : `the pins are 1 to ${pinned.length}`,
        )
      await this.#put(
        room,
        pinned.filter((one) => one !== line),
      )
      return line
    })
  }

  /** Reads by room, so that an id can show no line of another one. */
  async #find(room: RoomName, id: EntryId): Promise<Entry | undefined> {
    // All ids have the same length, so a longer text sorts right after the entry itself.
    const query = { limit: 1, before: `${id}0` as EntryId, kinds: PINNED_KINDS, revised: true }
    const [entry] = await this.#entries.read(room, query)
    return entry?.id === id ? entry : undefined
  }

  #put(room: RoomName, lines: readonly Entry[]): Promise<void> {
    const ids = lines.map(({ id }) => id)
    return this.#rooms.setValue(room, PINS_KEY, ids.length === 0 ? undefined : ids)
  }
}

const idsOf = (value: Json | undefined): readonly EntryId[] =>
  (Array.isArray(value) ? value : []).filter((id) => typeof id === 'string').slice(0, MAX_PINS) as EntryId[]
