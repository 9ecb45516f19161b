import type { Log } from '../chat/ports.ts'
import { cleanLine } from '../lib/clean-text.ts'
import { DeadlineError, underDeadline, type Uncounted } from '../lib/deadline.ts'
import type { JsonObject } from '../lib/json.ts'
import type { Workspaces } from '../tools/ports/workspace.ts'
import type { ToolLimits } from '../tools/limits.ts'
import {
  failed,
  type CallingTurn,
  type PermissionProvider,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '../tools/tool.ts'
import type { ScopeQuery } from './scoped-tools.ts'

/** The model or the person that calls tools. */
export interface ToolCaller extends ScopeQuery {
  /** Absent when a person runs a tool. */
  readonly turn?: CallingTurn
  /** Decides in place of the people in the room: for a script, whose caller cannot be asked. */
  readonly permissions?: PermissionProvider
}

/** The name in which a caller's calls are recorded. */
export const callerName = ({ turn, requester }: ToolCaller): string => turn?.model ?? requester.name

/** A tool that is about to run. */
export interface CalledTool {
  readonly tool: Tool
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

/** Runs a tool within its time limit. Whatever goes wrong is a result, also when `stop` is aborted. */
export type RunTool = (called: CalledTool, stop: AbortSignal) => Promise<ToolResult>

export const createRunTool =
  (parts: RunToolParts): RunTool =>
  async (called, stop) => {
    const { tool, args } = called
    try {
      stop.throwIfAborted()
      return await underDeadline(parts.limits.timeoutMs, stop, async (signal, uncounted) =>
        tool.run(args, await contextFor(called, parts, signal, uncounted)),
      )
    } catch (error) {
      return failed(`${tool.id}: ${failureText(error, called, parts, stop)}`)
    }
  }

async function contextFor(
  { caller, isOffered }: CalledTool,
  { permissions, workspaces, limits }: RunToolParts,
  signal: AbortSignal,
  uncounted: Uncounted,
): Promise<ToolContext> {
  const { room, requester, turn } = caller
  return {
    room: room.name,
    requester: { person: requester, role: await room.roleOf(requester) },
    ...(turn ? { turn: withoutDeadline(turn, uncounted) } : {}),
    workspace: workspaces.of(room.name),
    permissions: {
      // The tool's time does not count while people are asked. The scope may have changed meanwhile.
      async request(asked) {
        const verdict = await uncounted(() => (caller.permissions ?? permissions).request(asked))
        return verdict === 'allow' && (await isOffered()) ? 'allow' : 'deny'
      },
    },
    addMessage: (entry) => room.record({ ...entry, author: callerName(caller) }),
    signal,
    limits,
  }
}

/** A sub-turn has the time of its turn, and not the time of the tool that started it. */
const withoutDeadline = (turn: CallingTurn, uncounted: Uncounted): CallingTurn => ({
  ...turn,
  subTurns: { run: (request) => uncounted(() => turn.subTurns.run(request)) },
})

function failureText(
  error: unknown,
  { caller }: CalledTool,
  { limits, log }: RunToolParts,
  stop: AbortSignal,
): string {
  if (stop.aborted) return 'stopped before it was done'
  if (error instanceof DeadlineError) return `no answer after ${limits.timeoutMs / 1000} s; it was stopped`
  log.warn({ turn: caller.turn?.id, error }, 'a tool threw')
  return cleanLine(error instanceof Error ? error.message : String(error)) || 'it failed without saying why'
}
