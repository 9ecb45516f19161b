import { toolCallLine } from '../words/entry-text.ts'
import type { ByteQuota } from '../chat/index.ts'
import type { Entry, FileNote, NewEntry, ToolResultEntry } from '../words/entry.ts'
import { StorageError } from '../words/errors.ts'
import { speakerCalled, splitLabel } from '../words/names.ts'
import { fileChangesText, MAX_FILE_NOTES } from '../words/file-notes.ts'
import { textForModels } from '../words/outside.ts'
import { utf8Bytes } from '../base/amounts.ts'
import type { Clock, MonotonicClock } from '../base/environment.ts'
import { cleanText } from '../base/text/clean-text.ts'
import type { JsonObject } from '../base/json.ts'
import type { RoomHooks } from './hooks.ts'
import {
  type ChatView,
  type CallingTurn,
  type PermissionProvider,
  stoppedText,
  type Workspaces,
  type Workspace,
} from '../tools/index.ts'
import type { ResultStore, ToolResult } from '../tools/results/index.ts'
import {
  type CallNames,
  allowanceFor,
  FULL_ALLOWANCE,
  cleanResult,
  presentResult,
  tokensOf,
  type Caller,
  type CallerContext,
  type ToolRunner,
  type CalledTool,
  toolboxOf,
  type RecordCall,
  type Toolbox,
} from '../wrap/toolbox/index.ts'
import type { FindScopedTools, ScopeQuery } from './scoped-tools.ts'

export interface ToolCaller extends ScopeQuery, Omit<Caller, 'context' | 'watchTools'> {
  /** Absent, like `chat`, if a person runs a tool. */
  readonly turn?: CallingTurn
  readonly chat?: ChatView
  /** Answers permission questions for a script, whose caller cannot be asked. */
  readonly permissions?: PermissionProvider
}

/** Each call and each result is an entry of the log. */
export type RoomToolbox = Toolbox<RoomToolReply>

type RoomToolReply = ToolResultEntry & Pick<ToolResult, 'pictures' | 'logged'>

/** For a step or a person's run. `tokensLeft` limits all results together; else each may be a page long. */
export type OpenToolbox = (caller: ToolCaller, names: CallNames, tokensLeft?: number) => RoomToolbox

export interface RoomToolboxParts {
  readonly scopedTools: FindScopedTools
  readonly runner: ToolRunner
  readonly permissions: PermissionProvider
  readonly workspaces: Workspaces
  readonly results: Pick<ResultStore, 'put'>
  /** Counts calls and results against the requester. */
  readonly bytes: Pick<ByteQuota, 'charge'>
  readonly clock: Clock & MonotonicClock
  readonly hooks: Pick<RoomHooks, 'beforeToolCall'>
}

export const createToolboxes =
  (parts: RoomToolboxParts): OpenToolbox =>
  (caller, names, tokensLeft) =>
    toolboxOf({
      names,
      currentTools: () => parts.scopedTools(caller),
      caller: {
        ...caller,
        context: () => contextOf(caller, parts),
        watchTools: (changed) =>
          caller.room.listen({ deliver: (entry) => entry.kind === 'scope' && changed() }),
      },
      runner: parts.runner,
      record: createRecorder(caller, parts, tokensLeft),
      refusalFor: (called, stop) => refusalByScript(called, caller, parts, stop),
    })

const authorOf = ({ turn, requester }: ToolCaller) =>
  turn ? speakerCalled(turn.model) : { author: requester.name, by: requester.id }

async function contextOf(caller: ToolCaller, parts: RoomToolboxParts): Promise<CallerContext> {
  const { room, requester, chat, turn } = caller
  return {
    room: room.name,
    requester: { person: requester, role: await room.roleOf(requester) },
    chat: {
      // A turn's messages grow while its calls run.
      get messages() {
        return chat?.messages ?? []
      },
      ...(chat?.model && { model: chat.model }),
      ...(turn && { turn }),
    },
    workspace: withFileEntries(
      parts.workspaces.of(room.name, {
        ...(turn
          ? { name: turn.model, turn: { id: turn.id, requester: requester.id } }
          : { name: requester.name, person: requester.id }),
      }),
      caller,
      parts,
    ),
    permissions: caller.permissions ?? permissionsFor(caller, parts.permissions),
    addMessage: (entry) => room.record({ ...entry, ...authorOf(caller) }),
  }
}

