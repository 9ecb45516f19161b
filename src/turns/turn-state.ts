import type { Usage } from '../chat/entry.ts'
import { costOf, type Price } from '../lib/price.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import { addCosts } from './bill/usage-sums.ts'
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
  /** What it has used so far, its sub-turns included; absent while no provider reported anything. */
  spent?: Spent
}

/** What requests used. */
export interface Spent {
  readonly usage: Usage
  /** In 10^-12 of a currency unit; absent where no model of them has a price. */
  readonly cost?: bigint
}

/** Adds to what the turn has used. The turn that started a sub-turn counts it as well. */
export function spend(turn: Turn, spent: Spent): void {
  const cost = addCosts(turn.spent?.cost, spent.cost)
  turn.spent = { usage: addUsage(turn.spent?.usage, spent.usage), ...(cost === undefined ? {} : { cost }) }
  turn.job.origin?.spent(spent)
}

/** What one request used, at these prices. */
export const spentFor = (usage: Usage, price: Price | undefined): Spent => ({
  usage,
  ...(price ? { cost: costOf(usage, price) } : {}),
})

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
