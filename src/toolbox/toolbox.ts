/**
 * A toolbox is the tools that one caller has: those in scope now. It decides what a called name stands for, runs one
 * call at a time, records both in the room's log, and cuts the result to what the caller can read.
 * This folder must not know how a model is asked, how a turn goes on, where a tool comes from, or how people are asked.
 */
import { toolCallLine } from '../chat/entry-text.ts'
import type { EntryDraft, ToolResultEntry } from '../chat/entry.ts'
import type { Clock, MonotonicClock } from '../chat/ports.ts'
import { utf8Bytes } from '../lib/bytes.ts'
import { cleanLine, cleanText } from '../lib/clean-text.ts'
import type { Json } from '../lib/json.ts'
import { READ_FD } from '../tools/long-result.ts'
import type { ResultStore } from '../tools/ports/results.ts'
import { failed, type ToolResult } from '../tools/tool.ts'
import type { Offer } from './offer.ts'
import { allowanceFor, FULL_ALLOWANCE, presentResult, tokensOf } from './results.ts'
import { callerName, type RunTool, type ToolCaller } from './run-tool.ts'
import type { FindScopedTools } from './scoped-tools.ts'
import { parseArguments, type ToolCall } from './tool-call.ts'

/** Runs the calls of one caller. */
export interface Toolbox {
  /**
   * Runs one call and records its result; trouble is a result too. Rejects only with `StorageError`: the call could not
   * be recorded and was not run, or its result could not.
   */
  run(call: ToolCall, signal: AbortSignal): Promise<ToolResultEntry>
  /** Records a call and the reason why it is not run. Rejects with `StorageError`. */
  refuse(call: ToolCall, reason: string): Promise<ToolResultEntry>
}

/**
 * Opens a toolbox: for one step of a model's turn, or for one run of a person. `tokensLeft` is what the results of all
 * its calls together may take; without it, each result may be as long as a page.
 */
export type OpenToolbox = (caller: ToolCaller, offer: Offer, tokensLeft?: number) => Toolbox

/** What toolboxes are made from. */
export interface ToolboxParts {
  readonly scopedTools: FindScopedTools
  readonly runTool: RunTool
  /** Keeps results that are too long to be read at once. */
  readonly results: Pick<ResultStore, 'put'>
  readonly clock: Clock & MonotonicClock
}

export const createToolboxes =
  (parts: ToolboxParts): OpenToolbox =>
  (caller, offer, tokensLeft): Toolbox => {
    const { scopedTools, clock } = parts
    const { room } = caller
    let tokensRead = 0

    /** Looks a call up in the scope of now, and records it. Gives the function that records its result. */
    async function begin(call: ToolCall) {
      const now = await scopedTools(caller)
      const target = offer.resolve(call.name, now)
      const args = parseArguments(call.arguments)
      const canRead = offer.resolve(READ_FD, now)?.id === READ_FD
      const facts = factsOf(call, caller, target?.id)
      await room.record(callEntry(facts, caller, args.ok ? args.value : call.arguments))
      const startedAt = clock.monotonic()

      async function finish(result: ToolResult): Promise<ToolResultEntry> {
        const allowance = tokensLeft === undefined ? FULL_ALLOWANCE : allowanceFor(tokensLeft - tokensRead)
        const about = { room: room.name, tool: target?.id, allowance, canRead }
        const presented = await presentResult(result, about, parts)
        const entry = await room.record(
          resultEntry(facts, presented, Math.round(clock.monotonic() - startedAt)),
        )
        tokensRead += tokensOf(entry.text)
        return entry as ToolResultEntry
      }
      return { now, target, args, finish }
    }

    return {
      async run(call, signal) {
        const { now, target, args, finish } = await begin(call)
        if (!target) return await finish(failed(offer.unknown(call.name, now)))
        if (!args.ok) return await finish(failed(`${call.name}: ${args.error}`))
        if (target.kind === 'search') return await finish(offer.search(args.value, now))
        const isOffered = async (): Promise<boolean> =>
          offer.resolve(call.name, await scopedTools(caller))?.id === target.id
        const called = { tool: target.tool, args: args.value, caller, isOffered }
        return await finish(await parts.runTool(called, signal))
      },
      async refuse(call, reason) {
        const { finish } = await begin(call)
        return await finish(failed(reason))
      },
    }
  }

/** What the two entries of a call have in common; they pair up by the call's id. */
const factsOf = (call: ToolCall, caller: ToolCaller, tool: string | undefined) => ({
  author: callerName(caller),
  ...(caller.turn ? { turn: caller.turn.id } : {}),
  call: call.id,
  name: cleanLine(call.name),
  ...(tool === undefined ? {} : { tool }),
})

/** Characters of a call's arguments that its entry shows. */
const MAX_ENTRY_CHARS = 4000

const callEntry = (facts: ReturnType<typeof factsOf>, { requester }: ToolCaller, args: Json): EntryDraft => ({
  kind: 'tool_call',
  ...facts,
  requester: requester.name,
  arguments: typeof args === 'string' ? cleanText(args).slice(0, MAX_ENTRY_CHARS) : args,
  text: cleanText(toolCallLine(facts.name, args)).slice(0, MAX_ENTRY_CHARS),
})

/** The text is exactly what the caller reads. */
const resultEntry = (
  facts: ReturnType<typeof factsOf>,
  { content, isError }: ToolResult,
  durationMs: number,
): EntryDraft => ({
  kind: 'tool_result',
  ...facts,
  isError,
  durationMs: Math.max(0, durationMs),
  bytes: utf8Bytes(content),
  text: content,
})
