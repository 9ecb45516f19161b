/**
 * A toolbox is the tools that one caller has: those in scope now. It decides what a called name stands for, runs one
 * call at a time, records both in the room's log, and cuts the result to what the caller can read.
 * This folder must not know how a model is asked, how a turn goes on, where a tool comes from, or how people are asked.
 */
import { toolCallLine } from '../chat/entry-text.ts'
import type { EntryDraft, ToolResultEntry } from '../chat/entry.ts'
import type { Clock, MonotonicClock } from '../chat/ports.ts'
import { utf8Bytes } from '../lib/bytes.ts'
import { cleanText } from '../lib/text/clean-text.ts'
import type { Json } from '../lib/json.ts'
import { READ_FD } from '../tools/long-result.ts'
import type { ResultStore } from '../tools/ports/results.ts'
import { failed, type ToolResult } from '../tools/tool.ts'
import type { Offer, Target } from './offer.ts'
import { allowanceFor, FULL_ALLOWANCE, presentResult, tokensOf } from './results.ts'
import { callerName, type Outcome, type ToolCaller, type ToolRunner } from './run-tool.ts'
import type { FindScopedTools, ScopedTools } from './scoped-tools.ts'
import { argumentsFor, cleanName, parseArguments, type ParsedArguments, type ToolCall } from './tool-call.ts'

/** Runs the calls of one caller. */
export interface Toolbox {
  /**
   * Asks for one call where that is needed, runs it and records its result; trouble is a result too. Rejects only with `StorageError`: the call could not
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
  readonly runner: ToolRunner
  /** Keeps results that are too long to be read at once. */
  readonly results: Pick<ResultStore, 'put'>
  readonly clock: Clock & MonotonicClock
}

export const createToolboxes =
  (parts: ToolboxParts): OpenToolbox =>
  (caller, offer, tokensLeft): Toolbox => {
    const { scopedTools, runner, clock } = parts
    const { room } = caller
    let tokensRead = 0

    /** Looks a call up in the scope of now. */
    async function lookUp({ name: given, ...rest }: ToolCall): Promise<KnownCall> {
      const call = { ...rest, name: cleanName(given) }
      const now = await scopedTools(caller)
      const target = offer.resolve(call.name, now)
      const canRead = offer.resolve(READ_FD, now)?.id === READ_FD
      return { call, now, target, args: parseArguments(call.arguments), canRead }
    }

    /** Records a call. Gives the function that records its result. */
    async function begin({ call, target, args, canRead }: KnownCall, notRun = false) {
      const facts = factsOf(call, caller, target?.id)
      const shownArgs = args.ok ? args.value : cleanText(call.arguments).slice(0, MAX_ENTRY_CHARS)
      await room.record(callEntry(facts, caller, shownArgs, notRun))
      const startedAt = clock.monotonic()

      return async ({ result, waitedMs }: Outcome): Promise<ToolResultEntry> => {
        const allowance = tokensLeft === undefined ? FULL_ALLOWANCE : allowanceFor(tokensLeft - tokensRead)
        const about = { room: room.name, tool: target?.id, allowance, canRead }
        const presented = await presentResult(result, about, parts)
        const durationMs = Math.round(clock.monotonic() - startedAt - waitedMs)
        const entry = await room.record(resultEntry(facts, presented, durationMs))
        tokensRead += tokensOf(entry.text)
        return entry as ToolResultEntry
      }
    }

    /** Records a call that does not run, and why. */
    async function notRun(known: KnownCall, result: ToolResult): Promise<ToolResultEntry> {
      const finish = await begin(known, true)
      return await finish(atOnce(result))
    }

    return {
      async run(asked, signal) {
        const known = await lookUp(asked)
        const { call, now, target, args } = known
        caller.report?.(call.name)
        if (!target) return await notRun(known, failed(offer.unknown(call.name, now)))
        if (!args.ok) return await notRun(known, failed(`${call.name}: ${args.error}`))
        if (target.kind === 'search') return await (await begin(known))(atOnce(offer.search(args.value, now)))
        const isOffered = async (): Promise<boolean> =>
          offer.resolve(call.name, await scopedTools(caller))?.id === target.id
        const { tool, grantId } = target
        const toolArgs = argumentsFor(args, tool.verbatim)
        const called = { tool, grantId, name: call.name, args: toolArgs, caller, isOffered }
        const refusal = await runner.ask(called, signal)
        if (refusal) return await notRun(known, refusal)
        const finish = await begin(known)
        return await finish(await runner.run(called, signal))
      },
      refuse: async (asked, reason) => await notRun(await lookUp(asked), failed(reason)),
    }
  }

/** A call with a clean name, what that name stands for, and its arguments. */
interface KnownCall {
  readonly call: ToolCall
  readonly now: ScopedTools
  readonly target: Target | undefined
  readonly args: ParsedArguments
  /** Whether the caller has the tool that reads further pages. */
  readonly canRead: boolean
}

const atOnce = (result: ToolResult): Outcome => ({ result, waitedMs: 0 })

/** What the two entries of a call have in common; they pair up by the call's id. */
const factsOf = (call: ToolCall, caller: ToolCaller, tool: string | undefined) => ({
  author: callerName(caller),
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
): EntryDraft {
  const call = { ...facts, arguments: args, ...(notRun ? { notRun } : {}) }
  const text = cleanText(toolCallLine(call)).slice(0, MAX_ENTRY_CHARS)
  return { kind: 'tool_call', ...call, requester: requester.name, text }
}

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
