import type { Log } from '../chat/ports.ts'
import { errorMessage } from '../lib/errors.ts'
import { cleanLine } from '../lib/text/clean-text.ts'
import { DeadlineError, underDeadline, type Uncounted } from '../lib/jobs/deadline.ts'
import type { JsonObject } from '../lib/json.ts'
import {
  type ToolLimits,
  type ToolContext,
  type CallingTurn,
  type PermissionProvider,
  chatModel,
  type ChatModel,
} from '../tools/context.ts'
import { questionFor, refusalOf, stoppedText, Withdrawn } from '../tools/permission.ts'
import { failed, renamedTrouble, type ToolResult, withTrouble } from '../tools/result.ts'
import type { Tool } from '../tools/tool.ts'
import type { ToolProgress } from '../chat/tool-progress.ts'

/** A call of a tool that is there, with arguments that are an object. */
export interface CalledTool extends ContextOfCall {
  readonly tool: Tool
  /** The tool's id for permissions. */
  readonly grantId: string
  /** See `Target`. */
  readonly doesAs: string
  readonly args: JsonObject
}

/** What all tools run with. */
interface RunToolParts {
  readonly limits: ToolLimits
  readonly log: Log
}

/** What came of a tool that ran. */
export interface Outcome {
  readonly result: ToolResult
  /** Milliseconds in which it only waited for somebody's answer. */
  readonly waitedMs: number
}

/**
 * The only way to a tool: nothing but this calls `Tool.run`. Whatever goes wrong is a result, also when
 * `stop` is aborted.
 */
export interface ToolRunner {
  /**
   * Asks for everything that does more than read. Resolves with the reason why the call may not run;
   * undefined if it may.
   */
  ask(called: CalledTool, stop: AbortSignal): Promise<ToolResult | undefined>
  /** Runs an allowed call within its time limit, which begins now. */
  run(called: CalledTool, stop: AbortSignal): Promise<Outcome>
}

export function createToolRunner(parts: RunToolParts): ToolRunner {
  /** Does a part of a call within the tool's time. `waited` is told how long the part waited for answers. */
  async function within<T>(
    called: CalledTool,
    stop: AbortSignal,
    work: (context: ToolContext) => Promise<T>,
    waited: (ms: number) => void = () => {},
  ): Promise<T | ToolResult> {
    try {
      stop.throwIfAborted()
      return await underDeadline(parts.limits.timeoutMs, stop, async (signal, uncounted) =>
        work(await contextFor(called, parts.limits, { signal, uncounted, waited })),
      )
    } catch (error) {
      return failed(`${called.name}: ${failureText(error, called, parts, stop)}`)
    }
  }

  return {
    ask: (called, stop) =>
      within(called, stop, (context) => withTrouble(called.name, () => refusalFor(called, context))),
    async run(called, stop) {
      let waitedMs = 0
      const waited = (ms: number): void => void (waitedMs += ms)
      let isOver = false
      /** What comes after the end is told to nobody: it would stand behind the result. */
      const progress =
        (tell: ToolContext['progress']): ToolContext['progress'] =>
        (told) =>
          isOver ? undefined : tell?.(told)
      const result = await within(
        called,
        stop,
        async (context) => {
          const during = { ...context, progress: progress(context.progress) }
          return asCalled(called, checked(await called.tool.run(called.args, during)))
        },
        waited,
      )
      isOver = true
      called.caller.report?.(called.name)
      return { result, waitedMs }
    },
  }
}

/** What a tool written without types gives back may be anything. Throws what the caller is to read. */
function checked(result: ToolResult): ToolResult {
  const given: unknown = result
  if (typeof given === 'string') return { content: given, isError: false }
  if (typeof given === 'object' && given !== null && 'content' in given && typeof given.content === 'string')
    return result
  throw new Error('it gave back neither a text nor { content, isError }')
}

/** An error names the tool as its caller did. */
const asCalled = ({ tool, name }: CalledTool, result: ToolResult): ToolResult =>
  renamedTrouble(result, tool.id, name)

async function refusalFor({ tool, name, grantId, args }: CalledTool, context: ToolContext) {
  const question = await questionFor(tool, args, context, name)
  if (question === 'nobody') return undefined
  return await refusalOf(question, { id: grantId, access: tool.access }, context)
}

