import type { ToolRuns, Turns } from '../turns/index.ts'
import type { Summaries } from '../turns/summaries/index.ts'

/** Activities in rooms that can be stopped. */
export interface Work {
  readonly turns: Turns
  readonly runs: ToolRuns
  readonly summaries: Summaries
}
