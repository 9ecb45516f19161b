import type { Log } from '../chat/ports.ts'
import { cleanLine } from '../lib/text/clean-text.ts'
import { DeadlineError, underDeadline, type Uncounted } from '../lib/deadline.ts'
import type { JsonObject } from '../lib/json.ts'
import type { ToolLimits } from '../tools/limits.ts'
import { questionFor, refusalOf, Withdrawn } from '../tools/permission.ts'
import {
  failed,
  type CallingTurn,
  type PermissionProvider,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '../tools/tool.ts'
import { withTrouble } from '../tools/trouble.ts'

/** What a tool gets from its caller, whatever the call. */
export type CallerContext = Omit<ToolContext, 'signal' | 'limits'>

/** Whoever calls tools: a model in its turn, a person, or a program. */
export interface Caller {
  /** Gives what its tools get. Asked at each call. Rejects with `StorageError`. */
  context(): Promise<CallerContext>
  /** Told what the caller is doing now: the name of a tool, or that it waits for a permission. */
  readonly report?: (doing: string) => void
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
  readonly args: JsonObject
  readonly caller: Caller
  /** Whether the tool is still in the caller's scope. */
  readonly isOffered: () => Promise<boolean>
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

/** The only way to a tool: nothing but this calls `Tool.run`. Whatever goes wrong is a result, also when `stop` is aborted. */
export interface ToolRunner {
  /** Asks for everything that does more than read. Resolves with the reason why the call may not run; undefined if it may. */
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
    const { tool } = called
    try {
      stop.throwIfAborted()
      return await underDeadline(parts.limits.timeoutMs, stop, async (signal, uncounted) =>
        work(await contextFor(called, parts, { signal, uncounted, waited })),
      )
    } catch (error) {
      return failed(`${tool.id}: ${failureText(error, called, parts, stop)}`)
    }
  }

  return {
    ask: (called, stop) =>
      within(called, stop, (context) => withTrouble(called.tool.id, () => refusalFor(called, context))),
    async run(called, stop) {
      let waitedMs = 0
      const waited = (ms: number): void => void (waitedMs += ms)
      const result = await within(
        called,
        stop,
        async (context) => checked(await called.tool.run(called.args, context)),
        waited,
      )
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

async function refusalFor({ tool, grantId, args }: CalledTool, context: ToolContext) {
  const question = await questionFor(tool, args, context)
  if (question === 'nobody') return undefined
  return await refusalOf(question, { id: grantId, access: tool.access }, context)
}

function failureText(
  error: unknown,
  { tool }: CalledTool,
  { limits, log }: RunToolParts,
  stop: AbortSignal,
): string {
  if (stop.aborted) return 'stopped before it was done'
  if (error instanceof DeadlineError) return `no answer after ${limits.timeoutMs / 1000} s; it was stopped`
  log.warn({ tool: tool.id, error }, 'a tool threw')
  return cleanLine(error instanceof Error ? error.message : String(error)) || 'it failed without saying why'
}

/** The time that a part of a call has. */
interface CallTime {
  readonly signal: AbortSignal
  /** For what takes other people's time. */
  readonly uncounted: Uncounted
  /** Told how many milliseconds were spent on waiting for an answer. */
  readonly waited: (ms: number) => void
}

/** What a tool gets for one call. Rejects as `Caller.context` does. */
async function contextFor(
  called: CalledTool,
  { limits }: RunToolParts,
  time: CallTime,
): Promise<ToolContext> {
  const context = await called.caller.context()
  const { turn } = context.chat
  return {
    ...context,
    chat: turn ? inTurn(context.chat, withoutDeadline(turn, time.uncounted)) : context.chat,
    permissions: permissionsOf(called, context.permissions, time),
    signal: time.signal,
    limits,
  }
}

/** The same conversation, whose messages are read when they are asked for. */
const inTurn = (chat: ToolContext['chat'], turn: CallingTurn): ToolContext['chat'] => ({
  ...(chat.model === undefined ? {} : { model: chat.model }),
  get messages() {
    return chat.messages
  },
  turn,
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
