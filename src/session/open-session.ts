import type { SessionHost, Terminal } from './ports.ts'
import type { SessionView } from './session-view.ts'
import type { SharedBySessions } from './shared.ts'
import type { Trouble } from './trouble.ts'

/** A session that is attached to its host. */
export interface OpenSession {
  readonly terminal: Terminal
  readonly host: SessionHost
  readonly view: SessionView
  readonly shared: SharedBySessions
  readonly trouble: Trouble
  /** The longest draft, in UTF-16 units. */
  readonly draftUnits: number
  /** The person has left or is gone. */
  readonly isOver: () => boolean
  /**
   * Called with each line, once the one before is done, and with how often the person had been put out of a room when they sent it,
   * or began it where it comes through a pipe. Never rejects.
   */
  readonly submit: (line: string, timesPutOut: number) => Promise<void>
}
