import type { RoomName } from '../../words/entry.ts'
import { SERVER_LOST, type RemoteWork, type Slot, type Slots } from '../../chat/index.ts'
import type { PersonId } from '../../words/person.ts'
import type { Alarm } from '../../base/environment.ts'

/** Milliseconds to wait for another server that may just have begun. */
const MOMENT_MS = 200
const ONE = { running: 1, waiting: 0 }
/** Summaries have no requester. */
const NOBODY = '' as PersonId

const idOf = (room: RoomName): string => `summary ${room}`

/** Takes and stops the summary slot of each room, one for all servers. Methods reject with `StorageError`. */
export class RoomSlots {
  readonly #slots: Slots
  readonly #clock: Alarm

  constructor(slots: Slots, clock: Alarm) {
    this.#slots = slots
    this.#clock = clock
  }

  /** Resolves to undefined if the slot is taken. Calls `stop` if another server stops the work. */
  async take(room: RoomName, stop: (reason: string) => void): Promise<Slot | undefined> {
    const id = idOf(room)
    const work = { id, kind: 'summary', queue: id, room, person: NOBODY, facts: {} } as const
    const slot = await this.#slots.take(work, () => ONE, { stop, lost: () => stop(SERVER_LOST) })
    return 'running' in slot ? undefined : slot
  }

  remote(room: RoomName): RemoteWork | undefined {
    return this.#slots.others('summary', room)[0]
  }

  /** Resolves once the other server has stopped summarizing the room. */
  async stopRemote(room: RoomName, reason: string): Promise<void> {
    await this.#slots.stop(idOf(room), reason)
    // Work that another server has just begun is not visible yet.
    const moment = (): Promise<void> => new Promise((resolve) => this.#clock.later(MOMENT_MS, resolve))
    await (this.remote(room)?.ended() ?? moment())
  }
}
