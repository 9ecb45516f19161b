import type { Usage } from '../../words/entry.ts'
import type { PartialUsage } from './model.ts'

/** What a request has received so far. */
export interface ReceivedAnswer {
  /** All that the model wrote: thoughts, text and calls. */
  readonly text: string
  readonly reported: PartialUsage
}

export const addCosts = (a: bigint | undefined, b: bigint | undefined): bigint | undefined =>
  a === undefined || b === undefined ? (a ?? b) : a + b

/** Adds two usages. `cached` and `estimated` are present if either usage has them. */
export function addUsage(sum: Usage | undefined, usage: Usage): Usage {
  const cached = addIfKnown(sum?.cached, usage.cached)
  const estimated = addEstimates(sum?.estimated, usage.estimated)
  return {
    input: (sum?.input ?? 0) + usage.input,
    output: (sum?.output ?? 0) + usage.output,
    ...(cached === undefined ? {} : { cached }),
    ...(estimated ? { estimated } : {}),
  }
}

export const addEstimates = (a: Usage['estimated'], b: Usage['estimated']): Usage['estimated'] =>
  a && b ? { input: a.input + b.input, output: a.output + b.output } : (a ?? b)

const addIfKnown = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)
