import { createDoor } from '../../src/visits/door.ts'
import { createRoomBoards } from '../../src/visits/board.ts'
import { createGreeting } from '../../src/visits/greeting.ts'
import { createRecentEntries } from '../../src/visits/recent-entries.ts'
import { createRoomStatus } from '../../src/visits/status.ts'
import { createClientHandler } from '../../src/visits/session-host.ts'
import { createCompletion } from '../../src/commands/completion.ts'
import { createSummaryOf } from '../../src/commands/help.ts'
import type { Person } from '../../src/words/person.ts'
import { createShared } from '../../src/terminal/views/view.ts'
import { processTimers } from '../../src/server/process-timers.ts'
import { invitationsIn } from './chat-parts.ts'
import { createCommandWorldWith } from './commands/command-world.ts'
import { markdown } from './markdown-tools.ts'
import { createPeopleParts } from './people.ts'
import { newAccount } from './shared-by-sessions.ts'
import { createEmulator, createFakeTerminal, type Emulator, type FakeTerminal } from './terminal.ts'
import type { WorldOptions } from './turn-world.ts'
import { stopOwn } from '../../src/commands/verbs/ask.ts'

/** A person at a terminal in memory, in a session as the server has it: with every command, and models at work. */
export type WholeSession = ReturnType<typeof wholeSession>

/** `now` is the sessions' monotonic clock: what was written in its last two seconds is repeated after a resize. */
export async function createSessionStage(options: WorldOptions, now: () => number = processTimers.now) {
  const world = await createCommandWorldWith(options)
  const { turnWorld, talk, clients, runner, commands, preferences, approvals, runs } = world
  const { chatParts, turns } = turnWorld
  const { rooms, storage, clock, log, sanctions } = chatParts
  const status = createRoomStatus(
    { turns, runs },
    approvals,
    storage.models.turns,
    world.shownRoutines,
    clock,
  )
  const handler = createClientHandler({
    door: createDoor(
      createPeopleParts(chatParts).people,
      sanctions,
      clients,
      talk.ignores,
      chatParts.peers.serversOf,
    ),
    rooms,
    views: {
      boards: createRoomBoards(status, processTimers.now, {
        tools: markdown.tools,
        wallNow: () => clock.now(),
        modelStyle: preferences.modelStyle,
      }),
      recent: createRecentEntries(),
      ...world.following,
      listening: async () => '',
      pins: async () => [],
    },
    runner,
    complete: createCompletion(commands, turns),
    summaryOf: createSummaryOf(commands),
    history: world.history,
    serveMcp: async () => undefined,
    files: async () => 1,
    stop: (room, person) => stopOwn({ turns, runs }, room, person),
    onTyped: () => undefined,
    warmComposer: () => undefined,
    openTalk: talk.openSession,
    invitations: invitationsIn(chatParts),
    join: async (name, person, goIn) => goIn(await rooms.get(name, person)),
    greeting: createGreeting({ models: () => [], isClaimable: () => false, troubles: () => [] }),
    shared: {
      ...createShared(processTimers, { markdown, clock, log }, preferences),
      now,
    },
    preferences,
    motd: () => '',
    stdin: () => ({ bytes: 1_000, stallMs: 1_000 }),
  })
  return {
    world,
    lobby: await rooms.lobby(),
    open(
      person: Person,
      size: { readonly columns: number; readonly rows: number },
      client: { readonly term?: string; readonly env?: Readonly<Record<string, string>> } = {},
    ): WholeSession {
      // It answers at once: what is drawn again after a change depends on how long an answer takes.
      const terminal = Object.assign(createFakeTerminal({ size, ...client }), {
        whenRead: (read: () => void) => read(),
      })
      const done = handler.shell(person, terminal, newAccount())
      return wholeSession(terminal, createEmulator(size.columns, size.rows), done)
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

function wholeSession(terminal: FakeTerminal, emulator: Emulator, done: Promise<void>) {
  const writes: string[] = []
  let taken = 0
  let ended: unknown
  let looker = (): void => undefined
  done.catch((error: unknown) => (ended = error))
  terminal.listen(() => {
    writes.push(terminal.written().slice(taken))
    taken = terminal.written().length
  })

  async function show(): Promise<void> {
    for (let text = writes.shift(); text !== undefined; text = writes.shift()) {
      await emulator.write(text)
      looker()
    }
  }

  function said(): string {
    const rows = emulator.all()
    return `${rows.join(' ').replaceAll(/ +/g, ' ')}\n${rows.join('')}`
  }

  return {
    terminal,
    emulator,
    enter: (line: string) => terminal.type(`${line}\r`),
    /** Resolves once the pattern is in what all rows say, scrollback included, however they are broken. */
    async seen(pattern: RegExp) {
      for (;;) {
        await show()
        if (pattern.test(said())) return
        if (ended !== undefined) throw new Error('the session ended', { cause: ended })
        if (writes.length === 0 && !(await nextWrite(terminal)))
          throw new Error(`${pattern} was not seen:\n${emulator.all().join('\n')}`)
      }
    },
    /** Lets the emulator show what was written; `look` is called after each write of the session. */
    show,
    look: (next: () => void) => void (looker = next),
    async resize(columns: number, rows: number) {
      await show()
      emulator.resize(columns, rows)
      terminal.resize(columns, rows)
    },
    async [Symbol.asyncDispose]() {
      terminal.hangUp()
      await done
    },
  }
}

/** So long may nothing be written while a test waits for something. */
const PATIENCE_MS = 20_000

/** False if nothing is written. */
const nextWrite = (terminal: FakeTerminal): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (isWritten: boolean): void => {
      stop()
      clearTimeout(timer)
      resolve(isWritten)
    }
    const stop = terminal.listen(() => end(true))
    const timer = setTimeout(() => end(false), PATIENCE_MS)
  })
