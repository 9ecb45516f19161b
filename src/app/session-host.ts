import type { InvitationNotices } from '../chat/invitations/invitation-notices.ts'
import type { Rooms } from '../chat/rooms.ts'
import { Refusal } from '../chat/errors.ts'
import type { People } from '../chat/people/people.ts'
import type { Person } from '../chat/people/person.ts'
import type { Room } from '../chat/room.ts'
import type { Talk, TalkSession } from '../chat/talk/talk.ts'
import type { SessionCaller } from '../commands/caller.ts'
import type { CompleteWord } from '../commands/completion.ts'
import type { Runner } from '../commands/runner.ts'
import { handleLine } from '../handle-line.ts'
import type { Account } from '../lib/scheduler.ts'
import type { ClientHandler, RoomFooter, Screen, SessionHost } from '../session/ports.ts'
import { runSession } from '../session/session.ts'
import type { SharedBySessions } from '../session/shared.ts'
import { createRoomPasts, type RoomPasts } from './room/past.ts'
import { enterRoom, type RoomStay } from './room/stay.ts'
import { type InputLimits, pageTurn, scriptInput, scriptOutput } from './script-streams.ts'
import type { BoardView, RoomBoards } from './room/board.ts'

/** What people and scripts get from the server. */
export interface HostParts {
  readonly people: People
  readonly rooms: Rooms
  readonly runner: Runner
  readonly boards: RoomBoards
  readonly shared: SharedBySessions
  readonly complete: CompleteWord
  /** Stops what runs in a room, as far as this person may. */
  readonly stop: (room: Room, person: Person) => Promise<void>
  readonly settings: HostSettings
}

/** What the config says of sessions and scripts. It is asked each time, because the config can change. */
export interface HostSettings {
  /** Printed at the beginning of each session; empty for nothing. */
  readonly motd: () => string
  /** What one script may pipe in. */
  readonly stdin: () => InputLimits
}

/** Serves whoever logs in: a session in the rooms, or one command for a script. */
export function createClientHandler(
  parts: HostParts,
  openTalk: Talk['openSession'],
  invitations: Pick<InvitationNotices, 'tell'>,
): ClientHandler {
  const pasts = createRoomPasts()
  return {
    identify: (name, key) => parts.people.identify(name, key.fingerprint),
    shell: (person, terminal, account) =>
      runSession({
        terminal,
        person,
        shared: parts.shared,
        account,
        host: createSessionHost(
          person,
          { ...parts, pasts, openTalk, invitations },
          account,
          () => terminal.size()?.columns ?? 80,
        ),
      }),
    async exec(person, line, pipe, account) {
      return await parts.runner.command(line, {
        person,
        out: scriptOutput(pipe, account),
        stdin: (wait) => scriptInput(pipe, parts.settings.stdin(), wait),
        signal: pipe.signal,
      })
    },
  }
}

/** The server for one session: which room it is in, and what its lines do. */
function createSessionHost(
  person: Person,
  parts: Omit<HostParts, 'people' | 'shared'> & {
    readonly pasts: RoomPasts
    readonly openTalk: Talk['openSession']
    /** Tells whoever comes in of the invitations that they do not know of. */
    readonly invitations: Pick<InvitationNotices, 'tell'>
  },
  account: Account,
  columns: () => number,
): SessionHost {
  const gone = new AbortController()
  let screen: Screen | undefined
  let talk: TalkSession | undefined
  let stay: RoomStay | undefined
  let board: BoardView | undefined
  const here = (): Room | undefined => stay?.room

  async function moveTo(room: Room, shown: Screen): Promise<void> {
    if (room === here()) return
    const left = stay
    stay = await enterRoom(room, shown, parts.pasts, columns())
    board?.leave()
    board = undefined
    await left?.leave()
    board = parts.boards.of(room).watch(person, stay.role, () => shown.refresh())
    if (gone.signal.aborted) await leaveRoom()
  }

  async function leaveRoom(): Promise<void> {
    board?.leave()
    await stay?.leave()
  }

  const caller = (shown: Screen, room: Room): SessionCaller => ({
    person,
    out: {
      line: (text) => shown.print(text),
      write: (text) => shown.print(text),
      warn: (text) => shown.print(`! ${text}`),
      columns: columns(),
      ready: () => pageTurn(account),
    },
    signal: gone.signal,
    session: { room, moveTo: (target) => moveTo(target, shown), quit: () => shown.quit('bye') },
  })

  return {
    async attach(terminal) {
      const mine = await parts.openTalk(terminal)
      if (gone.signal.aborted) return mine.close()
      talk = mine
      const attached = hearing(terminal, mine)
      screen = attached
      const motd = parts.settings.motd()
      if (motd) attached.print(motd)
      if (person.guest)
        attached.print(`your key does not own the name you asked for: you are ${person.name}, a guest`)
      await moveTo(await parts.rooms.lobby(), attached).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        attached.quit(`! ${error.message}`, 1)
      })
      await mine.showWaiting()
      await parts.invitations.tell(person)
    },
    async detach() {
      gone.abort()
      talk?.close()
      await leaveRoom()
    },
    async submit(line) {
      const room = here()
      if (!screen || !room) return
      const { kind, status } = await handleLine(line, caller(screen, room), parts.runner)
      if (kind === 'speech' && status !== 0) screen.print('! your text is not lost: ↑ brings it back')
    },
    async complete(textBeforeCursor, word) {
      const room = here()
      return room ? await parts.complete(textBeforeCursor, word, room, person) : []
    },
    footer: (style) => board?.footer(style) ?? NO_FOOTER,
    async stop() {
      const room = here()
      if (room) await parts.stop(room, person)
    },
  }
}

/** Leaves out what the person does not want to hear. */
const hearing = (screen: Screen, { hears }: TalkSession): Screen => ({
  ...screen,
  deliver(entry) {
    if (hears(entry)) screen.deliver(entry)
  },
})

const NO_FOOTER: RoomFooter = { replies: [], status: '' }
