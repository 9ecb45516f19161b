/**
 * views/ shows a session on its terminal: as lines that are only appended, or as a screen whose last rows are drawn again.
 *
 * It must not know how a row looks, which is `drawing/`, nor what a key does, which is `input/`.
 */
import type { Entry } from '../../chat/entry.ts'
import type { Person } from '../../chat/people/person.ts'
import type { PersonalMessage } from '../../chat/talk/direct-messages.ts'
import type { Styled } from '../../lib/text/styled.ts'
import { createDrawCall, type DrawCall } from '../drawing/call-row.ts'
import { createDrawEntry, type DrawEntry } from '../drawing/entry-rows.ts'
import { createRedraw, type Redraw } from '../drawing/region.ts'
import { createFrames, type Frames, type FrameTimers, type ViewFrames } from './frames.ts'
import type { Key } from '../input/keys.ts'
import type { Draft } from '../input/edit-commands.ts'
import type { Personal } from './viewer.ts'
import type { Delivery, PrintRole, Screen, Terminal } from '../ports.ts'
import { type Addressed, createAddressed } from '../../chat/mentions.ts'
import type { Clock, Log } from '../../chat/ports.ts'
import type { NameColour } from '../../chat/personal/preferences.ts'
import type { LazyMarkdown } from '../markdown/highlight.ts'
import { createNameColours } from '../drawing/theme.ts'

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
  kicked(): void
  /** The host ends the session. */
  leave(exitStatus: number): void
}

/** A view as its host sees it. */
export const screenOf = (person: Person, view: SessionView, { kicked, leave }: SessionEvents): Screen => ({
  person,
  deliver: (entry, how) => view.entry(entry, how),
  print: (text, role) => view.print(text, role),
  echo: (line) => view.echo(line),
  clear: () => view.redraw(),
  message: (message, onRead) => view.message(message, onRead),
  refresh: () => view.refresh(),
  bell: () => view.bell(),
  kicked,
  quit(farewell, exitStatus = 0) {
    if (farewell && exitStatus === 1) view.print(farewell, 'error')
    view.close(exitStatus === 1 ? '' : farewell)
    leave(exitStatus)
  },
})

/** Makes a view of a kind that a person can have; it is closed before there is another one. */
type OpenView = (terminal: Terminal, personal: Personal) => SessionView

/** The plain view or the live one, as the person wants it now. */
export function createSwitchingView(
  terminal: Terminal,
  personal: Personal,
  views: { readonly plain: OpenView; readonly live: OpenView },
): SessionView {
  let resized = (): void => undefined
  let drained = (): void => undefined
  let changed = (): void => undefined
  let draft: Parameters<SessionView['draft']>[0] | undefined
  let isPlain = personal.isPlain()
  let view = open()
  terminal.onResize(() => resized())
  terminal.onDrain(() => drained())
  personal.onChange(() => {
    if (personal.isPlain() === isPlain) changed()
    else change()
  })

  /** A view that was closed hears nothing any more. */
  function open(): SessionView {
    return views[isPlain ? 'plain' : 'live'](
      {
        ...terminal,
        onResize: (listener) => void (resized = listener),
        onDrain: (listener) => void (drained = listener),
      },
      { ...personal, onChange: (listener) => void (changed = listener) },
    )
  }

  function change(): void {
    isPlain = !isPlain
    view.close()
    view = open()
    if (draft) view.draft(draft)
  }

  return {
    entry: (entry, how) => view.entry(entry, how),
    print: (...printed) => view.print(...printed),
    echo: (line) => view.echo(line),
    message: (...shown) => view.message(...shown),
    takes: (key) => view.takes(key),
    draft(next) {
      draft = next
      view.draft(next)
    },
    sent: (sent) => view.sent(sent),
    refresh: () => view.refresh(),
    redraw: () => view.redraw(),
    bell: () => view.bell(),
    close: (farewell) => view.close(farewell),
  }
}

/** What all sessions of a process share, so that none costs what all could have together. */
export interface SharedBySessions {
  readonly frames: Frames
  readonly drawEntry: DrawEntry
  readonly drawCall: DrawCall
  readonly redraw: Redraw
  readonly addressed: Addressed
  /** Milliseconds that never go back. */
  now(): number
  readonly markdown: LazyMarkdown
  /** Milliseconds since the epoch. */
  wallNow(): number
  readonly log: Log
}

/** What sessions share that others have, too. */
interface SharedParts {
  readonly markdown: LazyMarkdown
  readonly clock: Clock
  readonly log: Log
}

/** To be made once for a process. `colourOf` gives the colour that somebody chose for their name. */
export const createShared = (
  timers: FrameTimers,
  { markdown, clock, log }: SharedParts,
  colourOf: (name: string) => NameColour | undefined = () => undefined,
): SharedBySessions => ({
  frames: createFrames(timers),
  drawEntry: createDrawEntry(markdown.tools, createNameColours(colourOf)),
  drawCall: createDrawCall(),
  redraw: createRedraw(),
  addressed: createAddressed(),
  markdown,
  now: () => timers.now(),
  wallNow: () => clock.now(),
  log,
})
