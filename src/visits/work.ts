import type { ToolRuns } from '../turns/tool-runs.ts'
import type { Turns } from '../turns/turns.ts'
import type { Summaries } from '../turns/summaries/summaries.ts'

/** Activities in rooms that can be stopped. */
export interface Work {
  readonly turns: Turns
  readonly runs: ToolRuns
  readonly summaries: Summaries
}
