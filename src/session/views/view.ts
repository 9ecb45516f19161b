/**
 * views/ shows a session on its terminal: as lines that are only appended, or as a screen whose last rows are drawn
 * again. It must not know how a row looks, which is `drawing/`, nor what a key does, which is `input/`.
 */
import type { Entry } from '../../chat/entry.ts'
import type { Person } from '../../chat/people/person.ts'
import type { PersonalMessage } from '../../chat/talk/direct-messages.ts'
import type { Account } from '../../lib/jobs/scheduler.ts'
import type { Styled } from '../../lib/text/styled.ts'
import { createDrawCall } from '../drawing/call-row.ts'
import { createDrawEntry } from '../drawing/entry-rows.ts'
import { createRedraw } from '../drawing/region.ts'
import { Frames, type FrameTimers } from './frames.ts'
import type { Key } from '../input/keys.ts'
import type { Draft } from '../input/edit-commands.ts'
import type { Personal } from './viewer.ts'
import type { Delivery, PrintRole, Screen, Terminal } from '../ports.ts'
import { createAddressed } from '../../chat/mentions.ts'
import type { Clock, Log } from '../../chat/ports.ts'
import type { NameColour } from '../../chat/personal/preferences.ts'
import type { LazyMarkdown } from '../markdown/highlight.ts'
import { createNameColours } from '../drawing/theme.ts'

/** Methods are as in `Screen`. Nothing throws. */
export interface SessionView {
  entry(entry: Entry, how?: Delivery): void
  print(text: string | Styled, role?: PrintRole): void
  message(message: PersonalMessage, onRead?: () => void): void
  echo(line: string): void
  /** False if the view has handled the key, or cannot show what the editor would do. */
  takes(key: Key): boolean
  draft(draft: Draft): void
  sent(draft: Draft): void
  refresh(): void
  redraw(): void
  bell(): void
  /** Leaves the terminal as it was found. */
  close(farewell?: string): void
}

export interface ViewParts extends Pick<
  SharedBySessions,
  'frames' | 'drawEntry' | 'drawCall' | 'redraw' | 'now'
> {
  readonly own: string
  readonly personal: Personal
  readonly account: Account
  readonly fail: (error: unknown) => void
}

interface SessionEvents {
  kicked(): void
  leave(exitStatus: number): void
}

export const screenOf = (person: Person, views: ViewSwitch, { kicked, leave }: SessionEvents): Screen => ({
  person,
  deliver: (entry, how) => views.current.entry(entry, how),
  print: (text, role) => views.current.print(text, role),
  echo: (line) => views.current.echo(line),
  clear: () => views.current.redraw(),
  message: (message, onRead) => views.current.message(message, onRead),
  refresh: () => views.current.refresh(),
  bell: () => views.current.bell(),
  kicked,
  quit(farewell, exitStatus = 0) {
    if (farewell && exitStatus === 1) views.current.print(farewell, 'error')
    views.current.close(exitStatus === 1 ? '' : farewell)
    leave(exitStatus)
  },
})

type OpenView = (terminal: Terminal, personal: Personal) => SessionView

const NOBODY = (): void => undefined

/** The plain view or the live one. A closed view hears nothing more. */
export class ViewSwitch {
  readonly #terminal: Terminal
  readonly #personal: Personal
  readonly #views: { readonly plain: OpenView; readonly live: OpenView }
  #isPlain: boolean
  #current: SessionView
  #draft: Draft | undefined
  #listeners = { resized: NOBODY, drained: NOBODY, changed: NOBODY }

  constructor(terminal: Terminal, personal: Personal, views: Record<'plain' | 'live', OpenView>) {
    this.#terminal = terminal
    this.#personal = personal
    this.#views = views
    this.#isPlain = personal.isPlain()
    this.#current = this.#open()
    terminal.onResize(() => this.#listeners.resized())
    terminal.onDrain(() => this.#listeners.drained())
    personal.onChange(() => {
      if (personal.isPlain() === this.#isPlain) this.#listeners.changed()
      else this.#change()
    })
  }

  get current(): SessionView {
    return this.#current
  }

  draft(draft: Draft): void {
    this.#draft = draft
    this.#current.draft(draft)
  }

  #open(): SessionView {
    const listeners = { resized: NOBODY, drained: NOBODY, changed: NOBODY }
    this.#listeners = listeners
    return this.#views[this.#isPlain ? 'plain' : 'live'](
      {
        ...this.#terminal,
        onResize: (listener) => void (listeners.resized = listener),
        onDrain: (listener) => void (listeners.drained = listener),
      },
      { ...this.#personal, onChange: (listener) => void (listeners.changed = listener) },
    )
  }

  #change(): void {
    this.#isPlain = !this.#isPlain
    this.#current.close()
    this.#current = this.#open()
    if (this.#draft) this.#current.draft(this.#draft)
  }
}

export type SharedBySessions = ReturnType<typeof createShared>

interface SharedParts {
  readonly markdown: LazyMarkdown
  readonly clock: Clock
  readonly log: Log
}

/** Made once for a process. `colourOf` gives the colour that somebody chose. */
export const createShared = (
  timers: FrameTimers,
  { markdown, clock, log }: SharedParts,
  colourOf: (name: string) => NameColour | undefined = () => undefined,
) => ({
  frames: new Frames(timers),
  drawEntry: createDrawEntry(markdown.tools, createNameColours(colourOf)),
  drawCall: createDrawCall(),
  redraw: createRedraw(),
  addressed: createAddressed(),
  markdown,
  /** Milliseconds that never go back. */
  now: () => timers.now(),
  /** Milliseconds since the epoch. */
  wallNow: () => clock.now(),
  log,
})
