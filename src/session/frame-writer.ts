import type { Entry } from '../chat/entry.ts'
import type { Styled } from '../lib/text/styled.ts'
import type { ViewFrames } from './frames.ts'
import type { Terminal } from './ports.ts'

/** Something that stands on the screen for good. */
export type Item =
  | { readonly type: 'entry'; readonly entry: Entry }
  | { readonly type: 'print'; readonly text: string | Styled }
  /** A draft that was sent, where the person's own typing is echoed. */
  | { readonly type: 'sent'; readonly text: string }

/** What one write to the terminal says. */
export interface Composed {
  readonly text: string
  /** How many of the items are in it; at least one if there were any. */
  readonly items: number
  /** Called once the text is on its way. Without it the terminal still shows what it showed. */
  written(): void
}

/** Writes what a view shows, frame by frame. Nothing here throws. */
export interface FrameWriter {
  /** Puts an item below the others. */
  add(item: Item): void
  /** Something else has changed. */
  request(): void
  /** Writes all that waits, now, and nothing by itself after that. */
  close(): void
}

/**
 * Calls `compose` with what waits, once a frame or more often where it does not take all items, and writes what it makes.
 * While the terminal's queue is full nothing is written; items are counted, and the first that stands on the screen
 * afterwards is the line that says how many were skipped. If `compose` throws, `fail` is called.
 */
export function createFrameWriter(
  terminal: Terminal,
  frames: ViewFrames,
  compose: (items: readonly Item[]) => Composed,
  fail: (error: unknown) => void,
): FrameWriter {
  let items: Item[] = []
  let skipped = 0
  let isFull = false
  let isClosed = false
  const frame = frames.open(writeAll, fail)

  function writeAll(): void {
    do {
      if (isFull) return
      const { text, items: taken, written } = compose(items)
      if (text !== '' && !terminal.write(text)) return skipAll()
      written()
      items = items.slice(taken)
    } while (items.length > 0)
  }

  function skipAll(): void {
    isFull = true
    skipped += items.filter(({ type }) => type !== 'sent').length
    items = []
  }

  terminal.onDrain(() => {
    if (isClosed) return
    isFull = false
    if (skipped > 0) items.push({ type: 'print', text: skippedLine(skipped) })
    skipped = 0
    frame.request()
  })

  return {
    add(item) {
      if (isClosed) return
      items.push(item)
      if (isFull) skipAll()
      else frame.request()
    },
    request: frame.request,
    close() {
      frame.close()
      isClosed = true
      try {
        writeAll()
      } catch (error) {
        fail(error)
      }
    },
  }
}

const skippedLine = (count: number): string => `[${count} ${count === 1 ? 'message' : 'messages'} skipped]`
