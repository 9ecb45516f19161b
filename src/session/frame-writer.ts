import type { Entry } from '../chat/entry.ts'
import type { PersonalMessage } from '../chat/talk/personal-message.ts'
import type { Styled } from '../lib/text/styled.ts'
import type { ViewFrames } from './frames.ts'
import type { PrintRole, Terminal } from './ports.ts'
import type { ReplyPart } from './replies/shown-replies.ts'

/** Something that stands on the screen for good. */
export type Item =
  /** `waits`: as in `Delivery`. */
  | { readonly type: 'entry'; readonly entry: Entry; readonly waits?: true | undefined }
  | {
      readonly type: 'print'
      readonly text: string | Styled
      readonly role?: PrintRole | undefined
    }
  | {
      readonly type: 'message'
      readonly message: PersonalMessage
      /** Such a message is not skipped; called once the client has read it. */
      readonly onRead?: (() => void) | undefined
    }
  /** A draft that was sent, where the person's own typing is echoed. */
  | { readonly type: 'sent'; readonly text: string }
  /** Units of a reply that is being written. */
  | ({ readonly type: 'part' } & ReplyPart)

/** What one write to the terminal says. */
export interface Composed {
  readonly text: string
  /** How many of the items are in it; at least one if there were any. */
  readonly items: number
  /** Called once the text is on its way. Without it the terminal still shows what it showed. */
  written(): void
}

/** Writes what a view shows, frame by frame. Nothing here throws. */
interface FrameWriter {
  /** Puts an item below the others. */
  add(item: Item): void
  /** Something else has changed. */
  request(): void
  /** The same, of what can wait for a moment. */
  requestCalmly(): void
  /** Nothing is written until the function that it gives is called; not for long where much waits. */
  hold(): () => void
  /** Writes all that waits, now, and nothing by itself after that. */
  close(): void
}

/**
 * Calls `compose` with what waits, once a frame or more often where it does not take all items, and writes what it makes.
 * While the terminal's queue is full nothing is written; items are counted, and the first that stands on the screen
 * afterwards is the line that says how many were skipped; parts of replies and what must be read wait instead. Before
 * each write `gather` is asked for what goes below all that waits. If either throws, `fail` is called.
 */
export function createFrameWriter(
  terminal: Terminal,
  frames: ViewFrames,
  compose: (items: readonly Item[]) => Composed,
  gather: () => readonly Item[],
  fail: (error: unknown) => void,
): FrameWriter {
  let items: Item[] = []
  let skipped = 0
  let isFull = false
  let isClosed = false
  let isHeld = false
  const frame = frames.open(writeAll, fail)

  function writeAll(): void {
    do {
      if (isFull || (isHeld && !isClosed && items.length < MAX_HELD_ITEMS)) return
      items.push(...gather())
      const { text, items: taken, written } = compose(items)
      if (text !== '' && !terminal.write(text)) return skipAll()
      written()
      for (const { onRead } of items.slice(0, taken).filter(isKept)) terminal.whenRead(onRead)
      items = items.slice(taken)
    } while (items.length > 0)
  }

  function skipAll(): void {
    isFull = true
    skipped += items.filter((item) => item.type !== 'sent' && !mayWait(item)).length
    items = items.filter(mayWait)
  }

  terminal.onDrain(() => {
    if (isClosed) return
    isFull = false
    if (skipped > 0) items.unshift({ type: 'print', text: skippedLine(skipped) })
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
    requestCalmly: frame.requestCalmly,
    hold() {
      isHeld = true
      return () => {
        isHeld = false
        frame.request()
      }
    },
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

/** A client that does not answer must not make its server keep all that is said. */
const MAX_HELD_ITEMS = 64

const isKept = (item: Item): item is Item & { readonly onRead: () => void } =>
  item.type === 'message' && item.onRead !== undefined

const mayWait = (item: Item): boolean => item.type === 'part' || isKept(item)

const skippedLine = (count: number): string => `[${count} ${count === 1 ? 'message' : 'messages'} skipped]`
