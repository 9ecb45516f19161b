import type { Usage } from '../chat/entry.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import type { StepMessage } from './ports.ts'
import type { PreparedStep } from './prepared-step.ts'
import type { Reply } from './reply.ts'
import type { SubTurnRunner, TurnJob } from './turn-job.ts'

/** A turn while it runs. */
export interface Turn {
  readonly job: TurnJob
  readonly signal: AbortSignal
  readonly reply: Reply
  /** All steps so far. */
  readonly messages: StepMessage[]
  readonly subTurns: SubTurnRunner
  /** The model's settings, as far as is known by now what it can do. */
  settings: ModelSettings
  /** The newest step; absent until the first prompt is composed. */
  step?: PreparedStep
  usage?: Usage
}

/** Adds to what the turn has used. The turn that started a sub-turn counts it as well. */
export function spend(turn: Turn, usage: Usage): void {
  turn.usage = addUsage(turn.usage, usage)
  turn.job.origin?.spent(usage)
}

/** The sum of two usages; `cached` is told if either tells it. */
export function addUsage(sum: Usage | undefined, usage: Usage): Usage {
  const cached = addIfTold(sum?.cached, usage.cached)
  return {
    input: (sum?.input ?? 0) + usage.input,
    output: (sum?.output ?? 0) + usage.output,
    ...(cached === undefined ? {} : { cached }),
  }
}

const addIfTold = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)

/** The name of the turn's model. */
export const nameOf = (job: TurnJob): string => job.model.settings.name
