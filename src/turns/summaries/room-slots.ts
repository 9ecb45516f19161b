import type { RoomName } from '../../chat/entry.ts'
import { SERVER_LOST, type RemoteWork, type Slot, type Slots } from '../../chat/peers.ts'
import type { PersonId } from '../../chat/people/person.ts'
import type { Alarm } from '../../chat/ports.ts'

/** How long another server that began a moment ago is waited for, in milliseconds. */
const MOMENT_MS = 200
const ONE = { running: 1, waiting: 0 }
/** The server itself asks for summaries. */
const NOBODY = '' as PersonId

const idOf = (room: RoomName): string => `summary ${room}`

/** The one slot that each room has on all servers for its summary. Methods reject with `StorageError`. */
export class RoomSlots {
  readonly #slots: Slots
  readonly #clock: Alarm

  constructor(slots: Slots, clock: Alarm) {
    this.#slots = slots
    this.#clock = clock
  }

  /** Undefined if the slot is taken. `stop` is called when another server stops the work. */
  async take(room: RoomName, stop: (reason: string) => void): Promise<Slot | undefined> {
    const id = idOf(room)
    const work = { id, kind: 'summary', queue: id, room, person: NOBODY, facts: {} } as const
    const slot = await this.#slots.take(work, () => ONE, { stop, lost: () => stop(SERVER_LOST) })
    return 'running' in slot ? undefined : slot
  }

  /** What another server does for the room's summary. */
  remote(room: RoomName): RemoteWork | undefined {
    return this.#slots.others('summary', room)[0]
  }

  /** Resolves once the other server that sums up the room has stopped. */
  async stopRemote(room: RoomName, reason: string): Promise<void> {
    await this.#slots.stop(idOf(room), reason)
    // Nothing is known yet of one that began a moment ago.
    const moment = (): Promise<void> => new Promise((resolve) => this.#clock.later(MOMENT_MS, resolve))
    await (this.remote(room)?.ended() ?? moment())
  }
}
