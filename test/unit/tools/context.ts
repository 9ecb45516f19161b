import type { EntryId, RoomName, TurnId } from '../../../src/words/entry.ts'
import type { PersonId } from '../../../src/words/person.ts'
import type { Workspace } from '../../../src/tools/workspace.ts'
import type { CallingTurn, PermissionRequest, ToolContext } from '../../../src/tools/context.ts'
import { failed } from '../../../src/tools/results/result.ts'

/** Limits that are short enough for a test to wait for. */
export const testLimits = { timeoutMs: 20_000, outputLines: 2000, outputBytes: 256 * 1024 }

/** What a person answers, or what happens until they do. */
export type Verdict = 'allow' | 'deny' | (() => Promise<'allow' | 'deny'>)

/** A context in the lobby for alice, which records what she was asked and answers `verdict`. */
export function contextFor(
  workspace: Workspace,
  verdict: Verdict = 'allow',
): ToolContext & { readonly asked: PermissionRequest[] } {
  const asked: PermissionRequest[] = []
  const room = 'lobby' as RoomName
  return {
    asked,
    room,
    requester: {
      person: { id: 'p1' as PersonId, name: 'alice', admin: false, guest: false },
      role: 'member',
    },
    chat: { messages: [] },
    workspace,
    permissions: {
      request: async (request) => {
        asked.push(request)
        return typeof verdict === 'function' ? await verdict() : verdict
      },
    },
    addMessage: async (draft) => ({ ...draft, id: 'e1' as EntryId, at: 0, room }),
    signal: new AbortController().signal,
    limits: testLimits,
  }
}

/** A turn of qwen that was called in a room and starts no sub-turns. */
export const turnIn = (room: RoomName): CallingTurn => ({
  id: 'T1' as TurnId,
  model: 'qwen',
  currentRoom: { name: room },
  subTurns: { run: async () => failed('this turn starts none') },
})