/** Records in the room what commands do to files. */
function withFileEntries(workspace: Workspace, caller: ToolCaller, parts: RoomToolboxParts): Workspace {
  const { turn } = caller
  const record = async (files: readonly FileNote[]): Promise<void> => {
    await recordCharged(caller, parts, {
      kind: 'file',
      ...authorOf(caller),
      ...(turn && { turn: turn.id }),
      text: fileChangesText(files),
      files: files.slice(0, MAX_FILE_NOTES),
    })
  }
  return {
    ...workspace,
    run: (spec, limits, signal) => workspace.run(spec, limits, signal, record),
  }
}

async function recordCharged(
  { room, requester }: ToolCaller,
  { bytes }: RoomToolboxParts,
  newEntry: NewEntry,
): Promise<Entry> {
  const entry = await room.record(newEntry)
  bytes.charge(requester, utf8Bytes(JSON.stringify(newEntry)))
  return entry
}

function permissionsFor({ routine }: ToolCaller, permissions: PermissionProvider): PermissionProvider {
  if (!routine) return permissions
  const { id, number } = routine
  return {
    asksToRead: () => permissions.asksToRead?.() ?? false,
    request: (asked) => permissions.request({ ...asked, routine: { number, ...(id && { id }) } }),
  }
}

/** Characters of a call's arguments in its entry. */
const MAX_ENTRY_CHARS = 4000

function createRecorder(
  caller: ToolCaller,
  parts: RoomToolboxParts,
  tokensLeft: number | undefined,
): RecordCall<RoomToolReply> {
  const { room, requester, turn } = caller
  let tokensRead = 0
  const record = (newEntry: NewEntry): Promise<Entry> => recordCharged(caller, parts, newEntry)
  return async ({ call, target, args, canRead }, notRun) => {
    // The two entries of a call pair up by its id.
    const facts = {
      ...authorOf(caller),
      ...(turn && { turn: turn.id }),
      call: call.id,
      name: call.name,
      ...(target && { tool: target.id }),
    }
    const shownArgs = args.ok ? args.value : cleanText(call.arguments).slice(0, MAX_ENTRY_CHARS)
    const called = { ...facts, arguments: shownArgs, ...(notRun && { notRun }) }
    const line = cleanText(toolCallLine(called)).slice(0, MAX_ENTRY_CHARS)
    await record({ kind: 'tool_call', ...called, requester: requester.name, text: line })
    const startedAt = parts.clock.monotonic()

    return async function recordResult({ result, waitedMs }) {
      const allowance = tokensLeft === undefined ? FULL_ALLOWANCE : allowanceFor(tokensLeft - tokensRead)
      const about = { room: room.name, tool: target?.id, allowance, canRead }
      const { logged, pictures } = result
      // The room would store a long result for its later readers.
      const presented =
        logged === undefined
          ? await presentResult(result, about, parts)
          : cleanResult(result, allowance.pageSize)
      const { content, isError, outside } = presented
      const durationMs = Math.max(0, Math.round(parts.clock.monotonic() - startedAt - waitedMs))
      const entry = await record({
        kind: 'tool_result',
        ...facts,
        isError,
        durationMs,
        bytes: utf8Bytes(content),
        text: logged ?? content,
        ...(outside && { outside }),
      })
      const reply = {
        ...(entry as ToolResultEntry),
        text: content,
        ...(pictures && { pictures }),
        ...(logged !== undefined && { logged }),
      }
      tokensRead += tokensOf(textForModels(reply))
      return reply
    }
  }
}

/** Rejects with `StorageError`. */
async function refusalByScript(
  called: CalledTool,
  caller: ToolCaller,
  { hooks, workspaces }: RoomToolboxParts,
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

/** Returns the argument of `before_tool_call`. Keeps a path that leads nowhere: the tool will refuse it. */
async function callFacts(
  { name, tool, sharedId, args }: CalledTool,
  { requester, turn }: ToolCaller,
  workspace: Workspace,
): Promise<JsonObject> {
  const paths = (tool.files ?? []).flatMap((parameter) => {
    const path = args[parameter]
    return typeof path === 'string' ? path : []
  })
  return {
    name,
    id: sharedId,
    access: tool.access,
    arguments: args,
    files: await Promise.all(paths.map(async (path) => (await workspace.placeOf(path)) ?? path)),
    user: requester.name,
    ...(tool.base !== undefined && { base: tool.base }),
    ...(turn && { ...splitLabel(turn.model), turn: turn.id }),
  }
}
