import { WebError } from '../../tools/web.ts'

/** How long something on the web may take. Milliseconds. */
export interface TimeLimits {
  readonly totalMs: number
  /** Without a byte, or another sign of life. */
  readonly idleMs: number
}

/** The running time limit of one job. Whoever starts it disposes of it when the job is done. */
export interface TimeLimit extends Disposable {
  /** Aborted with a `WebError` when the time is over, or with the outer signal's reason. */
  readonly signal: AbortSignal
  /** Restarts the idle time, because something arrived. */
  progress(): void
}

/** Starts the time limit of a job. */
export function startTimeLimit({ totalMs, idleMs }: TimeLimits, outer: AbortSignal): TimeLimit {
  const over = new AbortController()
  const giveUp = (reason: string) => (): void => over.abort(new WebError(reason))
  const silent = giveUp(`the server sent nothing for ${idleMs / 1000} s`)
  const total = setTimeout(giveUp(`the server was not done after ${totalMs / 1000} s`), totalMs)
  let idle = setTimeout(silent, idleMs)
  return {
    signal: AbortSignal.any([outer, over.signal]),
    progress() {
      clearTimeout(idle)
      idle = setTimeout(silent, idleMs)
    },
    [Symbol.dispose]() {
      clearTimeout(total)
      clearTimeout(idle)
    },
  }
}
