import type { Chat } from '../chat/chat.ts'
import type { Entry } from '../chat/entry.ts'
import type { Person } from '../chat/person.ts'
import type { Participant } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import type { CallerContext } from '../commands/run.ts'
import type { Runner } from '../commands/run.ts'
import { handleLine } from '../handle-line.ts'
import type { Screen, SessionHost, SessionStatus } from '../session/ports.ts'

/** What a seat needs of the server. */
export interface SeatParts {
  readonly chat: Chat
  readonly runner: Runner
  readonly motd: string
  /** What a person has in a room; asked again when the room's scope changes. */
  readonly outlook: (room: Room, person: Person) => Promise<Outlook>
  /** What runs in a room now, ready to print. Cheap: asked whenever the status line is drawn. */
  readonly running: (room: Room) => readonly string[]
  readonly complete: (textBeforeCursor: string, room: Room, person: Person) => Promise<readonly string[]>
  readonly stop: (room: Room, person: Person) => Promise<void>
}

/** What the status line shows besides who is here and what runs. */
export type Outlook = Pick<SessionStatus, 'models' | 'scope' | 'tools'>

/** How much of the past somebody sees who comes into a room. */
const TAIL = 20

/** How often the status line is drawn anew while something runs. */
const TICK_MS = 500

/** One person's place in the rooms: which room a session is in, and what its lines do. */
export function takeSeat(person: Person, parts: SeatParts, columns: () => number | undefined): SessionHost {
  const gone = new AbortController()
  let here: { room: Room; leave: () => Promise<void> } | undefined
  let outlook: Outlook = { models: [], scope: '', tools: 0 }
  let screen: Screen | undefined
  let ticking: NodeJS.Timeout | undefined

  async function moveTo(room: Room): Promise<void> {
    if (here?.room === room) return
    const leaving = here
    const leave = await sit(room)
    here = { room, leave }
    await leaving?.leave()
    await lookAround()
  }

  /** Comes in first and shows the past second, holding back what arrives between: nothing is missed or shown twice. */
  async function sit(room: Room): Promise<() => Promise<void>> {
    const held: Entry[] = []
    let live = false
    const participant: Participant = {
      person,
      deliver(entry) {
        if (!live) return void held.push(entry)
        screen!.deliver(entry)
        if (entry.kind === 'scope') void lookAround()
        else drawStatus(entry.kind === 'message')
      },
      stream: (delta) => live && screen!.stream?.(delta),
    }
    await room.enter(participant)
    try {
      const past = await showPast(room)
      live = true
      for (const entry of held) if (entry.id > past) screen!.deliver(entry)
    } catch (error) {
      // Who could not be shown the room is not in it.
      await room.leave(participant)
      throw error
    }
    return () => room.leave(participant)
  }

  /** The id of the last entry that was shown; empty where there is none. */
  async function showPast(room: Room): Promise<string> {
    const past = await parts.chat.history(room, { limit: TAIL, withoutThreads: true })
    screen!.print(await heading(room))
    for (const entry of past) screen!.deliver(entry)
    return past.at(-1)?.id ?? ''
  }

  async function lookAround(): Promise<void> {
    if (!here) return
    outlook = await parts.outlook(here.room, person).catch(() => outlook)
    drawStatus()
  }

  /** What runs shows its seconds, and is seen to end; a turn begins a moment after the message that calls for it. */
  function drawStatus(mayStart = false): void {
    clearTimeout(ticking)
    screen?.refresh()
    if (gone.signal.aborted || (running().length === 0 && !mayStart)) return
    ticking = setTimeout(() => drawStatus(), TICK_MS)
  }

  const running = (): readonly string[] => (here ? parts.running(here.room) : [])

  function caller(): CallerContext {
    return {
      person,
      ...(here ? { room: here.room } : {}),
      out: {
        line: (text) => screen!.print(text),
        write: (text) => screen!.print(text),
        warn: (text) => screen!.print(`! ${text}`),
        columns: columns() ?? 80,
      },
      signal: gone.signal,
      session: { moveTo, quit: () => screen!.quit('bye') },
    }
  }

  return {
    async attach(attached) {
      screen = attached
      if (parts.motd) screen.print(parts.motd)
      if (person.guest)
        screen.print(`your key does not own the name you asked for: you are ${person.name}, a guest`)
      await moveTo(await parts.chat.lobby())
    },
    async detach() {
      gone.abort()
      clearTimeout(ticking)
      await here?.leave()
    },
    async handleLine(line) {
      const status = await handleLine(line, caller(), parts.runner)
      if (status !== 0 && !/^\/[^/]/.test(line)) screen!.print('! your text is not lost: ↑ brings it back')
    },
    complete: async (text) => (here ? parts.complete(text, here.room, person) : []),
    status: () => ({
      room: here?.room.name ?? '',
      people: here?.room.present().map((one) => one.name) ?? [],
      ...outlook,
      running: running(),
    }),
    stop: async () => {
      if (here) await parts.stop(here.room, person)
    },
  }
}

async function heading(room: Room): Promise<string> {
  const { topic } = await room.info()
  return topic ? `-- ${room.name}: ${topic}` : `-- ${room.name}`
}
