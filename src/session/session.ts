import { Refusal, StorageError, UsageError } from '../chat/errors.ts'
import type { Person } from '../chat/person.ts'
import { createDeferred } from '../lib/deferred.ts'
import { createAppendView } from './append-view.ts'
import { readKeyboard } from './keyboard.ts'
import { createLiveView } from './live-view.ts'
import { readLines } from './pipe-lines.ts'
import type { Screen, SessionHost, Terminal } from './ports.ts'
import type { View } from './view.ts'

/** One person at one terminal. */
export interface SessionOptions {
  readonly terminal: Terminal
  readonly person: Person
  readonly host: SessionHost
  /** The longest draft or piped line, in UTF-16 units; 65536 when absent. */
  readonly draftUnits?: number
}

/**
 * Runs a session until the person leaves, is gone or is sent away; then ends the terminal with status 0.
 * Rejects, with the terminal still open, if the host failed in a way that is not the person's business.
 */
export async function runSession(options: SessionOptions): Promise<void> {
  const { terminal, person, host } = options
  const isAppendOnly = onlyAppends(terminal)
  const view = isAppendOnly ? createAppendView(terminal) : createLiveView(terminal, () => host.status())
  const over = createDeferred<void>()
  const screen = createScreen(person, view, () => over.resolve(undefined))
  try {
    await host.attach(screen)
    const reading = readAll(options, view, isAppendOnly, (error) => over.reject(error))
    await Promise.race([reading, over.promise])
  } finally {
    view.close()
    await host.detach(screen)
  }
  terminal.end(0)
}

/** Without a pty there is nothing to draw on; screen readers and dumb terminals want nothing drawn again. */
function onlyAppends(terminal: Terminal): boolean {
  const { term, env } = terminal
  const asked = env['SSHAWL_PLAIN'] ?? ''
  return terminal.size() === undefined || term === 'dumb' || term === '' || (asked !== '' && asked !== '0')
}

function createScreen(person: Person, view: View, leave: () => void): Screen {
  return {
    person,
    deliver: (entry) => view.entry(entry),
    stream: (delta) => view.stream(delta),
    print: (text) => view.print(text),
    refresh: () => view.refresh(),
    quit(farewell) {
      view.close(farewell)
      leave()
    },
  }
}

function readAll(
  { terminal, host, draftUnits = 65_536 }: SessionOptions,
  view: View,
  isAppendOnly: boolean,
  fail: (error: unknown) => void,
): Promise<void> {
  // A backlog of lines ends with its writer: what they did not see posted is not posted behind their back.
  const handle = async (line: string): Promise<void> => {
    if (!terminal.gone.aborted) await handleLine(line, host, view)
  }
  if (terminal.size()) return readKeyboard({ terminal, view, host, draftUnits, isAppendOnly, handle, fail })
  return readLines({
    input: terminal.input,
    lineUnits: draftUnits,
    handle,
    onTooLong: () => view.print(`! a line has at most ${draftUnits} characters; this one was not sent`),
  })
}

/** What went wrong for a reason that concerns the person is said; anything else is the server's to log. */
async function handleLine(line: string, host: SessionHost, view: View): Promise<void> {
  try {
    await host.handleLine(line)
  } catch (error) {
    if (error instanceof UsageError) view.print(`! ${error.message}\nusage: ${error.usage}`)
    else if (error instanceof Refusal || error instanceof StorageError) view.print(`! ${error.message}`)
    else throw error
  }
}
