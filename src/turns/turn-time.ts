import { TurnStopped } from './ending.ts'

/** The signal that ends a turn: `stop`, or its time in seconds is over. `end` takes the timer away. */
export function withinTime(
  seconds: number,
  model: string,
  stop: AbortSignal,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const late = new AbortController()
  const reason = new TurnStopped(`@${model} took longer than ${seconds} s; it was stopped`)
  const timer = setTimeout(() => late.abort(reason), seconds * 1000)
  return { signal: AbortSignal.any([stop, late.signal]), end: () => clearTimeout(timer) }
}
