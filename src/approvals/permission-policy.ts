import type { RoomName } from '../chat/entry.ts'
import { SYSTEM } from '../chat/names.ts'
import type { Log } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import type { PermissionProvider, PermissionRequest } from '../tools/tool.ts'
import { toolFor } from './question-text.ts'
import { approvalFacts } from './questions.ts'

/** What policies are made from. */
export interface PolicyParts {
  readonly room: (name: RoomName) => Promise<Room | undefined>
  readonly log: Log
}

/** True to allow. May reject, which is a no. */
export type Decide = (asked: PermissionRequest, room: Room) => Promise<boolean>

/** What holds for every way to decide: reading needs no permission, what fails is a no, and so is what was stopped. */
export function createPolicy({ room: roomCalled, log }: PolicyParts, decide: Decide): PermissionProvider {
  async function isAllowed(asked: PermissionRequest): Promise<boolean> {
    if (asked.access === 'read') return true
    const room = asked.signal.aborted ? undefined : await roomCalled(asked.room)
    return room !== undefined && (await decide(asked, room)) && !asked.signal.aborted
  }
  return {
    async request(asked) {
      try {
        return (await isAllowed(asked)) ? 'allow' : 'deny'
      } catch (error) {
        log.error({ error, room: asked.room, tool: asked.tool }, 'a permission could not be asked for')
        return 'deny'
      }
    },
  }
}

/** A no that the room is told the reason of. */
export async function denied(room: Room, asked: PermissionRequest, why: string): Promise<false> {
  const text = `denied: ${why} (${toolFor(asked)})`
  await room.record({ ...approvalFacts(asked), author: SYSTEM, verdict: 'denied', text })
  return false
}
