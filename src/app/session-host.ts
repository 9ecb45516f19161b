import type { InvitationNotices } from '../chat/personal/invitations.ts'
import { Refusal } from '../chat/errors.ts'
import type { OpenClient } from '../chat/moderation/clients.ts'
import type { Person } from '../chat/people/person.ts'
import type { InputHistory, OpenHistory } from '../chat/personal/input-history.ts'
import type { Preferences } from '../chat/personal/preferences.ts'
import type { Room } from '../chat/room.ts'
import type { Rooms } from '../chat/rooms.ts'
import type { Talk, TalkSession } from '../chat/talk/talk.ts'
import type { CompleteWord } from '../commands/completion.ts'
import type { Runner } from '../commands/runner.ts'
import { handleLine } from '../handle-line.ts'
import type { Account } from '../lib/jobs/scheduler.ts'
import type { ClientHandler, RoomFooter, Screen, SessionHost, Terminal } from '../session/ports.ts'
import { runSession } from '../session/session.ts'
import type { SharedBySessions } from '../session/views/view.ts'
import type { ServeMcp } from './agents.ts'
import { type Door, untilPutOut } from './door.ts'
import type { Greeting } from './room/greeting.ts'
import { CurrentRoom, type RoomViews } from './room/current-room.ts'
import { type InputLimits, pageTurn, scriptInput, scriptOutput } from './script-streams.ts'
import type { SessionCaller } from '../commands/command.ts'
import { classifyLine } from '../commands/parse.ts'

/** What people and scripts get from the server. */
export interface HostParts {
  readonly door: Door
  readonly rooms: Rooms
  readonly views: RoomViews
  readonly input: InputParts
  readonly told: ToldParts
  readonly shared: SharedBySessions
  readonly preferences: Pick<Preferences, 'open'>
  readonly settings: HostSettings
}

/** What is done with what people type. */
export interface InputParts {
  readonly runner: Pick<Runner, 'command' | 'speech'>
  readonly complete: CompleteWord
  readonly history: Pick<InputHistory, 'open'>
  readonly serveMcp: ServeMcp
  /** Stops what runs in a room, as far as this person may. */
  readonly stop: (room: Room, person: Person) => Promise<void>
}

/** What people are told beside what is said in the rooms. */
export interface ToldParts {
  readonly openTalk: Talk['openSession']
  readonly invitations: Pick<InvitationNotices, 'tell'>
  /** What somebody reads who has just come in with a terminal. */
  readonly greeting: Greeting
}

/** What the config says of sessions and scripts. It is asked each time, because the config can change. */
export interface HostSettings {
  /** Printed at the beginning of each session; empty for nothing. */
  readonly motd: () => string
  /** What one script may pipe in. */
  readonly stdin: () => InputLimits
}

/** Serves whoever logs in: a session in the rooms, or one command for a script. */
export function createClientHandler(parts: HostParts): ClientHandler {
  const { door, input, preferences, settings, shared } = parts
  return {
    identify: (name, key, address, code) => door.identify(name, key, address, code),
    async shell(person, terminal, account) {
      const mine = await preferences.open(person)
      const openHistory = () => input.history.open(person, () => mine.now().history !== 'off')
      const host = createSessionHost(person, parts, account, () => terminal.size(), openHistory)
      await runSession({ terminal, person, shared, preferences: mine, account, host }).finally(mine.close)
    },
    connected: door.connected,
    servers: door.servers,
    async exec(person, line, pipe, account) {
      const afterwards: (() => void)[] = []
      const status = await untilPutOut(person, pipe, door, (own) =>
        input.runner.command(line, {
          person,
          out: scriptOutput(own, account),
          signal: own.signal,
          script: {
            stdin: (wait) => scriptInput(own, settings.stdin(), wait),
            afterwards: (work) => afterwards.push(work),
            serveMcp: () => input.serveMcp(person, own, account),
          },
        }),
      )
      for (const work of afterwards) work()
      return status
    },
  }
}

