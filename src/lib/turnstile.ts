/** Resolves when it is the caller's turn: one caller for each look at the event loop, in the order of calling. */
export type Turnstile = () => Promise<void>

/**
 * Keeps apart those who do a large piece of work each time, such as printing a page: however many they are, everybody
 * else waits for one piece at most. `soon` calls back once the event loop was looked at: Node's `setImmediate`.
 */
export function createTurnstile(soon: (run: () => void) => void): Turnstile {
  const waiting: (() => void)[] = []
  const next = (): void => {
    waiting.shift()?.()
    if (waiting.length > 0) soon(next)
  }
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (waiting.length === 1) soon(next)
    })
}
