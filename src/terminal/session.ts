import type { Person } from '../words/person.ts'
import { createDeferred, settledWithin } from '../base/jobs/waiting.ts'
import type { Account } from '../base/jobs/scheduler.ts'
import { PlainView } from './views/plain-view.ts'
import { Keyboard } from './input/keyboard.ts'
import { createPersonal, type PersonalParts } from './views/viewer.ts'
import { screenOf, type SharedBySessions, ViewSwitch } from './views/view.ts'
import { createKeyDecoder, type Key } from './input/keys.ts'
import { LiveView } from './views/live-view.ts'
import { createTroubleReporter, type OpenSession } from './open-session.ts'
import { LineQueue, readLines } from './input/line-queue.ts'
import { MAX_DRAFT_UNITS } from './input/line-editor.ts'
import type { SessionHost, Terminal } from './ports.ts'

interface SessionOptions {
  readonly terminal: Terminal
  readonly person: Person
  readonly host: SessionHost
  readonly shared: SharedBySessions
  readonly preferences: PersonalParts['preferences']
  readonly account: Account
}

/**
 * Runs a session until the person leaves, is gone or is sent away; then ends the terminal. Rejects, with the
 * terminal still open, if the person cannot be brought into a room, or nothing can be drawn for them.
 */
export async function runSession(options: SessionOptions): Promise<void> {
  const { terminal, person, host, shared, account, preferences } = options
  const over = createDeferred<void>()
  await shared.markdown.load()
  let hasLeft = false
  let exitStatus = 0
  const personal = createPersonal(terminal, { ...shared, person, preferences })
  const parts = { ...shared, own: person.name, personal, account, fail: over.reject }
  const views = new ViewSwitch(terminal, personal, (isPlain) =>
    isPlain
      ? new PlainView(terminal, () => host.running(), parts)
      : new LiveView(terminal, (style) => host.footer(style), parts),
  )
  const trouble = createTroubleReporter(views, person, shared.log)
  const isOver = (): boolean => hasLeft || terminal.gone.aborted
  const queue = new LineQueue(account, (line) => trouble.during(() => host.submit(line)), isOver)
  const session: OpenSession = { terminal, host, views, shared, trouble, queue, isOver }
  const keyboard = terminal.size() ? new Keyboard(session) : undefined
  const screen = screenOf(person, views, {
    kicked: () => keyboard?.kicked(),
    leave(status) {
      hasLeft = true
      exitStatus = status
      over.resolve()
    },
  })
  preferences.onChange((changed) => {
    if (changed === 'history' && preferences.now().history === 'off') keyboard?.forget()
  })
  async function leave(): Promise<void> {
    hasLeft = true
    views.current.close()
    await host.detach(keyboard?.unsent() ?? { lines: [], draft: '' })
  }
  try {
    await host.attach(screen)
    const reading = keyboard
      ? readKeyboard(session, keyboard, account)
      : readPipe(session, account, person.name)
    await Promise.race([reading, over.promise])
  } catch (error) {
    await leave()
    throw error
  }
  const left = leave()
  await settledWithin(STORING_MS, [left])
  terminal.end(exitStatus)
  await left
}

/** Most milliseconds by which a slow database delays the end of the terminal. */
const STORING_MS = 1_000

async function readPipe({ terminal, host, views, queue }: OpenSession, account: Account, own: string) {
  await readLines({
    input: terminal.input,
    account,
    lineUnits: MAX_DRAFT_UNITS,
    onLine(line) {
      queue.add(line)
      return queue.allDone()
    },
    onTooLong: () =>
      views.current.print(
        `! a line has at most ${MAX_DRAFT_UNITS} characters; this one was not sent`,
        'error',
      ),
  })
  const asked = host.running().find(({ who, requester }) => who.startsWith('@') && requester === own)
  if (!asked) return
  const help = `ssh HOST ask ROOM ${asked.who} TEXT waits for an answer`
  views.current.print(`-- ${asked.who} answers in the room, after this pipe has ended; ${help}`, 'dim')
}

/** Bytes that are decoded before other sessions get their turn. */
const PIECE_BYTES = 512
/** Keys that are handled before other sessions get their turn. */
const PIECE_KEYS = 8

/** Resolves after ^D or when the person is gone, once all lines were submitted. */
async function readKeyboard(session: OpenSession, keyboard: Keyboard, account: Account): Promise<void> {
  const { queue } = session
  const decode = createKeyDecoder()
  keyboard.restore(await session.host.savedInput())
  let waitsSince = session.shared.now()
  for await (const bytes of session.terminal.input) {
    const silentMs = session.shared.now() - waitsSince
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      let keys: readonly Key[] = []
      const takeSome = (): boolean => {
        const some = keys.slice(0, PIECE_KEYS)
        keys = keys.slice(PIECE_KEYS)
        return keyboard.take(some)
      }
      let isLeaving = await account.run(() => {
        keys = decode(bytes.subarray(at, at + PIECE_BYTES), at === 0 ? silentMs : 0)
        return takeSome()
      })
      while (keys.length > 0 && !isLeaving && !session.isOver()) isLeaving = await account.run(takeSome)
      if (isLeaving || session.isOver()) return await queue.allDone()
      if (queue.isFull) await queue.allDone()
    }
    waitsSince = session.shared.now()
  }
  await queue.allDone()
}
