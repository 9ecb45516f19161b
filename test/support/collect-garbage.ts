import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: (() => void) | undefined

/**
 * Collects all that nobody holds any more, in this process, in one go: the inspector's own collection goes over the heap, which is
 * large in a worker that has run many tests, up to seven times.
 */
export async function collectGarbage(): Promise<void> {
  collect ??= exposedCollect()
  // What the last task still had on its stack, or keeps to its end for a WeakRef, is let go first.
  await new Promise(setImmediate)
  collect()
}

function exposedCollect(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}
