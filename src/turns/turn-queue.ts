import { Refusal } from '../chat/errors.ts'
import { createDeferred, type Deferred } from '../lib/deferred.ts'

/** One turn's place in the line of its room. */
export interface Place {
  /** Resolves when the turn may run, or when it gave up waiting. */
  readonly ready: Promise<void>
  /** Does not wait any longer; nothing if it runs. */
  giveUp(): void
  /** Makes room for the next; again does nothing. */
  leave(): void
}

/** How many turns run at once in a room, and how many wait. */
export interface PlaceLimits {
  readonly turns_per_room: number
  readonly turns_queued: number
}

interface Waiting extends Deferred<void> {
  readonly owner: string
}

interface Line {
  readonly running: Set<Waiting>
  readonly waiting: Set<Waiting>
}

/**
 * The lines before each room's places: first come, first served, but who has no turn running goes before
 * who has one. Gives the function that takes a place, which throws `Refusal` when the line is full.
 */
export function createPlaces(limits: PlaceLimits): (room: string, owner: string) => Place {
  const lines = new Map<string, Line>()

  return (room, owner) => {
    const line = lines.get(room) ?? { running: new Set(), waiting: new Set() }
    const one = { ...createDeferred<void>(), owner }
    if (line.running.size < limits.turns_per_room) admit(line, one)
    else if (line.waiting.size < limits.turns_queued) line.waiting.add(one)
    else throw new Refusal(fullLine(line))
    lines.set(room, line)
    return {
      ready: one.promise,
      giveUp() {
        if (line.waiting.delete(one)) one.resolve()
      },
      leave() {
        if (!line.waiting.delete(one) && !line.running.delete(one)) return
        const next = line.running.size < limits.turns_per_room ? nextOf(line) : undefined
        if (next) admit(line, next)
        if (line.running.size === 0) lines.delete(room)
      },
    }
  }
}

function admit(line: Line, one: Waiting): void {
  line.waiting.delete(one)
  line.running.add(one)
  one.resolve()
}

function nextOf({ running, waiting }: Line): Waiting | undefined {
  const busy = new Set([...running].map((one) => one.owner))
  return [...waiting].find((one) => !busy.has(one.owner)) ?? [...waiting][0]
}

const fullLine = ({ running, waiting }: Line): string =>
  `${running.size} models are at work here and ${waiting.size} wait; ask again when one is done, or use stop`
