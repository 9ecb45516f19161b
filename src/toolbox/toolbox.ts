import { toolCallLine } from '../chat/entry-text.ts'
import type { ToolResultEntry, TurnId } from '../chat/entry.ts'
import type { Clock, Log } from '../chat/ports.ts'
import { cleanLine, cleanText } from '../lib/clean-text.ts'
import type { Json } from '../lib/json.ts'
import { READ_FD } from '../tools/long-result.ts'
import type { ResultStore, Workspace } from '../tools/ports.ts'
import {
  failed,
  type PermissionProvider,
  type Place,
  type SideTurns,
  type Tool,
  type ToolLimits,
  type ToolResult,
} from '../tools/tool.ts'
import type { ToolDefinition } from '../prompt/prompt.ts'
import { parseArguments } from './arguments.ts'
import { callerContext, type CallerParts } from './caller.ts'
import { underDeadline } from './deadline.ts'
import type { Offer } from './offer.ts'
import type { ToolCall } from './tool-call.ts'
import { FULL_ALLOWANCE, presentResult, utf8Bytes, type Allowance } from './results.ts'
import { failureText } from './failure.ts'
import type { View, Viewer } from './scoped-tools.ts'

/** The tools that one caller has: what is sent of them, and what happens when they are called. */
export interface Toolbox {
  readonly definitions: readonly ToolDefinition[]
  /**
   * Runs one call and answers it; trouble is an answer. Rejects only with `StorageError` (the call could
   * not be logged, and was not run or its result is not known) and with the turn's reason when it is stopped.
   */
  run(call: ToolCall, signal: AbortSignal): Promise<ToolResultEntry>
  /** Answers a call without running it, so that the log tells of it. Rejects with `StorageError`. */
  refuse(call: ToolCall, reason: string): Promise<ToolResultEntry>
}

/** What stays the same for all toolboxes of a turn, or of a person. */
export interface ToolboxParts {
  /** Absent when a person runs a tool. */
  readonly turn?: TurnId
  readonly viewer: Viewer
  /** The name that calls are made in: the model's, or the person's. */
  readonly caller: string
  /** The scope of now, asked before each call. */
  readonly view: () => Promise<View>
  readonly permissions: PermissionProvider
  readonly workspace: Workspace
  /** Where a turn's world tools act; absent when a person runs a tool. */
  readonly place?: Place
  /** The side turns of a turn that may have some. */
  readonly side?: SideTurns
  readonly limits: ToolLimits
  /** Where results go that are too long to be read at once. */
  readonly results: Pick<ResultStore, 'put'>
  /** How much of a result the caller reads, asked for each; `FULL_ALLOWANCE` when absent. */
  readonly allowance?: () => Allowance
  readonly clock: Clock
  readonly log: Log
}

/** `offer` says what each name stands for: that of a model's step, or of a person. */
export function createToolbox(parts: ToolboxParts, offer: Offer): Toolbox {
  /** Looks the call up in the scope of now, and logs it. */
  async function announce(call: ToolCall) {
    const now = await parts.view()
    const answer = createAnswer(call, parts, offer.resolve(READ_FD, now)?.id === READ_FD)
    const target = offer.resolve(call.name, now)
    const args = parseArguments(call.arguments)
    await answer.announce(target?.id, args.ok ? args.value : call.arguments)
    return { answer, now, target, args }
  }

  return {
    definitions: offer.definitions,
    async run(call, signal) {
      const { answer, now, target, args } = await announce(call)
      if (!target) return await answer.give(failed(offer.unknown(call.name, now)))
      if (!args.ok) return await answer.give(failed(`${call.name}: ${args.error}`), target.id)
      if (target.kind === 'search') return await answer.give(offer.search(args.value, now), target.id)
      const isOffered = async (): Promise<boolean> =>
        offer.resolve(call.name, await parts.view())?.id === target.id
      const result = await runTool(target.tool, args.value, { ...parts, isOffered }, signal)
      return await answer.give(result, target.id)
    },
    async refuse(call, reason) {
      const { answer, target } = await announce(call)
      return await answer.give(failed(reason), target?.id)
    },
  }
}

/** Runs a tool for at most its time. A throw is a result; only the end of the turn is not. */
async function runTool(tool: Tool, args: Json, parts: CallerParts, turn: AbortSignal): Promise<ToolResult> {
  try {
    turn.throwIfAborted()
    return await underDeadline(parts.limits.timeoutMs, turn, async (signal, uncounted) =>
      tool.run(args, await callerContext(parts, signal, uncounted)),
    )
  } catch (error) {
    return failed(`${tool.id}: ${failureText(error, turn, parts)}`)
  }
}

/** The two entries of a call, which pair up by its id; the second has the text that the caller reads. */
function createAnswer(call: ToolCall, parts: ToolboxParts, canRead: boolean) {
  const { room, requester } = parts.viewer
  const name = cleanLine(call.name)
  const turn = parts.turn === undefined ? {} : { turn: parts.turn }
  const common = { author: parts.caller, ...turn, call: call.id, name }
  let startedAt = parts.clock.now()
  return {
    async announce(tool: string | undefined, args: Json): Promise<void> {
      await room.record({
        kind: 'tool_call',
        ...common,
        requester: requester.name,
        ...(tool === undefined ? {} : { tool }),
        arguments: typeof args === 'string' ? cleanText(args).slice(0, 4000) : args,
        text: cleanText(toolCallLine(name, args)).slice(0, 4000),
      })
      startedAt = parts.clock.now()
    },
    async give(result: ToolResult, tool?: string): Promise<ToolResultEntry> {
      const facts = { room: room.name, tool, allowance: parts.allowance?.() ?? FULL_ALLOWANCE, canRead }
      const { content, isError } = await presentResult(result, facts, parts)
      const entry = await room.record({
        kind: 'tool_result',
        ...common,
        ...(tool === undefined ? {} : { tool }),
        isError,
        durationMs: Math.max(0, parts.clock.now() - startedAt),
        bytes: utf8Bytes(content),
        text: content,
      })
      return entry as ToolResultEntry
    },
  }
}
