import type { Log } from '../chat/ports.ts'
import { errorMessage } from '../lib/errors.ts'
import { cleanLine } from '../lib/text/clean-text.ts'
import { DeadlineError, underDeadline } from '../lib/jobs/deadline.ts'
import type { JsonObject } from '../lib/json.ts'
import type { ToolLimits, ToolContext } from '../tools/context.ts'
import { questionFor, refusalOf, stoppedText } from '../tools/permission.ts'
import { failed, renamedTrouble, type ToolResult, withTrouble } from '../tools/result.ts'
import type { Tool } from '../tools/tool.ts'
import { contextFor, type ContextOfCall } from './call-context.ts'

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
