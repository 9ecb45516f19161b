/**
 * views/ shows a session on its terminal: as lines that are only appended, or as a screen whose last rows are
 * drawn again. It must not know how a row looks, which is `drawing/`, nor what a key does, which is `input/`.
 */
import { headOf } from '../../base/text/characters.ts'
import type { Entry } from '../../words/entry.ts'
import type { Person } from '../../words/person.ts'
import type { PersonalMessage } from '../../chat/talk/index.ts'
import type { Clock, Log } from '../../base/environment.ts'
import type { Account } from '../../base/jobs/scheduler.ts'
import type { StyledText } from '../../base/text/styled.ts'
import { createDrawEntry } from '../drawing/entry-rows.ts'
import { Frames, type FrameTimers } from './frames.ts'
import type { Key } from '../input/keys.ts'
import type { Draft } from '../input/edit-commands.ts'
import type { Personal } from './viewer.ts'
import type { Delivery, PrintRole, Screen, Terminal } from '../ports.ts'
import { createAddressedHere } from '../../words/mentions.ts'
import { type NameStyles, usualModelStyle } from '../../chat/personal/index.ts'
import type { LazyMarkdown } from '../markdown/highlight.ts'
import { createNameStyles } from '../drawing/theme.ts'

/** Methods that `Screen` also has do the same as there. No method throws. */
export interface SessionView {
  entry(entry: Entry, how?: Delivery): void
  print(text: string | StyledText, role?: PrintRole): void
  message(message: PersonalMessage, onRead?: () => void): void
  echo(line: string): void
  /** False if the view has handled the key, or cannot show what the editor would do. */
  takes(key: Key): boolean
  draft(draft: Draft): void
  /** The person pressed Enter; `typed` is the line they sent. */
  lineEntered(typed: string): void
  refresh(): void
  clear(): void
  bell(): void
  copy(text: string): boolean
  resized(): void
  drained(): void
  settingsChanged(): void
  /** Turns off the terminal modes that the view turned on. */
  close(farewell?: string): void
}

export interface ViewParts extends Pick<SharedBySessions, 'frames' | 'drawEntry' | 'now'> {
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
  clear: () => views.current.clear(),
  message: (message, onRead) => views.current.message(message, onRead),
  refresh: () => views.current.refresh(),
  bell: () => views.current.bell(),
  copy: (text) => views.current.copy(text),
  kicked,
  quit(farewell, exitStatus = 0) {
    if (farewell && exitStatus === 1) views.current.print(farewell, 'error')
    views.current.close(exitStatus === 1 ? '' : farewell)
    leave(exitStatus)
  },
})

/** The plain view or the live view. `/set plain` switches at once. */
export class ViewSwitch {
  readonly #personal: Personal
  readonly #open: (isPlain: boolean) => SessionView
  #isPlain: boolean
  #current: SessionView
  #draft: Draft | undefined

  constructor(terminal: Terminal, personal: Personal, open: (isPlain: boolean) => SessionView) {
    this.#personal = personal
    this.#open = open
    this.#isPlain = personal.isPlain()
    this.#current = open(this.#isPlain)
    terminal.onResize(() => this.#current.resized())
    terminal.onDrain(() => this.#current.drained())
    personal.onChange(() => this.#settingsChanged())
  }

  get current(): SessionView {
    return this.#current
  }

  get isPlain(): boolean {
    return this.#isPlain
  }

  draft(draft: Draft): void {
    this.#draft = draft
    this.#current.draft(draft)
  }

  #settingsChanged(): void {
    if (this.#personal.isPlain() === this.#isPlain) return this.#current.settingsChanged()
    this.#isPlain = !this.#isPlain
    this.#current.close()
    this.#current = this.#open(this.#isPlain)
    if (this.#draft) this.#current.draft(this.#draft)
  }
}

/** Sets the clipboard (OSC 52 of xterm; tmux needs `set -g set-clipboard on`). */
export const clipboardOf = (text: string): string =>
  `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`

export type SharedBySessions = ReturnType<typeof createShared>

/** Creates what all sessions of a process share. `names`: how the names of people and models look. */
export const createShared = (
  timers: FrameTimers,
  { markdown, clock, log }: { readonly markdown: LazyMarkdown; readonly clock: Clock; readonly log: Log },
  names: NameStyles = { colourOf: () => undefined, modelStyle: usualModelStyle },
) => ({
  frames: new Frames(timers),
  drawEntry: createDrawEntry(markdown.tools, createNameStyles(names)),
  addressed: createAddressedHere(),
  markdown,
  /** Monotonic milliseconds. */
  now: () => timers.now(),
  wallNow: () => clock.now(),
  log,
})

const MAX_ECHO_UNITS = 200

/** Returns the row that echoes a command. */
export function firstLineOf(line: string): string {
  const [first = ''] = line.split('\n', 1)
  const shown = headOf(first, MAX_ECHO_UNITS)
  return shown.length < line.length ? `${shown} …` : shown
}
