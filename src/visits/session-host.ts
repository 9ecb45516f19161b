import type { InvitationNotices, InputHistory, OpenHistory, Preferences } from '../chat/personal/index.ts'
import { Refusal, ignoreRefusal } from '../words/errors.ts'
import type { FollowingSession, Room, Rooms } from '../chat/index.ts'
import type { RoomName } from '../words/entry.ts'
import type { Person } from '../words/person.ts'
import type { Talk, TalkSession } from '../chat/talk/index.ts'
import {
  type CompleteWord,
  type Runner,
  handleLine,
  type SessionCaller,
  classifyLine,
} from '../commands/index.ts'
import type { Account } from '../base/jobs/scheduler.ts'
import type { Zone } from '../base/zone.ts'
import {
  type DrawingStyle,
  type ClientHandler,
  type RoomFooter,
  type RunningWork,
  type SavedInput,
  type Screen,
  type SessionHost,
  type Terminal,
  runSession,
  sessionZone,
  type SharedBySessions,
  type ExecPipe,
} from '../terminal/index.ts'
import { type Door, untilKicked } from './door.ts'
import type { Greeting } from './greeting.ts'
import { CurrentRoom, type RoomViews } from './current-room.ts'
import { QuickAnswers } from './quick-answers.ts'
import { callerIn, clientOf, placeToOpen } from './session-caller.ts'
import { type InputLimits, scriptInput, scriptOutput } from './script-streams.ts'

export interface HostParts {
  readonly door: Door
  readonly rooms: Rooms
  readonly views: RoomViews
  readonly shared: SharedBySessions
  readonly preferences: Pick<Preferences, 'open'>
  readonly runner: Pick<Runner, 'command' | 'speech' | 'showsWords'>
  readonly complete: CompleteWord
  readonly summaryOf: (choice: string) => string | undefined
  readonly history: Pick<InputHistory, 'open'>
  readonly serveMcp: ServeMcp
  readonly openTalk: Talk['openSession']
  readonly invitations: Pick<InvitationNotices, 'tell'>
  readonly greeting: Greeting
  readonly files: NonNullable<ClientHandler['files']>
  /** Enters a room as `/join` does; `@NAME` opens a talk. */
  readonly join: (name: string, person: Person, goIn: (room: Room) => Promise<void>) => Promise<void>
  /** Stops everything that the person started in the room. */
  readonly stop: (room: Room, person: Person) => Promise<void>
  /** Called when somebody entered a line at a terminal in this room. Never throws. */
  readonly onTyped: (room: RoomName) => void
  readonly warmComposer: () => void
  /** Returns the current message of the day; empty for none. */
  readonly motd: () => string
  readonly stdin: () => InputLimits
}

/** Serves people who log in: a session in the rooms, or one command for a script. */
export function createClientHandler(parts: HostParts): ClientHandler {
  const { door, history, preferences, shared, views } = parts
  return {
    identify: (name, key, address, code) => door.identify(name, key, address, code),
    connected: door.connected,
    servers: door.servers,
    roomToOpen: placeToOpen,
    async shell(person, terminal, account, room) {
      // People at a terminal usually ask a model sooner or later: starts the process early.
      if (terminal.size()) parts.warmComposer()
      const following = terminal.size() && views.followed.open(person)
      const mine = await preferences.open(person)
      const openHistory = () => history.open(person, () => mine.now().history !== 'off')
      const zone = sessionZone(terminal.env, mine)
      const host = new RoomSession(person, parts, {
        account,
        openHistory,
        zone,
        earlierLogins: mine.earlierLogins,
        firstRoom: room,
        following,
        size: () => terminal.size(),
      })
      await runSession({ terminal, person, shared, preferences: mine, account, host }).finally(() => {
        mine.close()
        following?.close()
      })
    },
    async exec(person, line, pipe, account) {
      const afterwards: (() => void)[] = []
      const status = await untilKicked(person, pipe, door, (own) =>
        parts.runner.command(line, {
          person,
          out: scriptOutput(own, account),
          signal: own.signal,
          script: {
            stdin: (wait) => scriptInput(own, parts.stdin(), wait),
            afterwards: (work) => afterwards.push(work),
            ...(own.bytes && { writeBytes: own.bytes }),
            serveMcp: () => parts.serveMcp(person, own, account),
          },
        }),
      )
      for (const work of afterwards) work()
      return status
    },
    files: parts.files,
  }
}

