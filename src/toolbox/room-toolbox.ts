import { toolCallLine } from '../chat/entry-text.ts'
import type { ByteQuota } from '../chat/limits/byte-quota.ts'
import type { Entry, NewEntry, ToolResultEntry } from '../chat/entry.ts'
import { textForModels } from '../chat/outside.ts'
import type { Clock, MonotonicClock } from '../chat/ports.ts'
import { utf8Bytes } from '../lib/bytes.ts'
import { cleanText } from '../lib/text/clean-text.ts'
import type { Json, JsonObject } from '../lib/json.ts'
import type { RoomHooks } from '../prompt/hooks/room-hooks.ts'
import type { ChatView, CallingTurn, PermissionProvider } from '../tools/context.ts'
import type { ResultStore } from '../tools/long-results.ts'
import type { Workspaces, Workspace } from '../tools/workspace.ts'
import type { ToolResult } from '../tools/result.ts'
import type { Offer } from './offer.ts'
import { allowanceFor, FULL_ALLOWANCE, presentResult, tokensOf } from './results.ts'
import type { Caller, CallerContext, ToolRunner, CalledTool } from './run-tool.ts'
import type { FindScopedTools, ScopeQuery } from './scoped-tools.ts'
import { toolboxOf, type RecordCall, type Toolbox } from './toolbox.ts'
import type { ToolCall } from './tool-call.ts'
import { StorageError } from '../chat/errors.ts'
import { stoppedText } from '../tools/permission.ts'

/** The model or the person that calls tools in a room. */
export interface ToolCaller extends ScopeQuery, Omit<Caller, 'context' | 'watchTools'> {
  /** The turn that calls; absent where a person runs a tool. */
  readonly turn?: CallingTurn
  /** The conversation that the caller is in; absent where a person runs a tool. */
  readonly chat?: ChatView
  /** Decides in place of the people in the room: for a script, whose caller cannot be asked. */
  readonly permissions?: PermissionProvider
}

/** A toolbox in a room: each call and each result is an entry of its log. Rejects with `StorageError`. */
export type RoomToolbox = Toolbox<ToolResultEntry>

/**
 * Opens a toolbox: for one step of a model's turn, or for one run of a person. `tokensLeft` is what the
 * results of all its calls together may take; without it, each result may be as long as a page.
 */
export type OpenToolbox = (caller: ToolCaller, offer: Offer, tokensLeft?: number) => RoomToolbox

/** What the toolboxes of all rooms are made from. */
export interface RoomToolboxParts {
  readonly scopedTools: FindScopedTools
  readonly runner: ToolRunner
  /** Asked where the caller brings no provider of its own. */
  readonly permissions: PermissionProvider
  readonly workspaces: Workspaces
  /** Keeps results that are too long to be read at once. */
  readonly results: Pick<ResultStore, 'put'>
  /** Counts what the log keeps of calls and results against whoever asked for them. */
  readonly bytes: Pick<ByteQuota, 'charge'>
  readonly clock: Clock & MonotonicClock
  /** Asks the room's script before each call. */
  readonly hooks: Pick<RoomHooks, 'beforeToolCall'>
}

export const createToolboxes =
  (parts: RoomToolboxParts): OpenToolbox =>
  (caller, offer, tokensLeft): Toolbox<ToolResultEntry> =>
    toolboxOf({
      offer,
      reach: () => parts.scopedTools(caller),
      caller: {
        ...caller,
        context: () => contextOf(caller, parts),
        watchTools: (changed) =>
          caller.room.listen({ deliver: (entry) => entry.kind === 'scope' && changed() }),
      },
      runner: parts.runner,
      record: recordIn(caller, parts, tokensLeft),
      refuses: (called, signal) => refusalByScript(called, caller, parts, signal),
    })

/** The name in which a caller's calls are recorded. */
const callerName = ({ turn, requester }: { turn?: CallingTurn } & Pick<ToolCaller, 'requester'>): string =>
  turn?.model ?? requester.name

/** A model speaks for itself, whoever called it. */
const authorOf = (caller: ToolCaller) => ({
  author: callerName(caller),
  ...(caller.turn ? {} : { by: caller.requester.id }),
})

