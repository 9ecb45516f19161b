import type { Log } from '../chat/ports.ts'
import type { ToolProgress } from '../chat/tool-progress.ts'
import { errorMessage } from '../lib/errors.ts'
import { DeadlineError, underDeadline, type Uncounted } from '../lib/jobs/deadline.ts'
import type { JsonObject } from '../lib/json.ts'
import { cleanLine } from '../lib/text/clean-text.ts'
import {
  chatModel,
  type ChatModel,
  type PermissionProvider,
  type ToolContext,
  type ToolLimits,
} from '../tools/context.ts'
import { questionFor, refusalOf, stoppedText, Withdrawn } from '../tools/permission.ts'
import { failed, renamedTrouble, type ToolResult, withTrouble } from '../tools/result.ts'
import type { Tool } from '../tools/tool.ts'

/** The context of a caller's tools, whatever the call. */
export type CallerContext = Omit<ToolContext, 'signal' | 'limits' | 'progress'>

/** Reports what somebody does now, and how far that is. */
export type ReportDoing = (doing: string, progress?: ToolProgress) => void

/** A model in its turn, a person, or a program. */
export interface Caller {
  /** Asked at each call. Rejects with `StorageError`. */
  context(): Promise<CallerContext>
  /** Gets the name of a tool, or that the caller waits for a permission; and how far the tool is. */
  readonly report?: ReportDoing
  /** Calls `changed` whenever the caller's tools may have changed. Returns the function that ends this. */
  readonly watchTools?: (changed: () => void) => () => void
}

/** A call of a tool that is there, with arguments that are an object. */
export interface CalledTool {
  readonly tool: Tool
  /** The name it was called by. */
  readonly name: string
  /** The tool's id for permissions. */
  readonly grantId: string
  /** See `Target`. */
  readonly sharedId: string
  readonly args: JsonObject
  readonly caller: Caller
  /** True if the tool is still in the caller's scope. */
  readonly isOffered: () => Promise<boolean>
}

/** The result of a tool that ran. */
export interface Outcome {
  readonly result: ToolResult
  /** Milliseconds in which it only waited for somebody's answer. */
  readonly waitedMs: number
}

/**
 * The only way to a tool: nothing but this calls `Tool.run`. Any failure is a result, also when `stop` is
 * aborted.
 */
export interface ToolRunner {
  /**
   * Asks for everything that does more than read. Resolves with the reason against the call; undefined if it
   * may run.
   */
  ask(called: CalledTool, stop: AbortSignal): Promise<ToolResult | undefined>
  /** Runs an allowed call within its time limit, which begins now. */
  run(called: CalledTool, stop: AbortSignal): Promise<Outcome>
}

export function createToolRunner(parts: { readonly limits: ToolLimits; readonly log: Log }): ToolRunner {
  const { limits, log } = parts

  /** Does a part of a call within the tool's time. */
  async function within<T>(
    called: CalledTool,
    stop: AbortSignal,
    work: (context: ToolContext) => Promise<T>,
    waited?: (ms: number) => void,
  ): Promise<T | ToolResult> {
    try {
      stop.throwIfAborted()
      return await underDeadline(limits.timeoutMs, stop, async (signal, uncounted) =>
        work(await contextFor(called, limits, { signal, uncounted, waited })),
      )
    } catch (error) {
      return failed(`${called.name}: ${failureText(error, called, stop)}`)
    }
  }

  function failureText(error: unknown, { tool }: CalledTool, stop: AbortSignal): string {
    if (stop.aborted) return stoppedText(stop)
    if (error instanceof DeadlineError) return `no answer after ${limits.timeoutMs / 1000} s; it was stopped`
    log.warn({ tool: tool.id, error }, 'a tool threw')
    return cleanLine(errorMessage(error)) || 'it failed without saying why'
  }

  return {
    ask: (called, stop) =>
      within(called, stop, (context) => withTrouble(called.name, () => refusalFor(called, context))),
    async run(called, stop) {
      const { tool, name, args, caller } = called
      let waitedMs = 0
      let isOver = false
      const work = async ({ progress, ...context }: ToolContext): Promise<ToolResult> => {
        // Progress after the end would be shown behind the result.
        const report = (told: ToolProgress): void => (isOver ? undefined : progress?.(told))
        const result = checked(await tool.run(args, { ...context, progress: report }))
        return renamedTrouble(result, tool.id, name)
      }
      const result = await within(called, stop, work, (ms) => void (waitedMs += ms))
      isOver = true
      caller.report?.(name)
      return { result, waitedMs }
    },
  }
}

