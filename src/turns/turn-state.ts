import type { ModelSettings } from '../prompt/model-settings.ts'
import { addSpent, type Spent } from './billing.ts'
import type { AskedByTools } from './tool-questions.ts'
import type { StepMessage } from './ports.ts'
import type { PreparedStep } from './prepare-step.ts'
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
  readonly askedByTools: AskedByTools
  /** The model's settings, as far as is known by now what it can do. */
  settings: ModelSettings
  /** The newest step; absent until the first prompt is composed. */
  step?: PreparedStep
  /** What it has used so far, its sub-turns included; absent while no provider reported anything. */
  spent?: Spent
}

/** Adds to what the turn has used. The turn that started a sub-turn counts it as well. */
export function spend(turn: Turn, spent: Spent): void {
  turn.spent = addSpent(turn.spent, spent)
  turn.job.origin?.spent(spent)
}

/** The name of the turn's model. */
export const nameOf = (job: TurnJob): string => job.model.settings.name