async function contextOf(
  caller: ToolCaller,
  { permissions, workspaces }: RoomToolboxParts,
): Promise<CallerContext> {
  const { room, requester } = caller
  return {
    room: room.name,
    requester: { person: requester, role: await room.roleOf(requester) },
    chat: chatOf(caller),
    workspace: workspaces.of(room.name),
    permissions: caller.permissions ?? permissions,
    addMessage: (entry) => room.record({ ...entry, ...authorOf(caller) }),
  }
}

/** A turn's messages grow while its calls run. */
const chatOf = ({ chat, turn }: ToolCaller): CallerContext['chat'] => ({
  get messages() {
    return chat?.messages ?? []
  },
  ...(chat?.model ? { model: chat.model } : {}),
  ...(turn ? { turn } : {}),
})

function recordIn(
  caller: ToolCaller,
  parts: RoomToolboxParts,
  tokensLeft: number | undefined,
): RecordCall<ToolResultEntry> {
  const { room, requester } = caller
  let tokensRead = 0
  const record = async (newEntry: NewEntry): Promise<Entry> => {
    const entry = await room.record(newEntry)
    parts.bytes.charge(requester, utf8Bytes(JSON.stringify(newEntry)))
    return entry
  }
  return async ({ call, target, args, canRead }, notRun) => {
    const facts = factsOf(call, caller, target?.id)
    const shownArgs = args.ok ? args.value : cleanText(call.arguments).slice(0, MAX_ENTRY_CHARS)
    await record(callEntry(facts, caller, shownArgs, notRun))
    const startedAt = parts.clock.monotonic()

    return async ({ result, waitedMs }) => {
      const allowance = tokensLeft === undefined ? FULL_ALLOWANCE : allowanceFor(tokensLeft - tokensRead)
      const about = { room: room.name, tool: target?.id, allowance, canRead }
      const presented = await presentResult(result, about, parts)
      const durationMs = Math.round(parts.clock.monotonic() - startedAt - waitedMs)
      const entry = await record(resultEntry(facts, presented, durationMs))
      tokensRead += tokensOf(textForModels(entry))
      return entry as ToolResultEntry
    }
  }
}

/** What the two entries of a call have in common; they pair up by the call's id. */
const factsOf = (call: ToolCall, caller: ToolCaller, tool: string | undefined) => ({
  ...authorOf(caller),
  ...(caller.turn ? { turn: caller.turn.id } : {}),
  call: call.id,
  name: call.name,
  ...(tool === undefined ? {} : { tool }),
})

/** Characters of a call's arguments that its entry shows. */
const MAX_ENTRY_CHARS = 4000

function callEntry(
  facts: ReturnType<typeof factsOf>,
  { requester }: ToolCaller,
  args: Json,
  notRun: boolean,
): NewEntry {
  const call = { ...facts, arguments: args, ...(notRun ? { notRun } : {}) }
  const text = cleanText(toolCallLine(call)).slice(0, MAX_ENTRY_CHARS)
  return { kind: 'tool_call', ...call, requester: requester.name, text }
}

/** The text is what a person reads. */
const resultEntry = (
  facts: ReturnType<typeof factsOf>,
  { content, isError, outside }: ToolResult,
  durationMs: number,
): NewEntry => ({
  kind: 'tool_result',
  ...facts,
  isError,
  durationMs: Math.max(0, durationMs),
  bytes: utf8Bytes(content),
  text: content,
  ...(outside ? { outside } : {}),
})

/** Who calls: a person, or a model in its turn. */
interface CallerInRoom extends Pick<ScopeQuery, 'room' | 'requester'> {
  readonly turn?: CallingTurn
}

interface ScriptParts {
  readonly hooks: Pick<RoomHooks, 'beforeToolCall'>
  readonly workspaces: Workspaces
}

/**
 * Asks the room's script whether a call may run. Resolves to the reason why not; undefined if it may. A call
 * that is stopped meanwhile is not run. Rejects with `StorageError`.
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

/**
 * What `before_tool_call` is called with. A path that leads nowhere stays as it is: the tool will refuse it.
 */
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
