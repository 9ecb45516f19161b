import { cleanLine } from '../lib/clean-text.ts'
import { DeadlineError, underDeadline } from '../lib/deadline.ts'
import { questionFor, refusalOf } from '../tools/permission.ts'
import { failed, type ToolContext, type ToolResult } from '../tools/tool.ts'
import { withTrouble } from '../tools/trouble.ts'
import { contextFor, type CalledTool, type RunToolParts } from './tool-context.ts'

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
      const result = await within(called, stop, (context) => called.tool.run(called.args, context), waited)
      return { result, waitedMs }
    },
  }
}

async function refusalFor({ tool, grantId, args }: CalledTool, context: ToolContext) {
  const question = await questionFor(tool, args, context)
  if (question === 'nobody') return undefined
  return await refusalOf(question, { id: grantId, access: tool.access }, context)
}

function failureText(
  error: unknown,
  { caller }: CalledTool,
  { limits, log }: RunToolParts,
  stop: AbortSignal,
): string {
  if (stop.aborted) return 'stopped before it was done'
  if (error instanceof DeadlineError) return `no answer after ${limits.timeoutMs / 1000} s; it was stopped`
  log.warn({ turn: caller.turn?.id, error }, 'a tool threw')
  return cleanLine(error instanceof Error ? error.message : String(error)) || 'it failed without saying why'
}
