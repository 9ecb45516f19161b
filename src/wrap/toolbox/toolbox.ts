// A toolbox is one caller's current tools: it looks up a called name, asks for permission, runs the call and
// records it. This folder must not know how models and people are asked, or where tools come from.
import { textForModels, type TextFromTools } from '../../words/outside.ts'
import type { ToolMessage } from '../../tools/index.ts'
import type { Picture } from '../../words/picture.ts'
import { READ_FD, failed, type ToolResult } from '../../tools/results/index.ts'
import type { CallNames, Target } from './offer.ts'
import type { Caller, CalledTool, Outcome, ToolRunner } from './run-tool.ts'
import type { AvailableTools } from './available-tools.ts'
import { argumentsFor, cleanName, parseArguments, type ParsedArguments, type ToolCall } from './tool-call.ts'

/** The result of a call as people read it; models read `textForModels` of it. */
export interface ToolReply extends TextFromTools {
  readonly call: string
  readonly name: string
  readonly isError: boolean
  /** For the model that called; no part of the log. */
  readonly pictures?: readonly Picture[]
  /** The text that the log keeps instead. */
  readonly logged?: string
}

export interface Toolbox<Reply extends ToolReply = ToolReply> {
  /**
   * Asks for permission if needed, runs a call and records its result. Failures are results too. Rejects only
   * if the call, which is then not run, or its result could not be recorded.
   */
  run(call: ToolCall, signal: AbortSignal): Promise<Reply>
  /** Records a call and the reason why it is not run. Rejects as `run` does. */
  refuse(call: ToolCall, reason: string): Promise<Reply>
}

export interface ExecutionContext {
  readonly toolbox: Pick<Toolbox, 'run'>
  /** Ends the execution, and the call that runs. */
  readonly signal?: AbortSignal
  readonly replied?: (reply: ToolMessage) => void
}

/**
 * Runs the calls of one step, one after the other, and gives one reply for each in their order, also for a
 * call that fails. Rejects with the signal's reason before the next call, and as the toolbox does.
 */
export async function executeTools(
  calls: readonly ToolCall[],
  { toolbox, signal = new AbortController().signal, replied }: ExecutionContext,
): Promise<readonly ToolMessage[]> {
  const replies: ToolMessage[] = []
  for (const call of calls) {
    signal.throwIfAborted()
    const result = await toolbox.run(call, signal)
    const { pictures, logged } = result
    const content = textForModels(result)
    const reply: ToolMessage = {
      role: 'tool',
      call: call.id,
      name: call.name,
      content,
      ...(pictures && { pictures }),
      ...(logged !== undefined && { logged }),
    }
    replies.push(reply)
    replied?.(reply)
  }
  return replies
}

export interface KnownCall {
  readonly call: ToolCall
  readonly now: AvailableTools
  readonly target: Target | undefined
  readonly args: ParsedArguments
  /** True if the caller has the tool that reads further pages. */
  readonly canRead: boolean
}

/** Records a call, marked if it is `notRun`. Resolves to the function that records its result. */
export type RecordCall<Reply> = (
  known: KnownCall,
  notRun: boolean,
) => Promise<(outcome: Outcome) => Promise<Reply>>

export interface ToolboxParts<Reply extends ToolReply> {
  readonly names: CallNames
  /** Called before every call, so that a removed tool is gone at once. */
  readonly currentTools: () => Promise<AvailableTools>
  readonly caller: Caller
  readonly runner: ToolRunner
  readonly record: RecordCall<Reply>
  /** Resolves to the reason against a call, before people are asked. Rejects as `Toolbox.run`. */
  readonly refusalFor?: (called: CalledTool, signal: AbortSignal) => Promise<string | undefined>
}

export function toolboxOf<Reply extends ToolReply>(parts: ToolboxParts<Reply>): Toolbox<Reply> {
  const { names, currentTools, caller, runner, record } = parts

  async function lookUp({ name: given, ...rest }: ToolCall): Promise<KnownCall> {
    const name = cleanName(given)
    const now = await currentTools()
    const target = names.resolve(name, now)
    const typed = target && names.argumentsOf?.(rest.arguments, name, target)
    const call = { ...rest, name, arguments: typed ?? rest.arguments }
    const canRead = names.resolve(READ_FD, now)?.id === READ_FD
    return { call, now, target, args: parseArguments(call.arguments), canRead }
  }

  async function refuseCall(known: KnownCall, result: ToolResult): Promise<Reply> {
    const recordResult = await record(known, true)
    return await recordResult({ result, waitedMs: 0 })
  }

  return {
    async run(asked, signal) {
      const known = await lookUp(asked)
      const { now, target, args } = known
      const { name } = known.call
      caller.report?.(name)
      if (!target) return await refuseCall(known, failed(names.unknown(name, now)))
      if (!args.ok) return await refuseCall(known, failed(`${name}: ${args.error}`))
      if (target.kind === 'search') {
        const recordResult = await record(known, false)
        return await recordResult({ result: await names.search(args.value, now), waitedMs: 0 })
      }
      const called: CalledTool = {
        ...target,
        name,
        args: argumentsFor(args, target.tool.verbatim),
        caller,
        isOffered: async () => names.resolve(name, await currentTools())?.id === target.id,
      }
      const reason = await parts.refusalFor?.(called, signal)
      const refusal = reason === undefined ? await runner.ask(called, signal) : failed(`${name}: ${reason}`)
      if (refusal) return await refuseCall(known, refusal)
      const recordResult = await record(known, false)
      return await recordResult(await runner.runAllowed(called, signal))
    },
    refuse: async (asked, reason) => await refuseCall(await lookUp(asked), failed(reason)),
  }
}
