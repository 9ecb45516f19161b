import type { DrawnText } from '../drawn-text.ts'
import { redraw } from './live-region.ts'
import type { Region } from './region.ts'

/** As the function of this name. */
export type Redraw = typeof redraw

interface Change {
  readonly drawn: Region
  readonly texts: readonly DrawnText[]
  readonly next: Region
  readonly written: string
}

/** What stands for the first text where nothing goes above. */
const NO_TEXT = {}

/**
 * Makes what is written for a change once for all screens that change in the same way one after the other: most screens in a
 * room show the same line, the same status and an empty draft. It is kept as long as somebody holds the first of the texts.
 */
export function createRedraw(): Redraw {
  const changes = new WeakMap<object, Change>()
  return (drawn, texts, next) => {
    const key = texts[0] ?? NO_TEXT
    const last = changes.get(key)
    if (last && isSame(last.drawn, drawn) && isSame(last.next, next) && areEqual(last.texts, texts))
      return last.written
    const written = redraw(drawn, texts, next)
    changes.set(key, { drawn, texts, next, written })
    return written
  }
}

const isSame = (one: Region, other: Region): boolean =>
  one === other ||
  (one.live === other.live &&
    one.cursor.row === other.cursor.row &&
    one.cursor.column === other.cursor.column &&
    one.size.columns === other.size.columns &&
    one.size.rows === other.size.rows &&
    areEqual(one.rows, other.rows))

const areEqual = <T>(some: readonly T[], others: readonly T[]): boolean =>
  some.length === others.length && some.every((one, index) => one === others[index])
