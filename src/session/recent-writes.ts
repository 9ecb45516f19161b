import type { Item } from './frame-writer.ts'

/** What one write put above, with what it took to draw it. */
export interface RecentWrite<From> {
  readonly items: readonly Item[]
  /** How many rows it had in the window of the time. */
  readonly rows: number
  /** So many rows above the region it may have erased, where the terminal had not the window that it was written for. */
  readonly reach: number
  /** What was shown before it. */
  readonly from: From
}

/**
 * Keeps what was written last, for a window that changes: until the server hears of the change, it writes for the window
 * that was, and nobody knows which of it the terminal took for the new one.
 */
export interface RecentWrites<From> {
  /**
   * At each write, with what it put above; nothing for one that only drew below, and erased nothing above. After it all is sure
   * again: what was unsure is in it.
   */
  wrote(write: RecentWrite<From> | undefined): void
  /** The server was told of another window. */
  changed(): void
  /** The client has read all that was written before it told. */
  answered(): void
  /** What has to be written again; undefined where all was taken for the window that was. */
  unsure(): readonly RecentWrite<From>[] | undefined
}

/** Nobody's connection takes longer to be told of and to answer. */
const KEPT_MS = 2_000

/** More than this, of a long history, is not written again. What has left the window may have been cut as it was written. */
const KEPT_ROWS = 200

/** However old they are: what breaks of the rows below them is not more than this, and so many may be erased. */
const REACHED_ROWS = 24

/**
 * A window that changes again so soon is dragged. Then tmux tells of it every 250 ms only, so that the window may have changed again
 * at any time since it was told of last.
 */
const DRAGGED_MS = 500

/** `now` gives milliseconds that never go back. */
export function createRecentWrites<From>(now: () => number): RecentWrites<From> {
  const writes: { readonly at: number; readonly write: RecentWrite<From> }[] = []
  /** Rows of all of them. */
  let rows = 0
  let lastAt = -Infinity
  let changedAt = -Infinity
  /** A change that the client has not answered yet: when it was told, and since when the window may have been another one. */
  let open: { readonly toldAt: number; readonly since: number } | undefined
  let unsureFrom = Infinity
  const isUnsure = (): boolean => lastAt > unsureFrom

  function forgetOldest(): void {
    rows -= writes.shift()?.write.rows ?? 0
  }

  function mayForget({ at, write }: (typeof writes)[number]): boolean {
    return rows > KEPT_ROWS || (at < lastAt - KEPT_MS && rows - write.rows >= REACHED_ROWS)
  }

  /** Those of the time that is unsure, and those before them whose rows they may have erased. */
  function unsureWrites(): typeof writes {
    const later = writes.findIndex(({ at }) => at > unsureFrom)
    if (later < 0) return []
    let from = later
    let reach = writes.slice(later).reduce((sum, { write }) => sum + write.reach, 0)
    while (reach > 0 && from > 0) reach -= writes[--from]?.write.rows ?? 0
    return writes.slice(from)
  }

  return {
    wrote(write) {
      const again = isUnsure() ? writes.splice(writes.length - unsureWrites().length) : []
      for (const one of again) rows -= one.write.rows
      lastAt = now()
      unsureFrom = Infinity
      if (write) {
        writes.push({ at: lastAt, write })
        rows += write.rows
      }
      while (writes[0] && mayForget(writes[0])) forgetOldest()
    },
    changed() {
      const at = now()
      open ??= { toldAt: at, since: at - changedAt < DRAGGED_MS ? changedAt : at }
      changedAt = at
    },
    answered() {
      if (!open) return
      // The client asked and answered in that time, and the terminal behind it is told later than the client.
      unsureFrom = Math.min(unsureFrom, open.since - 2 * (now() - open.toldAt))
      open = undefined
    },
    unsure: () => (isUnsure() ? unsureWrites().map(({ write }) => write) : undefined),
  }
}
