import type { PermissionProvider, SideTurns, ToolContext } from '../tools/tool.ts'
import type { Uncounted } from './deadline.ts'
import type { ToolboxParts } from './toolbox.ts'

/** What one call's context is made from. */
export interface CallerParts extends ToolboxParts {
  /** Whether the called tool is still in scope. */
  readonly isOffered: () => Promise<boolean>
}

/** All that a tool gets when a model or a person calls it. */
export async function callerContext(
  parts: CallerParts,
  signal: AbortSignal,
  uncounted: Uncounted,
): Promise<ToolContext> {
  const { room, requester, model } = parts.viewer
  return {
    room: room.name,
    requester: { person: requester, role: await room.roleOf(requester) },
    ...(model ? { model: model.name } : {}),
    ...(parts.turn === undefined ? {} : { turn: parts.turn }),
    ...(parts.place ? { place: parts.place } : {}),
    ...(parts.side ? { side: patientSide(parts.side, uncounted) } : {}),
    workspace: parts.workspace,
    permissions: patientPermissions(parts, uncounted),
    addMessage: (entry) => room.record({ ...entry, author: parts.caller }),
    signal,
    limits: parts.limits,
    log: parts.log,
  }
}

/** While people are asked, the tool's time stands still; what they allowed is a no if the tool was taken away meanwhile. */
const patientPermissions = (parts: CallerParts, uncounted: Uncounted): PermissionProvider => ({
  async request(asked) {
    const verdict = await uncounted(() => parts.permissions.request(asked))
    return verdict === 'allow' && (await parts.isOffered()) ? 'allow' : 'deny'
  },
})

/** A side turn has its turn's time, not that of the tool that started it. */
const patientSide = (side: SideTurns, uncounted: Uncounted): SideTurns => ({
  run: (order) => uncounted(() => side.run(order)),
})
