/**
 * A toolbox is the tools that one caller has: those in reach now. It decides what a called name stands for,
 * asks where that is needed, runs one call at a time, and has both recorded. In a room (room-toolbox.ts)
 * these are entries of its log; a program that embeds tools gets the replies and nothing else. This folder
 * must not know how a model is asked, how a turn goes on, where a tool comes from, or how people are asked.
 */
import { textForModels, type TextFromTools } from '../chat/outside.ts'
import type { ToolMessage } from '../tools/context.ts'
import { READ_FD } from '../tools/long-results.ts'
import { failed, type ToolResult } from '../tools/result.ts'
import type { Offer, Target } from './offer.ts'
import type { Caller, CalledTool, Outcome, ToolRunner } from './run-tool.ts'
import type { ToolsInReach } from './scoped-tools.ts'
import { argumentsFor, cleanName, parseArguments, type ParsedArguments, type ToolCall } from './tool-call.ts'

/** What came of a call, as a person reads it; a model reads it as `textForModels` gives it. */
export interface ToolReply extends TextFromTools {
  /** The call's id. */
  readonly call: string
  /** The name it was called by. */
  readonly name: string
  readonly isError: boolean
}

/** Runs the calls of one caller. */
export interface Toolbox<Reply extends ToolReply = ToolReply> {
  /**
   * Asks for one call where that is needed, runs it and records its result; trouble is a result too. Rejects
   * only with what recording rejects with: the call could not be recorded and was not run, or its result
   * could not.
   */
  run(call: ToolCall, signal: AbortSignal): Promise<Reply>
  /** Records a call and the reason why it is not run. Rejects as `run` does. */
  refuse(call: ToolCall, reason: string): Promise<Reply>
}

/** With what the calls of one step are run. */
export interface ExecutionContext {
  readonly toolbox: Pick<Toolbox, 'run'>
  /** Ends the execution; a call at work is told. */
  readonly signal?: AbortSignal
  /** Given each reply as soon as it is there. */
  readonly replied?: (reply: ToolMessage) => void
}

/**
 * Runs the calls of one step, one after the other, and gives one reply for each in their order. Whatever goes
 * wrong in a call is its reply, which a model can read, and the next call runs: an unknown tool, bad
 * arguments, a refusal, a thrown error, a time limit. Rejects with the signal's reason before the next call
 * once it is aborted, and where the toolbox could not record a call.
 */
export async function executeTools(
  calls: readonly ToolCall[],
  { toolbox, signal = new AbortController().signal, replied }: ExecutionContext,
): Promise<readonly ToolMessage[]> {
  const replies: ToolMessage[] = []
  for (const call of calls) {
    signal.throwIfAborted()
    const content = textForModels(await toolbox.run(call, signal))
    const reply: ToolMessage = { role: 'tool', call: call.id, name: call.name, content }
    replies.push(reply)
    replied?.(reply)
  }
  return replies
}

/** A call with a clean name, what that name stands for, and its arguments. */
export interface KnownCall {
  readonly call: ToolCall
  readonly now: ToolsInReach
  readonly target: Target | undefined
  readonly args: ParsedArguments
  /** Whether the caller has the tool that reads further pages. */
  readonly canRead: boolean
}

/** Records a call, which is to run unless it is `notRun`. Gives the function that records its result. */
export type RecordCall<Reply> = (
  known: KnownCall,
  notRun: boolean,
) => Promise<(outcome: Outcome) => Promise<Reply>>

/** What a toolbox is made from. */
export interface ToolboxParts<Reply extends ToolReply> {
  readonly offer: Offer
  /**
   * Gives the tools of now. It is asked again before every call, so that a tool that was taken away is gone
   * at once.
   */
  readonly reach: () => Promise<ToolsInReach>
  readonly caller: Caller
  readonly runner: ToolRunner
  readonly record: RecordCall<Reply>
  /**
   * Gives the reason why a call may not run; undefined if it may. Asked before people are. Rejects as
   * `Toolbox.run` does.
   */
  readonly refuses?: (called: CalledTool, signal: AbortSignal) => Promise<string | undefined>
}

/** Whoever calls, a turn, a person or a program: this is the way to a tool. */
export function toolboxOf<Reply extends ToolReply>(parts: ToolboxParts<Reply>): Toolbox<Reply> {
  const { offer, reach, caller, runner, record } = parts

  /** Looks a call up in the tools of now. */
  async function lookUp({ name: given, ...rest }: ToolCall): Promise<KnownCall> {
    const call = { ...rest, name: cleanName(given) }
    const now = await reach()
    const target = offer.resolve(call.name, now)
    const canRead = offer.resolve(READ_FD, now)?.id === READ_FD
    return { call, now, target, args: parseArguments(call.arguments), canRead }
  }

  /** Records a call that does not run, and why. */
  async function notRun(known: KnownCall, result: ToolResult): Promise<Reply> {
    const finish = await record(known, true)
    return await finish(atOnce(result))
  }

  return {
    async run(asked, signal) {
      const known = await lookUp(asked)
      const { call, now, target, args } = known
      caller.report?.(call.name)
      if (!target) return await notRun(known, failed(offer.unknown(call.name, now)))
      if (!args.ok) return await notRun(known, failed(`${call.name}: ${args.error}`))
      if (target.kind === 'search')
        return await (
          await record(known, false)
        )(atOnce(await offer.search(args.value, now)))
      const isOffered = async (): Promise<boolean> =>
        offer.resolve(call.name, await reach())?.id === target.id
      const { tool, grantId, sharedId } = target
      const toolArgs = argumentsFor(args, tool.verbatim)
      const called = { tool, grantId, sharedId, name: call.name, args: toolArgs, caller, isOffered }
      const reason = await parts.refuses?.(called, signal)
      if (reason !== undefined) return await notRun(known, failed(`${call.name}: ${reason}`))
      const refusal = await runner.ask(called, signal)
      if (refusal) return await notRun(known, refusal)
      const finish = await record(known, false)
      return await finish(await runner.run(called, signal))
    },
    refuse: async (asked, reason) => await notRun(await lookUp(asked), failed(reason)),
  }
}

const atOnce = (result: ToolResult): Outcome => ({ result, waitedMs: 0 })
