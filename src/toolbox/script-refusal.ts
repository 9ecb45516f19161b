import { StorageError } from '../chat/errors.ts'
import type { JsonObject } from '../lib/json.ts'
import type { RoomHooks } from '../prompt/hooks/room-hooks.ts'
import { stoppedText } from '../tools/permission.ts'
import type { CallingTurn } from '../tools/context.ts'
import type { Workspace, Workspaces } from '../tools/workspace.ts'
import type { CalledTool } from './run-tool.ts'
import type { ScopeQuery } from './scoped-tools.ts'

/** Who calls: a person, or a model in its turn. */
interface CallerInRoom extends Pick<ScopeQuery, 'room' | 'requester'> {
  readonly turn?: CallingTurn
}

interface ScriptParts {
  readonly hooks: Pick<RoomHooks, 'beforeToolCall'>
  readonly workspaces: Workspaces
}

/**
 * Asks the room's script whether a call may run. Resolves to the reason why not; undefined if it may. A call that is stopped
 * meanwhile is not run. Rejects with `StorageError`.
 */
export async function refusalByScript(
  called: CalledTool,
  caller: CallerInRoom,
  { hooks, workspaces }: ScriptParts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { room } = caller
  try {
    return await hooks.beforeToolCall(room, () => callFacts(called, caller, workspaces.of(room.name)), signal)
  } catch (error) {
    if (signal.aborted && !(error instanceof StorageError)) return stoppedText(signal)
    throw error
  }
}

/** What `before_tool_call` is called with. A path that leads nowhere stays as it is: the tool will refuse it. */
async function callFacts(
  { name, tool, doesAs, args }: CalledTool,
  { requester, turn }: CallerInRoom,
  workspace: Workspace,
): Promise<JsonObject> {
  const paths = (tool.files ?? []).flatMap((parameter) => {
    const path = args[parameter]
    return typeof path === 'string' ? path : []
  })
  const files = await Promise.all(paths.map(async (path) => (await workspace.placeOf(path)) ?? path))
  const by: JsonObject = turn ? { model: turn.model, turn: turn.id } : {}
  return {
    name,
    id: doesAs,
    access: tool.access,
    arguments: args,
    files,
    user: requester.name,
    ...(tool.base === undefined ? {} : { base: tool.base }),
    ...by,
  }
}