function failureText(
  error: unknown,
  { tool }: CalledTool,
  { limits, log }: RunToolParts,
  stop: AbortSignal,
): string {
  if (stop.aborted) return stoppedText(stop)
  if (error instanceof DeadlineError) return `no answer after ${limits.timeoutMs / 1000} s; it was stopped`
  log.warn({ tool: tool.id, error }, 'a tool threw')
  return cleanLine(errorMessage(error)) || 'it failed without saying why'
}

/** What a tool gets from its caller, whatever the call. */
export type CallerContext = Omit<ToolContext, 'signal' | 'limits' | 'progress'>

/** Is told what somebody does now, and how far that is. */
export type ReportDoing = (doing: string, progress?: ToolProgress) => void

/** Whoever calls tools: a model in its turn, a person, or a program. */
export interface Caller {
  /** Gives what its tools get. Asked at each call. Rejects with `StorageError`. */
  context(): Promise<CallerContext>
  /**
   * Told what the caller is doing now: the name of a tool, or that it waits for a permission; and how far the
   * tool is.
   */
  readonly report?: ReportDoing
  /** Calls `changed` whenever the caller's tools may have changed. Returns the function that ends this. */
  readonly watchTools?: (changed: () => void) => () => void
}

/** What of a call its context is made from. */
export interface ContextOfCall {
  /** The name the tool was called by. */
  readonly name: string
  readonly caller: Caller
  /** Whether the tool is still in the caller's scope. */
  readonly isOffered: () => Promise<boolean>
}

/** The time that a part of a call has. */
export interface CallTime {
  readonly signal: AbortSignal
  /** For what takes other people's time. */
  readonly uncounted: Uncounted
  /** Told how many milliseconds were spent on waiting for an answer. */
  readonly waited: (ms: number) => void
}

/** What a tool gets for one call. Rejects as `Caller.context` does. */
export async function contextFor(
  called: ContextOfCall,
  limits: ToolLimits,
  time: CallTime,
): Promise<ToolContext> {
  const context = await called.caller.context()
  return {
    ...context,
    chat: chatOfCall(called, context.chat, time),
    permissions: permissionsOf(called, context.permissions, time),
    progress: (progress) => {
      if (!time.signal.aborted) called.caller.report?.(called.name, progress)
    },
    signal: time.signal,
    limits,
  }
}

/** The same conversation, whose messages are read when they are asked for. */
const chatOfCall = (
  called: ContextOfCall,
  chat: ToolContext['chat'],
  time: CallTime,
): ToolContext['chat'] => ({
  ...(chat.model ? { model: modelOfCall(called, chat.model, time) } : {}),
  get messages() {
    return chat.messages
  },
  ...(chat.turn ? { turn: withoutDeadline(chat.turn, time.uncounted) } : {}),
})

/** A question has the time of the turn, and not that of the tool; it ends with the tool's call. */
const modelOfCall = (
  { name, caller }: ContextOfCall,
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

/** A sub-turn has the time of its turn, and not the time of the tool that started it. */
const withoutDeadline = (turn: CallingTurn, uncounted: Uncounted): CallingTurn => ({
  ...turn,
  subTurns: { run: (request) => uncounted(() => turn.subTurns.run(request)) },
})

/** What a caller is said to do while a question of its is open. */
const WAITING = 'waiting for /allow'

/** The tool's time does not count while people are asked. The scope may have changed meanwhile. */
const permissionsOf = (
  { name, caller, isOffered }: ContextOfCall,
  provider: PermissionProvider,
  { uncounted, waited }: CallTime,
): PermissionProvider => ({
  async request(asked) {
    const since = performance.now()
    const taken = new AbortController()
    const checkTools = async (): Promise<void> => {
      if (!(await isOffered())) taken.abort(new Withdrawn(TURNED_OFF))
    }
    // Where the tools cannot be read now, they are once more after the answer.
    const stopWatching = caller.watchTools?.(() => void checkTools().catch(() => undefined))
    const signal = AbortSignal.any([asked.signal, taken.signal])
    caller.report?.(WAITING)
    const verdict = await uncounted(() => provider.request({ ...asked, signal }))
    stopWatching?.()
    caller.report?.(name)
    waited(performance.now() - since)
    if (verdict !== 'allow') return verdict
    return (await isOffered()) ? 'allow' : { why: TURNED_OFF }
  },
})

const TURNED_OFF = 'it was turned off meanwhile'
