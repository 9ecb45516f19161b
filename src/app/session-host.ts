import type { Chat } from '../chat/chat.ts'
import { Refusal } from '../chat/errors.ts'
import type { People } from '../chat/people.ts'
import type { Person } from '../chat/person.ts'
import type { Room } from '../chat/room.ts'
import type { SessionCaller } from '../commands/caller.ts'
import type { Runner } from '../commands/runner.ts'
import { handleLine } from '../handle-line.ts'
import type { ClientHandler, Screen, SessionHost } from '../session/ports.ts'
import { runSession } from '../session/session.ts'
import { enterRoom, type RoomStay } from './room-stay.ts'
import { scriptInput, scriptOutput } from './script-streams.ts'
import { createStatusLine, type RoomStatus } from './status-line.ts'

/** What people and scripts get from the server. */
export interface HostParts {
  readonly people: People
  readonly chat: Chat
  readonly runner: Runner
  readonly roomStatus: RoomStatus
  readonly complete: (textBeforeCursor: string, room: Room, person: Person) => Promise<readonly string[]>
  /** Stops what runs in a room, as far as this person may. */
  readonly stop: (room: Room, person: Person) => Promise<void>
  /** Gives what is printed at the beginning of each session; empty for nothing. */
  readonly motd: () => string
  /** Gives the bytes that one script may pipe in. */
  readonly stdinBytes: () => number
}

/** Serves whoever logs in: a session in the rooms, or one command for a script. */
export function createClientHandler(parts: HostParts): ClientHandler {
  return {
    identify: (name, key) => parts.people.identify(name, key.fingerprint),
    shell: (person, terminal) =>
      runSession({
        terminal,
        person,
        host: createSessionHost(person, parts, () => terminal.size()?.columns ?? 80),
      }),
    async exec(person, line, pipe) {
      const out = scriptOutput(pipe)
      const status = await parts.runner.command(line, {
        person,
        out,
        stdin: (wait) => scriptInput(pipe, parts.stdinBytes(), wait),
        signal: pipe.signal,
      })
      await out.flushed()
      return status
    },
  }
}

/** The server for one session: which room it is in, and what its lines do. */
function createSessionHost(person: Person, parts: HostParts, columns: () => number): SessionHost {
  const gone = new AbortController()
  let screen: Screen | undefined
  let stay: RoomStay | undefined
  const here = (): Room | undefined => stay?.room
  const statusLine = createStatusLine(person, parts.roomStatus, here, () => screen?.refresh())

  async function moveTo(room: Room, shown: Screen): Promise<void> {
    if (room === here()) return
    const left = stay
    stay = await enterRoom(room, shown, parts.chat, ({ kind }) => {
      if (kind === 'scope') void statusLine.update()
      // A turn begins a moment after the message that mentions its model.
      else statusLine.draw(kind === 'message')
    })
    await left?.leave()
    await statusLine.update()
  }

  const caller = (shown: Screen, room: Room): SessionCaller => ({
    person,
    out: {
      line: (text) => shown.print(text),
      write: (text) => shown.print(text),
      warn: (text) => shown.print(`! ${text}`),
      columns: columns(),
    },
    signal: gone.signal,
    session: { room, moveTo: (target) => moveTo(target, shown), quit: () => shown.quit('bye') },
  })

  return {
    async attach(attached) {
      screen = attached
      const motd = parts.motd()
      if (motd) attached.print(motd)
      if (person.guest)
        attached.print(`your key does not own the name you asked for: you are ${person.name}, a guest`)
      await moveTo(await parts.chat.lobby(), attached).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        attached.quit(`! ${error.message}`)
      })
    },
    async detach() {
      gone.abort()
      statusLine.stop()
      await stay?.leave()
    },
    async submit(line) {
      const room = here()
      if (!screen || !room) return
      const { kind, status } = await handleLine(line, caller(screen, room), parts.runner)
      if (kind === 'speech' && status !== 0) screen.print('! your text is not lost: ↑ brings it back')
    },
    async complete(textBeforeCursor) {
      const room = here()
      return room ? await parts.complete(textBeforeCursor, room, person) : []
    },
    status: () => statusLine.status(),
    async stop() {
      const room = here()
      if (room) await parts.stop(room, person)
    },
  }
}
