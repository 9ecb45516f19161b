import { setTimeout as pause } from 'node:timers/promises'
import type { RoomName } from '../../chat/entry.ts'
import type { PersonId } from '../../chat/people/person.ts'
import type { SharedWork } from '../../cluster/work.ts'
import type { SummaryPlaces } from '../../turns/summaries/places.ts'

/** How long it is waited for another server that has begun a moment ago, in milliseconds. */
const MOMENT_MS = 200

/** Of all servers, one sums up a room. */
export const sharedSummaryPlaces = (
  work: Pick<SharedWork, 'take' | 'elsewhere' | 'stop'>,
): SummaryPlaces => ({
  async take(room, stop) {
    const slot = await work.take(workOf(room), () => ONE, {
      stop,
      lost: () => stop('the server lost the database'),
    })
    return 'running' in slot ? undefined : slot.leave
  },
  isElsewhere: (room) => work.elsewhere('summary', room).length > 0,
  async stopElsewhere(room) {
    await work.stop(idOf(room), 'it was stopped')
    const [known] = work.elsewhere('summary', room)
    await (known?.ended() ?? pause(MOMENT_MS))
  },
})

const ONE = { running: 1, waiting: 0 }

const idOf = (room: RoomName): string => `summary ${room}`

const workOf = (room: RoomName) => {
  const id = idOf(room)
  return { id, kind: 'summary' as const, queue: id, room, person: NOBODY, facts: {} }
}

/** The server itself asks for it. */
const NOBODY = '' as PersonId
