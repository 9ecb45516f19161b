import type { ToolContext } from '../tools/tool.ts'
import type { Uncounted } from './deadline.ts'
import type { ToolboxParts } from './toolbox.ts'

/** All that a tool gets when a model or a person calls it; while people are asked for a permission its time stands still. */
export async function callerContext(
  parts: ToolboxParts,
  signal: AbortSignal,
  uncounted: Uncounted,
): Promise<ToolContext> {
  const { room, requester, model } = parts.viewer
  return {
    room: room.name,
    requester: { person: requester, role: await room.roleOf(requester) },
    ...(model ? { model: model.name } : {}),
    ...(parts.turn === undefined ? {} : { turn: parts.turn }),
    workspace: parts.workspace,
    permissions: { request: (asked) => uncounted(() => parts.permissions.request(asked)) },
    addMessage: (entry) => room.record({ ...entry, author: parts.caller }),
    signal,
    limits: parts.limits,
    log: parts.log,
  }
}
