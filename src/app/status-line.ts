import type { Person } from '../chat/person.ts'
import type { Room } from '../chat/room.ts'
import type { SessionStatus } from '../session/ports.ts'
import type { RoomStatus } from './room-status.ts'

/** What a session's status line says, and when it is drawn again. */
export interface StatusLine {
  /** What it says now. Cheap: asked whenever the line is drawn. */
  status(): SessionStatus
  /** Asks anew what the room offers, and draws. Never rejects: what was known before stays. */
  update(): Promise<void>
  /** Draws, and draws again while something runs or, with `mayStart`, may be about to run. */
  draw(mayStart?: boolean): void
  /** No more drawing. */
  stop(): void
}

/** While something runs its seconds are shown, and its end: the line is drawn this often. */
const TICK_MS = 500

/** The status line of one person's session; `here` is the room that they are in, `refresh` draws it. */
export function createStatusLine(
  person: Person,
  rooms: RoomStatus,
  here: () => Room | undefined,
  refresh: () => void,
): StatusLine {
  let offers: Awaited<ReturnType<RoomStatus['offers']>> = { models: [], scope: '', tools: 0 }
  let ticking: NodeJS.Timeout | undefined
  let stopped = false

  function running(): readonly string[] {
    const room = here()
    return room ? rooms.running(room) : []
  }

  function draw(mayStart = false): void {
    clearTimeout(ticking)
    refresh()
    if (stopped || (running().length === 0 && !mayStart)) return
    ticking = setTimeout(draw, TICK_MS)
  }

  return {
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
    draw,
    stop() {
      stopped = true
      clearTimeout(ticking)
    },
  }
}
