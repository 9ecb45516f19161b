import type { Item } from './frame-writer.ts'

/** What one write put above, with what it took to draw it. */
interface RecentWrite<From> {
  readonly items: readonly Item[]
  /** How many rows it had in the window of the time. */
  readonly rows: number
  /** What was shown before it. */
  readonly from: From
}

/**
 * Keeps what was written last, for a window that changes: until the server hears of the change, it writes for the window
 * that was, and nobody knows which of it the terminal took for the new one.
 */
interface RecentWrites<From> {
  /**
   * At each write, with what it put above; nothing for one that only drew below. After it all is sure again: what was unsure is
   * in it.
   */
  wrote(write: RecentWrite<From> | undefined, windowRows: number): void
  /** The server was told of another window. */
  changed(): void
  /** The client has read all that was written before it told. */
  answered(): void
  /** What has to be written again; undefined where all was taken for the window that was. */
  unsure(): readonly RecentWrite<From>[] | undefined
}

/** Nobody's connection takes longer to be told of and to answer. */
const KEPT_MS = 2_000

/** `now` gives milliseconds that never go back. */
export function createRecentWrites<From>(now: () => number): RecentWrites<From> {
  const writes: { readonly at: number; readonly write: RecentWrite<From> }[] = []
  /** Rows of all of them. */
  let rows = 0
  let lastAt = -Infinity
  let changedAt: number | undefined
  let unsureFrom = Infinity
  const isUnsure = (): boolean => lastAt > unsureFrom

  function forgetOldest(): void {
    rows -= writes.shift()?.write.rows ?? 0
  }

  return {
    wrote(write, windowRows) {
      if (isUnsure()) while (writes.length > 0) forgetOldest()
      lastAt = now()
      unsureFrom = Infinity
      if (write) {
        writes.push({ at: lastAt, write })
        rows += write.rows
      }
      // What has left the window at the top is not touched any more.
      while (writes[0] && (writes[0].at < lastAt - KEPT_MS || rows > windowRows)) forgetOldest()
    },
    changed() {
      changedAt ??= now()
    },
    answered() {
      if (changedAt === undefined) return
      // The client asked and answered in that time, and the terminal behind it is told later than the client.
      unsureFrom = Math.min(unsureFrom, changedAt - 2 * (now() - changedAt))
      changedAt = undefined
    },
    unsure: () =>
      isUnsure() ? writes.filter(({ at }) => at > unsureFrom).map(({ write }) => write) : undefined,
  }
}
