import { Approvals } from '../../src/turns/approvals/approvals.ts'
import type { PermissionRequest } from '../../src/tools/context.ts'
import { createChatParts, REQUESTERS_ALLOW } from '../support/chat-parts.ts'
import { permissionProviderExam, type FindRoom, type PermissionExaminee } from './permission-provider-exam.ts'

/** Approvals of a lobby, and what its owner wants with a tool. */
async function openApprovals(find: (usual: FindRoom) => FindRoom) {
  const { storage, rooms, peers, clock, log, person } = await createChatParts()
  const room = await rooms.lobby()
  const ann = await person('ann')
  await storage.chat.rooms.setMembership(room.name, ann.id, 'owner')
  const approvals = new Approvals({
    room: find((name) => rooms.anyRoom(name)),
    grants: storage.tools.grants,
    questions: peers.questions,
    rules: () => REQUESTERS_ALLOW,
    limits: { approvals_per_room: 8, approvals_per_person: 4 },
    clock,
    log,
  })
  const wants = (tool: string): Omit<PermissionRequest, 'signal'> => ({
    ...{ requester: ann, room: room.name, tool },
    ...{ access: 'execute', target: tool, detail: tool },
  })
  return { approvals, room, ann, wants }
}

permissionProviderExam('of the people in a room', async (find): Promise<PermissionExaminee> => {
  const { approvals, room, ann, wants } = await openApprovals(find)
  await room.enter({
    person: ann,
    deliver(entry) {
      if (entry.kind !== 'approval' || entry.verdict !== 'asked' || entry.question === undefined) return
      const verdict = entry.tool === 'good' ? 'once' : 'denied'
      void approvals.answer({ room, person: ann, verdict, question: entry.question })
    },
  })
  return { provider: approvals, allowed: wants('good'), denied: wants('bad') }
})

permissionProviderExam('of a script that names its tools', async (find): Promise<PermissionExaminee> => {
  const { approvals, wants } = await openApprovals(find)
  return { provider: approvals.forScript(new Set(['good'])), allowed: wants('good'), denied: wants('bad') }
})
