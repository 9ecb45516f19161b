import type { Person } from '../chat/person.ts'
import type { Clock } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import { scopeText } from '../commands/verbs/tools.ts'
import { duration } from '../lib/duration.ts'
import type { SessionStatus } from '../session/ports.ts'
import type { Activity } from './activity.ts'

/** What the status line says of a room besides its name and who is in it. */
export interface RoomStatus {
  /** What a person can use there. Changes with the room's scope. */
  offers(room: Room, person: Person): Promise<Pick<SessionStatus, 'models' | 'scope' | 'tools'>>
  /** What runs there now, ready to print: `@qwen thinking 3.2s`, `alice run_command 1s`. */
  running(room: Room): readonly string[]
}

export function createRoomStatus({ turns, runs }: Activity, clock: Clock): RoomStatus {
  const since = (startedAt: number): string => duration(clock.now() - startedAt)
  return {
    async offers(room, person) {
      const { scope, visible } = await turns.scope({ room, person })
      return { models: turns.names(), scope: scopeText(scope), tools: visible }
    },
    running: ({ name }) => [
      ...turns.running(name).map((turn) => `@${turn.model} ${turn.doing()} ${since(turn.startedAt)}`),
      ...runs.running(name).map((run) => `${run.requester} ${run.doing()} ${since(run.since())}`),
    ],
  }
}

/** One session's status line: what it says, and when it is drawn again. */
export interface StatusLine {
  /** What it says now. Cheap: asked whenever the line is drawn. */
  status(): SessionStatus
  /** Finds out what the room offers, and draws. Never rejects: if that fails, what was known before stays. */
  update(): Promise<void>
  /** Draws, and draws again while something runs or, with `mayStart`, may be about to run. */
  draw(mayStart?: boolean): void
  /** Ends the drawing by itself. */
  stop(): void
}

/** While something runs its seconds are shown, and its end: the line is drawn this often. */
const TICK_MS = 500

/** The status line of a person; `here` is the room that their session is in, `refresh` draws the line. */
export function createStatusLine(
  person: Person,
  rooms: RoomStatus,
  here: () => Room | undefined,
  refresh: () => void,
): StatusLine {
  let offers: Awaited<ReturnType<RoomStatus['offers']>> = { models: [], scope: '', tools: 0 }
  let ticking: NodeJS.Timeout | undefined
  let stopped = false
  const running = (room = here()): readonly string[] => (room ? rooms.running(room) : [])

  function draw(mayStart = false): void {
    clearTimeout(ticking)
    refresh()
    if (stopped || (running().length === 0 && !mayStart)) return
    ticking = setTimeout(draw, TICK_MS)
  }

  return {
    draw,
    status: () => ({
      room: here()?.name ?? '',
      people:
        here()
          ?.present()
          .map((one) => one.name) ?? [],
      ...offers,
      running: running(),
    }),
    async update() {
      const room = here()
      if (!room) return
      offers = await rooms.offers(room, person).catch(() => offers)
      draw()
    },
    stop() {
      stopped = true
      clearTimeout(ticking)
    },
  }
}
