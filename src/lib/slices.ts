/** What `createSlices` needs of the outside. */
export interface SliceTimers {
  /** Milliseconds that never go back. */
  now(): number
  /** Calls back once the event loop has looked at sockets and timers: Node's `setImmediate`. */
  soon(run: () => void): void
}

/**
 * Shares the thread between those who have much to do: readers of keys, drawers of screens, answerers of requests.
 * Each divides its work into pieces that take a fraction of a millisecond, and waits for its turn before each piece.
 */
export interface Slices {
  /**
   * Runs one piece of work, and settles as it does: at once while the slice lasts and nobody waits, otherwise after all
   * who wait already. So whoever has a hundred pieces to do is passed by everybody who has one.
   */
  turn<T>(work: () => T): Promise<T>
  /** Resolves after the event loop was looked at once more: for work that is asynchronous and may still never wait. */
  rest(): Promise<void>
}

/** Work that is done between two looks at the event loop, in milliseconds; the last piece may pass it. */
export const SLICE_MS = 5

/** One for a process: a slice is only short if all share it. */
export function createSlices({ now, soon }: SliceTimers): Slices {
  let waiting: (() => void)[] = []
  let used = 0

  const hasTime = (): boolean => used < SLICE_MS

  function measured<T>(work: () => T): T {
    const begun = now()
    try {
      return work()
    } finally {
      used += now() - begun
    }
  }

  function wait(run: () => void): void {
    waiting.push(run)
    if (waiting.length === 1) soon(serve)
  }

  /** What those who are served want next comes after those who wait now. */
  function serve(): void {
    used = 0
    let served = 0
    while (served < waiting.length && hasTime()) waiting[served++]?.()
    waiting = waiting.slice(served)
    if (waiting.length > 0) soon(serve)
  }

  return {
    async turn(work) {
      if (waiting.length === 0 && hasTime()) return measured(work)
      return await new Promise((resolve, reject) => {
        wait(() => {
          try {
            resolve(measured(work))
          } catch (error) {
            reject(error)
          }
        })
      })
    },
    rest: () => new Promise((resolve) => wait(resolve)),
  }
}
