import type { Entry } from '../../chat/entry.ts'
import { foldPast } from '../../chat/presence/fold.ts'
import type { Room } from '../../chat/room.ts'
import { revise } from '../../chat/talk/own-lines.ts'

const MAX_KEPT = 80

/** The newest entries of the rooms that have sessions, read once for all who come in. */
export type RecentEntries = ReturnType<typeof createRecentEntries>

export function createRecentEntries() {
  const rooms = new Map<Room, ReturnType<typeof keep> & { holders: number }>()
  return {
    /** Keeps the newest entries of a room until they are released, which must be once. */
    open(room: Room) {
      const kept = rooms.get(room) ?? { ...keep(room), holders: 0 }
      kept.holders++
      rooms.set(room, kept)
      const forget = (): void => {
        if (rooms.get(room) === kept) rooms.delete(room)
      }
      // The next person who comes in reads again.
      kept.ready.catch(forget)
      const release = (): void => {
        if (--kept.holders > 0) return
        kept.stop()
        forget()
      }
      return { ready: kept.ready, folded: kept.folded, release }
    },
  }
}

/** Listens first and reads second, so that no entry is missed between. */
function keep(room: Room) {
  let entries: readonly Entry[] = []
  /** Until the log was read, entries are kept as they are: they may revise what is read. */
  let add = (before: readonly Entry[], entry: Entry): readonly Entry[] => [...before, entry]
  const stop = room.listen({
    deliver(entry) {
      // It may have been read before it is delivered.
      if (entry.thread === undefined && entry.id > idOfNewest(entries))
        entries = add(entries, entry).slice(-MAX_KEPT)
    },
  })
  async function read(): Promise<() => readonly Entry[]> {
    const stored = await room.history({ limit: MAX_KEPT, withoutThreads: true, revised: true })
    const newest = idOfNewest(stored)
    const since = entries.filter(({ id }) => id > newest)
    entries = since.reduce(revise, stored).slice(-MAX_KEPT)
    add = revise
    return () => entries
  }
  return {
    /** Resolves to a function that gives the newest entries at any time. Rejects with `StorageError`. */
    ready: read(),
    folded: foldOnce(),
    stop,
  }
}

/** `foldPast` with the same result for the same entries, so that it is drawn once. */
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
