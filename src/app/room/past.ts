import type { Entry } from '../../chat/entry.ts'
import { foldPast } from '../../chat/presence/fold.ts'
import type { Room } from '../../chat/room.ts'
import { revise } from '../../chat/talk/own-lines.ts'

/** How many entries of the past are kept for somebody who comes into a room, comings and goings included. */
const MAX_KEPT = 80

/** The newest entries of the rooms that somebody is in, read once for all who come in. */
export interface RoomPasts {
  /** Keeps the past of a room until it is released. */
  open(room: Room): RoomPast
}

/** The past of one room, for one who comes in. */
export interface RoomPast {
  /** Resolves to what can be asked for the newest entries at any time. Rejects with `StorageError`. */
  readonly ready: Promise<() => readonly Entry[]>
  /** As `foldPast`; the same entries for all who are shown the same, so that they are drawn once. */
  readonly folded: typeof foldPast
  /** To be called once. */
  release(): void
}

/** What all who are in a room hold together. */
interface Kept {
  readonly ready: RoomPast['ready']
  readonly folded: RoomPast['folded']
  readonly stop: () => void
  holders: number
}

export function createRoomPasts(): RoomPasts {
  const rooms = new Map<Room, Kept>()
  return {
    open(room) {
      const kept = rooms.get(room) ?? keep(room)
      kept.holders++
      rooms.set(room, kept)
      const release = (): void => {
        if (--kept.holders === 0) kept.stop()
        if (kept.holders === 0 && rooms.get(room) === kept) rooms.delete(room)
      }
      // Whoever comes next reads again.
      kept.ready.catch(() => void (rooms.get(room) === kept && rooms.delete(room)))
      return { ready: kept.ready, folded: kept.folded, release }
    },
  }
}

/** Listens first and reads second, so that no entry is missed between. */
function keep(room: Room): Kept {
  let entries: readonly Entry[] = []
  /** Until the log was read, what comes is kept as it is: it may revise what is read. */
  let add = (before: readonly Entry[], entry: Entry): readonly Entry[] => [...before, entry]
  const stop = room.listen({
    deliver(entry) {
      // One that was read before it is delivered is there already.
      if (entry.thread === undefined && entry.id > idOfNewest(entries))
        entries = add(entries, entry).slice(-MAX_KEPT)
    },
  })
  const read = async (): Promise<() => readonly Entry[]> => {
    const stored = await room.history({ limit: MAX_KEPT, withoutThreads: true, revised: true })
    const newest = idOfNewest(stored)
    entries = entries
      .filter(({ id }) => id > newest)
      .reduce(revise, stored)
      .slice(-MAX_KEPT)
    add = revise
    return () => entries
  }
  return { ready: read(), folded: foldOnce(), stop, holders: 0 }
}

/** Folds anew only where it is asked for something else than before. */
function foldOnce(): typeof foldPast {
  let [past, columns, folded]: [readonly Entry[], number, readonly Entry[]] = [[], 0, []]
  return (nextPast, nextColumns) => {
    const isSame =
      columns === nextColumns &&
      past.length === nextPast.length &&
      past.every((entry, index) => entry === nextPast[index])
    if (!isSame) [past, columns, folded] = [nextPast, nextColumns, foldPast(nextPast, nextColumns)]
    return folded
  }
}

const idOfNewest = (entries: readonly Entry[]): string => entries.at(-1)?.id ?? ''
