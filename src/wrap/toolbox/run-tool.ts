import { type ToolProgress, WAITING_FOR_ANSWER } from '../../words/tool-progress.ts'
import type { Log } from '../../base/environment.ts'
import { errorMessage } from '../../base/errors.ts'
import { DeadlineError, underDeadline, type WaitUncounted } from '../../base/jobs/deadline.ts'
import type { JsonObject } from '../../base/json.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import {
  chatModel,
  type PermissionProvider,
  type ToolContext,
  questionFor,
  refusalOf,
  stoppedText,
  CancelledError,
  type Tool,
  type ToolLimits,
} from '../../tools/index.ts'
import { failed, renamedTrouble, type ToolResult, withTrouble } from '../../tools/results/index.ts'

/** The part of a tool's context that is the same for every call. */
export type CallerContext = Omit<ToolContext, 'signal' | 'limits' | 'progress'>

export type ReportDoing = (doing: string, progress?: ToolProgress) => void

/** A model in its turn, a person, or a program. */
export interface Caller {
  /** Called at each call. Rejects with `StorageError`. */
  context(): Promise<CallerContext>
  /** Called with the tool's name, or with `WAITING_FOR_ANSWER` while people are asked. */
  readonly report?: ReportDoing
  /** Calls `changed` when the caller's tools may have changed. Returns the function that stops watching. */
  readonly watchTools?: (changed: () => void) => () => void
}

export interface CalledTool {
  readonly tool: Tool
  readonly name: string
  /** See `Target`. */
  readonly grantId: string
  readonly sharedId: string
  readonly args: JsonObject
  readonly caller: Caller
  /** Resolves to true if the tool is still in the caller's scope. */
  readonly isOffered: () => Promise<boolean>
}

/** `waitedMs` is the time in which the call only waited for an answer. */
export interface Outcome {
  readonly result: ToolResult
  readonly waitedMs: number
}

/** Runs tools: no other code calls `Tool.run`. Failures and stops are results too. */
export class ToolRunner {
  readonly #limits: ToolLimits
  readonly #log: Log

  constructor(limits: ToolLimits, log: Log) {
    this.#limits = limits
    this.#log = log
  }

  /** Asks for permission if needed. Resolves to the reason against the call, if there is one. */
  ask(called: CalledTool, stop: AbortSignal): Promise<ToolResult | undefined> {
    return this.#inTime(called, stop, (context) =>
      withTrouble(called.name, async () => {
        const { tool, name, grantId, args } = called
        const question = await questionFor(tool, args, context, name)
        if (question === 'nobody') return undefined
        return await refusalOf(question, { id: grantId, access: tool.access }, context)
      }),
    )
  }

  /** Runs an allowed call within its time limit, which begins now. */
  async runAllowed(called: CalledTool, stop: AbortSignal): Promise<Outcome> {
    const { tool, name, args, caller } = called
    let waitedMs = 0
    let isOver = false
    const work = async ({ progress, ...context }: ToolContext): Promise<ToolResult> => {
      // Progress after the end would be shown after the result.
      const report = (told: ToolProgress): void => (isOver ? undefined : progress?.(told))
      const result = checkedResult(await tool.run(args, { ...context, progress: report }))
      return renamedTrouble(result, tool.id, name)
    }
    const since = performance.now()
    const result = await this.#inTime(called, stop, work, (ms) => void (waitedMs += ms))
    isOver = true
    const ms = Math.round(performance.now() - since)
    this.#log.debug({ tool: tool.id, ms, failed: result.isError }, 'a tool call ended')
    caller.report?.(name)
    return { result, waitedMs }
  }

  async #inTime<T>(
    called: CalledTool,
    stop: AbortSignal,
    work: (context: ToolContext) => Promise<T>,
    waited?: (ms: number) => void,
  ): Promise<T | ToolResult> {
    const limits = this.#limits
    try {
      stop.throwIfAborted()
      return await underDeadline(limits.timeoutMs, stop, async (signal, uncounted) =>
        work({ ...(await contextOfCall(called, signal, uncounted, waited)), signal, limits }),
      )
    } catch (error) {
      return failed(`${called.name}: ${this.#failureText(error, called, stop)}`)
    }
  }

  #failureText(error: unknown, { tool }: CalledTool, stop: AbortSignal): string {
    if (stop.aborted) return stoppedText(stop)
    if (error instanceof DeadlineError)
      return `no answer after ${this.#limits.timeoutMs / 1000} s; it was stopped`
    this.#log.warn({ tool: tool.id, error }, 'a tool threw')
    return cleanLine(errorMessage(error)) || 'it failed without saying why'
  }
}

/** Checks the result of a tool, which may be written without types. Throws an error for the caller. */
function checkedResult(result: ToolResult): ToolResult {
  const given: unknown = result
  if (typeof given === 'string') return { content: given, isError: false }
  if (typeof given === 'object' && given !== null && 'content' in given && typeof given.content === 'string')
    return result
  throw new Error('it gave back neither a text nor { content, isError }')
}

/** Returns one call's context. Waits for people or models (`uncounted`) do not count against the limit. */
async function contextOfCall(
  called: CalledTool,
  signal: AbortSignal,
  uncounted: WaitUncounted,
  waited: ((ms: number) => void) | undefined,
): Promise<Omit<ToolContext, 'signal' | 'limits'>> {
  const { caller, name } = called
  const context = await caller.context()
  const { model, turn } = context.chat
  // A question to a model ends with the tool's call.
  const ask = async (...[messages, stop]: Parameters<NonNullable<typeof model>['ask']>) => {
    const until = stop ? AbortSignal.any([signal, stop]) : signal
    return await uncounted(() => model!.ask(messages, until)).finally(() => caller.report?.(name))
  }
  return {
    ...context,
    chat: {
      ...(model && { model: chatModel(model.name, ask) }),
      // A getter, because a turn's messages grow.
      get messages() {
        return context.chat.messages
      },
      ...(turn && {
        turn: { ...turn, subTurns: { run: (request) => uncounted(() => turn.subTurns.run(request)) } },
      }),
    },
    permissions: {
      asksToRead: () => context.permissions.asksToRead?.() ?? false,
      request: (asked) => askPeople(called, context.permissions, asked, uncounted, waited),
    },
    progress: (progress) => {
      if (!signal.aborted) caller.report?.(name, progress)
    },
  }
}

const TURNED_OFF = 'it was turned off meanwhile'

/** Asks, and withdraws the question if the tool leaves the caller's scope meanwhile. */
async function askPeople(
  { name, caller, isOffered }: CalledTool,
  provider: PermissionProvider,
  asked: Parameters<PermissionProvider['request']>[0],
  uncounted: WaitUncounted,
  waited?: (ms: number) => void,
): ReturnType<PermissionProvider['request']> {
  const since = performance.now()
  const removed = new AbortController()
  const checkTools = async (): Promise<void> => {
    if (!(await isOffered())) removed.abort(new CancelledError(TURNED_OFF))
  }
  // If the tools cannot be read now, the check after the answer decides.
  const stopWatching = caller.watchTools?.(() => void checkTools().catch(() => undefined))
  const signal = AbortSignal.any([asked.signal, removed.signal])
  caller.report?.(WAITING_FOR_ANSWER)
  const verdict = await uncounted(() => provider.request({ ...asked, signal }))
  stopWatching?.()
  caller.report?.(name)
  waited?.(performance.now() - since)
  if (verdict !== 'allow') return verdict
  return (await isOffered()) ? 'allow' : { why: TURNED_OFF }
}
