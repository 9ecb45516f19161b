import type { Entry } from '../chat/entry.ts'
import type { Person } from '../chat/people/person.ts'
import type { PersonalMessage } from '../chat/talk/personal-message.ts'
import type { Styled } from '../lib/text/styled.ts'
import type { DrawCall } from './drawing/call-row.ts'
import type { DrawEntry } from './drawing/entry-rows.ts'
import type { Redraw } from './drawing/region.ts'
import type { ViewFrames } from './frames.ts'
import type { Key } from './input/keys.ts'
import type { Draft } from './input/edit-commands.ts'
import type { Personal } from './personal.ts'
import type { Delivery, PrintRole, Screen } from './ports.ts'

/** How a session is shown on one kind of terminal. Nothing here throws. */
export interface SessionView {
  entry(entry: Entry, how?: Delivery): void
  /** Text for this person only, of one or more lines. */
  print(text: string | Styled, role?: PrintRole): void
  /** As in `Screen`. */
  message(message: PersonalMessage, onRead?: () => void): void
  /** As in `Screen`. */
  echo(line: string): void
  /**
   * True for a key that the line editor is to handle. False where this view has handled it by itself, or cannot show what the editor
   * would do.
   */
  takes(key: Key): boolean
  /** What is being typed now. */
  draft(draft: Draft): void
  /** This draft was sent: what comes next begins on a line of its own. */
  sent(draft: Draft): void
  /** The footer has changed. */
  refresh(): void
  /** ^L: draws everything anew. */
  redraw(): void
  bell(): void
  /** Leaves the terminal as it was found. */
  close(farewell?: string): void
}

/** What a view is made from. */
export interface ViewParts {
  /** The person's own name: their comings and goings are shown as they are. */
  readonly own: string
  readonly personal: Personal
  readonly frames: ViewFrames
  readonly drawEntry: DrawEntry
  readonly drawCall: DrawCall
  readonly redraw: Redraw
  /** Milliseconds that never go back. */
  now(): number
  /** Called with what makes painting impossible. */
  readonly fail: (error: unknown) => void
}

/** What a host does to a session besides showing something. */
interface SessionEvents {
  putAside(): void
  /** The host ends the session. */
  leave(exitStatus: number): void
}

/** A view as its host sees it. */
export const screenOf = (person: Person, view: SessionView, { putAside, leave }: SessionEvents): Screen => ({
  person,
  deliver: (entry, how) => view.entry(entry, how),
  print: (text, role) => view.print(text, role),
  echo: (line) => view.echo(line),
  clear: () => view.redraw(),
  message: (message, onRead) => view.message(message, onRead),
  refresh: () => view.refresh(),
  bell: () => view.bell(),
  putAside,
  quit(farewell, exitStatus = 0) {
    if (farewell && exitStatus === 1) view.print(farewell, 'error')
    view.close(exitStatus === 1 ? '' : farewell)
    leave(exitStatus)
  },
})
