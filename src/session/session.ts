import type { Person } from '../chat/person.ts'
import { createDeferred } from '../lib/deferred.ts'
import { createAppendView, onlyAppends } from './append-view.ts'
import { readKeyboard } from './keyboard.ts'
import { createLiveView } from './live-view.ts'
import { readLines } from './pipe-lines.ts'
import type { SessionHost, Terminal } from './ports.ts'
import { screenOf } from './session-view.ts'
import type { OpenSession } from './open-session.ts'
import type { SharedBySessions } from './shared.ts'
import { createTrouble } from './trouble.ts'

/** One person at one terminal. */
export interface SessionOptions {
  readonly terminal: Terminal
  readonly person: Person
  readonly host: SessionHost
  readonly shared: SharedBySessions
  /** The longest draft or piped line, in UTF-16 units; 65536 when absent. */
  readonly draftUnits?: number
}

/**
 * Runs a session until the person leaves, is gone or is sent away; then ends the terminal with status 0. What goes wrong
 * with a key or a line is told in the session, which goes on. Rejects, with the terminal still open, if the person
 * cannot be brought into a room, or nothing can be drawn for them.
 */
export async function runSession({ draftUnits = 65_536, ...options }: SessionOptions): Promise<void> {
  const { terminal, person, host, shared } = options
  const over = createDeferred<void>()
  let isOver = false
  const parts = { frames: shared.frames, drawEntry: shared.drawEntry, fail: over.reject }
  const view = onlyAppends(terminal)
    ? createAppendView(terminal, parts)
    : createLiveView(terminal, (style) => host.footer(style), parts)
  const screen = screenOf(person, view, () => {
    isOver = true
    over.resolve()
  })
  const trouble = createTrouble(view, person, shared.log)
  const session: OpenSession = {
    terminal,
    host,
    view,
    shared,
    trouble,
    draftUnits,
    isOver: () => isOver,
    // A backlog of lines ends with its writer: what they would not see posted is not posted.
    async submit(line) {
      // A command may never wait for anything, and a backlog of such lines must not keep the thread.
      await shared.slices.rest()
      if (!isOver && !terminal.gone.aborted) await trouble.during(() => host.submit(line))
    },
  }
  try {
    await host.attach(screen)
    const read = terminal.size() ? readKeyboard : readPipe
    await Promise.race([read(session), over.promise])
  } finally {
    isOver = true
    view.close()
    await host.detach(screen)
  }
  terminal.end(0)
}

const readPipe = ({ terminal, view, shared, draftUnits, submit }: OpenSession): Promise<void> =>
  readLines({
    input: terminal.input,
    slices: shared.slices,
    lineUnits: draftUnits,
    onLine: submit,
    onTooLong: () => view.print(`! a line has at most ${draftUnits} characters; this one was not sent`),
  })
