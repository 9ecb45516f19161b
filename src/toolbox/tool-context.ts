import type { Log } from '../chat/ports.ts'
import type { Uncounted } from '../lib/deadline.ts'
import type { JsonObject } from '../lib/json.ts'
import type { ToolLimits } from '../tools/limits.ts'
import type { Workspaces } from '../tools/ports/workspace.ts'
import type { CallingTurn, PermissionProvider, Tool, ToolContext } from '../tools/tool.ts'
import type { ScopeQuery } from './scoped-tools.ts'

/** The model or the person that calls tools. */
export interface ToolCaller extends ScopeQuery {
  /** Absent when a person runs a tool. */
  readonly turn?: CallingTurn
  /** Decides in place of the people in the room: for a script, whose caller cannot be asked. */
  readonly permissions?: PermissionProvider
  /** Told what the caller is doing now: the name of a tool, or that it waits for a permission. */
  readonly report?: (doing: string) => void
}

/** The name in which a caller's calls are recorded. */
export const callerName = ({ turn, requester }: ToolCaller): string => turn?.model ?? requester.name

/** A call of a tool that is there, with arguments that are an object. */
export interface CalledTool {
  readonly tool: Tool
  /** The name it was called by. */
  readonly name: string
  /** The tool's id for permissions. */
  readonly grantId: string
  readonly args: JsonObject
  readonly caller: ToolCaller
  /** Whether the tool is still in the caller's scope. */
  readonly isOffered: () => Promise<boolean>
}

/** What all tools run with. */
export interface RunToolParts {
  readonly permissions: PermissionProvider
  readonly workspaces: Workspaces
  readonly limits: ToolLimits
  readonly log: Log
}

/** The time that a part of a call has. */
export interface CallTime {
  readonly signal: AbortSignal
  /** For what takes other people's time. */
  readonly uncounted: Uncounted
  /** Told how many milliseconds were spent on waiting for an answer. */
  readonly waited: (ms: number) => void
}

/** What a tool gets for one call. Rejects with `StorageError`. */
export async function contextFor(
  called: CalledTool,
  { permissions, workspaces, limits }: RunToolParts,
  time: CallTime,
): Promise<ToolContext> {
  const { caller } = called
  const { room, requester, turn } = caller
  return {
    room: room.name,
    requester: { person: requester, role: await room.roleOf(requester) },
    ...(turn ? { turn: withoutDeadline(turn, time.uncounted) } : {}),
    workspace: workspaces.of(room.name),
    permissions: permissionsOf(called, caller.permissions ?? permissions, time),
    addMessage: (entry) => room.record({ ...entry, author: callerName(caller) }),
    signal: time.signal,
    limits,
  }
}

/** A sub-turn has the time of its turn, and not the time of the tool that started it. */
const withoutDeadline = (turn: CallingTurn, uncounted: Uncounted): CallingTurn => ({
  ...turn,
  subTurns: { run: (request) => uncounted(() => turn.subTurns.run(request)) },
})

/** What a caller is said to do while a question of its is open. */
const WAITING = 'waiting for /allow'

/** The tool's time does not count while people are asked. The scope may have changed meanwhile. */
const permissionsOf = (
  { name, caller, isOffered }: CalledTool,
  provider: PermissionProvider,
  { uncounted, waited }: CallTime,
): PermissionProvider => ({
  async request(asked) {
    const since = performance.now()
    caller.report?.(WAITING)
    const verdict = await uncounted(() => provider.request(asked))
    caller.report?.(name)
    waited(performance.now() - since)
    if (verdict !== 'allow') return verdict
    return (await isOffered()) ? 'allow' : { why: 'it was turned off meanwhile' }
  },
})
