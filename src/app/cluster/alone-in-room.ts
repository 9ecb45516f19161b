import type { RoomName } from '../../chat/entry.ts'
import type { PersonId } from '../../chat/people/person.ts'
import type { SharedWork } from '../../cluster/work.ts'

/** One at a time, and so many wait: each room queues its own on its server before that. */
const LIMITS = { running: 1, waiting: 1_000 }

/** Runs jobs of a room one after the other, whichever servers they are on: what one has read, no other changes meanwhile. */
export const aloneInRoom =
  (work: Pick<SharedWork, 'take'>, nextId: () => string) =>
  async (room: RoomName, job: () => Promise<void>): Promise<void> => {
    const id = `hook ${nextId()}`
    const item = { id, kind: 'hook' as const, queue: `hook ${room}`, room, person: NOBODY, facts: {} }
    let giveUp = (): void => {}
    const slot = await work.take(item, () => LIMITS, { stop() {}, lost: () => giveUp() })
    if ('running' in slot) throw new Error(`${slot.waiting} hooks of ${room} wait on all servers already`)
    giveUp = slot.giveUp
    try {
      await slot.ready
      await job()
    } finally {
      await slot.leave()
    }
  }

const NOBODY = '' as PersonId