/** A tool written without types may return anything. Throws an error for the caller. */
function checked(result: ToolResult): ToolResult {
  const given: unknown = result
  if (typeof given === 'string') return { content: given, isError: false }
  if (typeof given === 'object' && given !== null && 'content' in given && typeof given.content === 'string')
    return result
  throw new Error('it gave back neither a text nor { content, isError }')
}

async function refusalFor({ tool, name, grantId, args }: CalledTool, context: ToolContext) {
  const question = await questionFor(tool, args, context, name)
  if (question === 'nobody') return undefined
  return await refusalOf(question, { id: grantId, access: tool.access }, context)
}

/** The time that a part of a call has. */
interface CallTime {
  readonly signal: AbortSignal
  /** For waiting, which takes other people's time. */
  readonly uncounted: Uncounted
  /** Gets the milliseconds that were spent on waiting for an answer. */
  readonly waited: ((ms: number) => void) | undefined
}

/** The context of one call. Rejects as `Caller.context` does. */
async function contextFor(called: CalledTool, limits: ToolLimits, time: CallTime): Promise<ToolContext> {
  const { caller, name } = called
  const { signal, uncounted } = time
  const context = await caller.context()
  const { model, turn } = context.chat
  return {
    ...context,
    chat: {
      ...(model && { model: modelOf(called, model, time) }),
      // A turn's messages grow.
      get messages() {
        return context.chat.messages
      },
      // A side turn has the time of its turn, and not that of the tool that started it.
      ...(turn && {
        turn: { ...turn, subTurns: { run: (request) => uncounted(() => turn.subTurns.run(request)) } },
      }),
    },
    permissions: permissionsOf(called, context.permissions, time),
    progress: (progress) => {
      if (!signal.aborted) caller.report?.(name, progress)
    },
    signal,
    limits,
  }
}

/** A question to a model has the time of the turn, and not that of the tool; it ends with the tool's call. */
const modelOf = (
  { name, caller }: CalledTool,
  model: ChatModel,
  { signal, uncounted }: CallTime,
): ChatModel =>
  chatModel(model.name, async (messages, stop) => {
    const until = stop ? AbortSignal.any([signal, stop]) : signal
    try {
      return await uncounted(() => model.ask(messages, until))
    } finally {
      caller.report?.(name)
    }
  })

/** A caller's report while a question is open. */
const WAITING = 'waiting for /allow'

const TURNED_OFF = 'it was turned off meanwhile'

/** The tool's time does not count while people are asked. The scope may have changed meanwhile. */
const permissionsOf = (
  { name, caller, isOffered }: CalledTool,
  provider: PermissionProvider,
  { uncounted, waited }: CallTime,
): PermissionProvider => ({
  async request(asked) {
    const since = performance.now()
    const taken = new AbortController()
    const checkTools = async (): Promise<void> => {
      if (!(await isOffered())) taken.abort(new Withdrawn(TURNED_OFF))
    }
    // If the tools cannot be read now, they are once more after the answer.
    const stopWatching = caller.watchTools?.(() => void checkTools().catch(() => undefined))
    const signal = AbortSignal.any([asked.signal, taken.signal])
    caller.report?.(WAITING)
    const verdict = await uncounted(() => provider.request({ ...asked, signal }))
    stopWatching?.()
    caller.report?.(name)
    waited?.(performance.now() - since)
    if (verdict !== 'allow') return verdict
    return (await isOffered()) ? 'allow' : { why: TURNED_OFF }
  },
})
