import type { InvitationNotices } from '../chat/invitations/invitation-notices.ts'
import type { Rooms } from '../chat/rooms.ts'
import { Refusal } from '../chat/errors.ts'
import { LOBBY } from '../chat/people/names.ts'
import type { RoomName } from '../chat/entry.ts'
import type { OpenClient } from '../chat/moderation/open-clients.ts'
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
import { createSerial } from '../lib/serial.ts'
import { untilPutOut, type Door } from './door.ts'
import { createRoomPasts, type RoomPasts } from './room/past.ts'
import { enterRoom, type RoomStay } from './room/stay.ts'
import { type InputLimits, pageTurn, scriptInput, scriptOutput } from './script-streams.ts'
import type { BoardView, RoomBoards } from './room/board.ts'

/** What people and scripts get from the server. */
export interface HostParts {
  readonly door: Door
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
    identify: (name, key, address, code) => parts.door.identify(name, key, address, code),
    shell: (person, terminal, account) =>
      runSession({
        terminal,
        person,
        shared: parts.shared,
        account,
        host: createSessionHost(
          person,
          { ...parts, arrival: { pasts, openTalk, invitations } },
          account,
          () => terminal.size()?.columns ?? 80,
        ),
      }),
    async exec(person, line, pipe, account) {
      return await untilPutOut(person, pipe, parts.door, (own) =>
        parts.runner.command(line, {
          person,
          out: scriptOutput(own, account),
          stdin: (wait) => scriptInput(own, parts.settings.stdin(), wait),
          signal: own.signal,
        }),
      )
    },
  }
}

/** What somebody is shown and told as they come in. */
interface Arrival {
  readonly pasts: RoomPasts
  readonly openTalk: Talk['openSession']
  readonly invitations: Pick<InvitationNotices, 'tell'>
}

/** The server for one session: which room it is in, and what its lines do. */
function createSessionHost(
  person: Person,
  parts: Omit<HostParts, 'shared'> & { readonly arrival: Arrival },
  account: Account,
  columns: () => number,
): SessionHost {
  const gone = new AbortController()
  let screen: Screen | undefined
  let talk: TalkSession | undefined
  let stay: RoomStay | undefined
  let board: BoardView | undefined
  let forget = (): unknown => undefined
  const here = (): Room | undefined => stay?.room
  // Somebody may be put out of a room while they go into another one.
  const oneByOne = createSerial()
  const moveTo = (room: Room, shown: Screen): Promise<void> => oneByOne(() => move(room, shown))

  async function move(room: Room, shown: Screen): Promise<void> {
    if (room === here()) return
    const left = stay
    stay = await enterRoom(room, shown, parts.arrival.pasts, columns())
    board?.leave()
    board = undefined
    await left?.leave()
    board = parts.boards.of(room).watch(person, stay.role, () => shown.refresh())
    if (gone.signal.aborted) await leaveRoom()
  }

  /** Back to the lobby; from there, out of the server. */
  const putOut = (from: RoomName, why: string, shown: Screen): Promise<void> =>
    oneByOne(async () => {
      if (here()?.name !== from) return
      if (from === LOBBY) return shown.quit(`! ${why}`, 1)
      shown.print(`! ${why}`)
      await parts.rooms
        .lobby()
        .then((lobby) => move(lobby, shown))
        .catch(() => shown.quit(`! ${why}`, 1))
    })

  const clientOf = (shown: Screen): OpenClient => ({
    person,
    tell: (text) => shown.print(text),
    end: (why) => shown.quit(`! ${why}`, 1),
    leave: (room, why) => putOut(room, why, shown),
  })

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
      const mine = await parts.arrival.openTalk(terminal)
      if (gone.signal.aborted) return mine.close()
      talk = mine
      const attached = hearing(terminal, mine)
      screen = attached
      forget = parts.door.begin(clientOf(attached))
      const why = parts.door.whyOut(person)
      if (why !== undefined) return attached.quit(`! ${why}`, 1)
      const motd = parts.settings.motd()
      if (motd) attached.print(motd)
      if (person.guest)
        attached.print(`you are ${person.name}, a guest: ${person.why ?? 'your key does not own the name'}`)
      await moveTo(await parts.rooms.lobby(), attached).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        attached.quit(`! ${error.message}`, 1)
      })
      await mine.showWaiting()
      await parts.arrival.invitations.tell(person)
    },
    async detach() {
      forget()
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
