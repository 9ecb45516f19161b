import type { Log } from '../../chat/ports.ts'

/** How often it is told at most that others publish, in milliseconds. */
const TOLD_MS = 60_000

const STRANGERS =
  'somebody who is no server of this database publishes on the bus; it was shown to nobody. Look who may do that'

/** Messages of those who are no server of this database. */
export interface StrangerNotes extends Disposable {
  /** Counts one more. The first is told at once, the others once a minute, and those at the end, too. */
  note(): void
}

/** `engine` is its name. */
export function createStrangerNotes(engine: string, log: Pick<Log, 'warn'>): StrangerNotes {
  let messages = 0
  let timer: NodeJS.Timeout | undefined

  function tell(): void {
    timer = undefined
    if (messages === 0) return
    log.warn({ engine, messages }, STRANGERS)
    messages = 0
    timer = setTimeout(tell, TOLD_MS).unref()
  }

  return {
    note() {
      messages++
      if (!timer) tell()
    },
    [Symbol.dispose]() {
      clearTimeout(timer)
      tell()
      clearTimeout(timer)
    },
  }
}