interface AttachedScreen {
  readonly screen: Screen
  readonly current: CurrentRoom
  readonly talk: TalkSession
  /** A promise, because the room is shown without waiting for the history. */
  readonly history: Promise<OpenHistory>
  /** Unregisters the session. */
  readonly forget: () => void
}

interface OwnParts {
  readonly account: Account
  readonly size: Terminal['size']
  readonly openHistory: () => Promise<OpenHistory>
  readonly zone: () => Zone
  readonly earlierLogins: number
  /** The requested room, as in `ssh -t HOST join NAME`. */
  readonly firstRoom: string | undefined
  readonly following: FollowingSession | undefined
}

/** A session in the rooms: its start and end, and the effects of its lines. */
class RoomSession implements SessionHost {
  readonly #person: Person
  readonly #parts: HostParts
  readonly #own: OwnParts
  readonly #gone = new AbortController()
  readonly #answers: QuickAnswers
  #attached: AttachedScreen | undefined

  constructor(person: Person, parts: HostParts, own: OwnParts) {
    this.#person = person
    this.#parts = parts
    this.#own = own
    this.#answers = new QuickAnswers(person, parts.shared.now)
  }

  async attach(terminal: Screen): Promise<void> {
    const { door, rooms, views, openTalk, invitations, motd } = this.#parts
    const person = this.#person
    const last = this.#own.firstRoom === undefined ? this.#own.following?.last() : undefined
    // Read meanwhile: an error is thrown when the room is entered.
    last?.catch(() => undefined)
    const talk = await openTalk({ ...terminal, zone: this.#own.zone })
    if (this.#gone.signal.aborted) return talk.close()
    const { size, following } = this.#own
    const open = (room: RoomName) => (size() ? current.questions(room) : [])
    const screen = this.#answers.over(withoutIgnored(terminal, talk), open)
    const current: CurrentRoom = new CurrentRoom(screen, rooms, views, size, this.#gone.signal, following)
    const forget = door.begin(clientOf(screen, current))
    this.#attached = { screen, current, talk, history: this.#own.openHistory(), forget }
    const why = door.whyOut(person)
    if (why !== undefined) return screen.quit(`! ${why}`, 1)
    if (motd() !== '') screen.print(motd())
    if (person.notice !== undefined) screen.print(`! ${person.notice}`, 'error')
    if (person.guest)
      screen.print(`you are ${person.name}, a guest: ${person.why ?? 'your key does not own the name'}`)
    await this.#enterFirst(screen, current, last)
    await Promise.all([talk.showWaiting(), invitations.tell(person)])
  }

  /** Enters the requested room; else, at a terminal, the room of the last session; else the lobby. */
  async #enterFirst(screen: Screen, current: CurrentRoom, last?: Promise<Room | undefined>): Promise<void> {
    const { rooms, join } = this.#parts
    const { firstRoom } = this.#own
    const goIn = (room: Room): Promise<void> => current.moveTo(room, () => this.#greet(room, screen))
    try {
      if (firstRoom !== undefined) return await join(firstRoom, this.#person, goIn)
      const room = await last
      const isIn = room && (await goIn(room).then(() => true, ignoreRefusal))
      if (!isIn) await goIn(await rooms.lobby())
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      screen.quit(`! ${error.message}`, 1)
    }
  }

  #greet(room: Room, screen: Screen): void {
    const { earlierLogins, zone, size } = this.#own
    const comingIn = { earlierLogins, zone: size() && zone().name }
    for (const line of this.#parts.greeting(room, this.#person, comingIn)) screen.print(line, 'dim')
  }

  async detach({ lines, draft }: SavedInput): Promise<void> {
    const attached = this.#attached
    attached?.forget()
    this.#gone.abort()
    if (!attached) return
    attached.talk.close()
    const keepInput = async (): Promise<void> => {
      const history = await attached.history
      for (const line of lines) history.sent(line)
      await history.close(draft)
    }
    await Promise.all([attached.current.leave(), keepInput()])
  }

  async submit(line: string): Promise<void> {
    const attached = this.#attached
    const caller = this.#caller()
    if (!attached || !caller) return
    const { screen } = attached
    if (this.#own.size()) this.#parts.onTyped(caller.session.room.name)
    const { kind: typed, rest } = classifyLine(line)
    if (typed === 'command' && !this.#parts.runner.showsWords(rest)) screen.echo(line)
    const { kind, status } = await this.#answerOrHandle(line, caller, attached)
    const history = await attached.history
    history.sent(line)
    // A pipe has no ↑ key that recalls the text.
    const isText = kind === 'speech' || (kind === 'command' && this.#parts.runner.showsWords(rest))
    if (isText && status !== 0 && this.#own.size())
      screen.print('! your text is not lost: ↑ brings it back', 'error')
  }

  /** At a terminal, `y`, `n` and numbers answer questions; `//y` says the word. */
  async #answerOrHandle(line: string, caller: SessionCaller, { screen, current }: AttachedScreen) {
    const { runner } = this.#parts
    const { room } = caller.session
    const open = this.#own.size() ? current.questions(room.name) : []
    const answer = this.#answers.read(line, room.name, open)
    if ('say' in answer) return await handleLine(answer.say, caller, runner)
    screen.echo(line)
    if ('command' in answer)
      return { kind: 'command', status: await runner.command(answer.command, caller) } as const
    caller.out.warn(answer.problem)
    return { kind: 'nothing', status: 2 } as const
  }

  async goNext(): Promise<void> {
    const caller = this.#caller()
    if (caller) await this.#parts.runner.command('next', caller)
  }

  #caller(): SessionCaller | undefined {
    const { screen, current } = this.#attached ?? {}
    const room = current?.room()
    if (!screen || !current || !room) return undefined
    return callerIn(room, screen, current, {
      columns: this.#own.size()?.columns,
      signal: this.#gone.signal,
      account: this.#own.account,
      zone: this.#own.zone(),
    })
  }

  async savedInput(): Promise<SavedInput> {
    return (await this.#attached?.history) ?? { lines: [], draft: '' }
  }

  async complete(textBeforeCursor: string, word: string): Promise<readonly string[]> {
    const room = this.#attached?.current.room()
    return room ? await this.#parts.complete(textBeforeCursor, word, room, this.#person) : []
  }

  summaryOf(choice: string): string | undefined {
    return this.#parts.summaryOf(choice)
  }

  footer(style: DrawingStyle): RoomFooter {
    const current = this.#attached?.current
    return current?.board()?.footer(style, this.#own.following?.news(), this.#own.zone()) ?? NO_FOOTER
  }

  running(): readonly RunningWork[] {
    return this.#attached?.current.board()?.running() ?? []
  }

  async stop(): Promise<void> {
    const room = this.#attached?.current.room()
    if (room) await this.#parts.stop(room, this.#person)
  }
}

const withoutIgnored = (screen: Screen, { shows }: TalkSession): Screen => ({
  ...screen,
  deliver(entry, how) {
    if (shows(entry)) screen.deliver(entry, how)
  },
})

const NO_FOOTER: RoomFooter = { replies: [], replyOf: () => undefined, status: '' }

/** Serves `ssh host mcp serve`: an agent on a script's pipe. Rejects with `StorageError`. */
export type ServeMcp = (person: Person, pipe: ExecPipe, account: Account) => Promise<void>
