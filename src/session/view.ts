import type { Entry, ReplyDelta } from '../chat/entry.ts'
import type { Styled } from '../lib/styled.ts'
import type { Draft } from './draft.ts'
import type { Terminal } from './ports.ts'

/** How a session is shown on one kind of terminal. Nothing here throws. */
export interface View {
  entry(entry: Entry): void
  /** Text for this person only, of one or more lines. */
  print(text: string | Styled): void
  /** A piece of a reply being written. */
  stream(delta: ReplyDelta): void
  /** What is being typed now. */
  draft(draft: Draft): void
  /** This draft was sent: what comes next begins on a line of its own. */
  sent(draft: Draft): void
  /** The status has changed. */
  refresh(): void
  /** ^L: draws everything anew. */
  redraw(): void
  bell(): void
  /** Leaves the terminal as it was found. */
  close(farewell?: string): void
}

/**
 * Writes what a slow terminal may miss: returns a function that counts the texts which found the queue
 * full. When there is room again, `tell` is given the line that says how many.
 */
export function countSkipped(
  terminal: Terminal,
  tell: (notice: string) => void,
): (isWritten: boolean) => void {
  let skipped = 0
  terminal.onDrain(() => {
    const count = skipped
    skipped = 0
    tell(count > 0 ? `[${count} ${count === 1 ? 'message' : 'messages'} skipped]` : '')
  })
  return (isWritten) => {
    if (!isWritten) skipped++
  }
}
