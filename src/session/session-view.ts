import type { Entry, ReplyDelta } from '../chat/entry.ts'
import type { Person } from '../chat/person.ts'
import type { Styled } from '../lib/styled.ts'
import type { Key } from './keys.ts'
import type { Draft } from './line-editor.ts'
import type { Screen, Terminal } from './ports.ts'

/** How a session is shown on one kind of terminal. Nothing here throws. */
export interface SessionView {
  entry(entry: Entry): void
  /** Text for this person only, of one or more lines. */
  print(text: string | Styled): void
  /** A piece of a reply being written. */
  stream(delta: ReplyDelta): void
  /** False for a key that does something this view cannot show; such a key is ignored. */
  takes(key: Key): boolean
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

/** A view as its host sees it. `leave` is called when the host ends the session. */
export const screenOf = (person: Person, view: SessionView, leave: () => void): Screen => ({
  person,
  deliver: (entry) => view.entry(entry),
  stream: (delta) => view.stream(delta),
  print: (text) => view.print(text),
  refresh: () => view.refresh(),
  bell: () => view.bell(),
  quit(farewell) {
    view.close(farewell)
    leave()
  },
})

/**
 * Counts what a slow terminal missed. The function returned is told of each text whether it was written; once the queue
 * is empty again, `tell` is given the line that says how many were not, or an empty text if all were.
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