/** The server for one session: how it begins and ends, and what its lines do. */
function createSessionHost(
  person: Person,
  { door, rooms, views, input, told, settings }: HostParts,
  account: Account,
  size: Terminal['size'],
  openHistory: () => Promise<OpenHistory>,
): SessionHost {
  const gone = new AbortController()
  let screen: Screen | undefined
  let talk: TalkSession | undefined
  /** What was typed before; nobody needs it to see the room. */
  let history: Promise<OpenHistory> | undefined
  let currentRoom: CurrentRoom | undefined
  let forget = (): unknown => undefined
  const here = (): Room | undefined => currentRoom?.room()

  async function enterLobby(shown: Screen, moves: CurrentRoom): Promise<void> {
    const lobby = await rooms.lobby()
    const greet = (): void => {
      for (const line of told.greeting(lobby, person)) shown.print(line, 'dim')
    }
    await moves.moveTo(lobby, greet).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
      shown.quit(`! ${error.message}`, 1)
    })
  }

  return {
    async attach(terminal) {
      const mine = await told.openTalk(terminal)
      if (gone.signal.aborted) return mine.close()
      talk = mine
      const shown = withoutIgnored(terminal, mine)
      const moves = new CurrentRoom(shown, rooms, views, size, gone.signal)
      screen = shown
      currentRoom = moves
      history = openHistory()
      forget = door.begin(clientOf(shown, moves))
      const why = door.whyOut(person)
      if (why !== undefined) return shown.quit(`! ${why}`, 1)
      const motd = settings.motd()
      if (motd) shown.print(motd)
      if (person.notice !== undefined) shown.print(`! ${person.notice}`, 'error')
      if (person.guest)
        shown.print(`you are ${person.name}, a guest: ${person.why ?? 'your key does not own the name'}`)
      await enterLobby(shown, moves)
      await Promise.all([mine.showWaiting(), told.invitations.tell(person)])
    },
    async detach({ lines, draft }) {
      forget()
      gone.abort()
      talk?.close()
      await Promise.all([currentRoom?.leave(), history?.then((mine) => keep(mine))])
      async function keep(mine: OpenHistory): Promise<void> {
        for (const line of lines) mine.sent(line)
        await mine.close(draft)
      }
    },
    async submit(line) {
      const room = here()
      if (!screen || !currentRoom || !room) return
      if (classifyLine(line).kind === 'command') screen.echo(line)
      const caller = callerIn(room, screen, currentRoom, {
        columns: size()?.columns ?? 80,
        signal: gone.signal,
        account,
      })
      const { kind, status } = await handleLine(line, caller, input.runner)
      const typed = await history
      typed?.sent(line)
      // A pipe has no key to bring it back with.
      if (kind === 'speech' && status !== 0 && size())
        screen.print('! your text is not lost: ↑ brings it back', 'error')
    },
    savedInput: async () => (await history) ?? { lines: [], draft: '' },
    async complete(textBeforeCursor, word) {
      const room = here()
      return room ? await input.complete(textBeforeCursor, word, room, person) : []
    },
    footer: (style) => currentRoom?.board()?.footer(style) ?? NO_FOOTER,
    running: () => currentRoom?.board()?.running() ?? [],
    async stop() {
      const room = here()
      if (room) await input.stop(room, person)
    },
  }
}

/** How a session is put out. */
const clientOf = (screen: Screen, moves: CurrentRoom): OpenClient => ({
  person: screen.person,
  tell: (text) => screen.print(text),
  end: (why) => screen.quit(`! ${why}`, 1),
  leave: (room, why) => moves.putOut(room, why),
})

/** Who a command's caller is, where it is typed in a session. */
const callerIn = (
  room: Room,
  screen: Screen,
  moves: CurrentRoom,
  session: { readonly columns: number; readonly signal: AbortSignal; readonly account: Account },
): SessionCaller => ({
  person: screen.person,
  out: {
    line: (text) => screen.print(text),
    write: (text) => screen.print(text),
    warn: (text) => screen.print(`! ${text}`, 'error'),
    columns: session.columns,
    ready: () => pageTurn(session.account),
  },
  signal: session.signal,
  session: {
    room,
    isThere: () => moves.isIn(room),
    moveTo: (next) => moves.moveTo(next),
    clear: () => screen.clear(),
    quit: () => screen.quit('bye'),
  },
})

/** Leaves out what the person does not want to hear. */
const withoutIgnored = (screen: Screen, { shows }: TalkSession): Screen => ({
  ...screen,
  deliver(entry, how) {
    if (shows(entry)) screen.deliver(entry, how)
  },
})

const NO_FOOTER: RoomFooter = { replies: [], replyOf: () => undefined, status: '' }
