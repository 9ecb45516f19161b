import { cleanLine } from '../lib/clean-text.ts'
import { DeadlineError } from './deadline.ts'
import type { ToolboxParts } from './toolbox.ts'

/** What a model is told of a tool that threw, ran out of time, or was stopped with its turn. */
export function failureText(
  error: unknown,
  turn: AbortSignal,
  { limits, log, turn: id }: ToolboxParts,
): string {
  if (turn.aborted) return 'stopped before it was done'
  if (error instanceof DeadlineError) return `no answer after ${limits.timeoutMs / 1000} s; it was stopped`
  log.warn({ turn: id, error }, 'a tool threw')
  return cleanLine(error instanceof Error ? error.message : String(error)) || 'it failed without saying why'
}
