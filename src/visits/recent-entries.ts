import type { Entry } from '../words/entry.ts'
import { foldPast } from '../chat/presence/index.ts'
import type { Room } from '../chat/index.ts'
import { revise } from '../chat/talk/index.ts'

const MAX_KEPT = 80

/** The newest entries of rooms with sessions, read once for all people who come in. */
export type RecentEntries = ReturnType<typeof createRecentEntries>

export function createRecentEntries() {
  const rooms = new Map<Room, ReturnType<typeof keep> & { holders: number }>()
  return {
    /** Caches the newest entries of a room until `release`, which must be called once. */
    open(room: Room) {
      const kept = rooms.get(room) ?? { ...keep(room), holders: 0 }
      kept.holders++
      rooms.set(room, kept)
      const forget = (): void => {
        if (rooms.get(room) === kept) rooms.delete(room)
      }
      // After a failure the next person who comes in reads again.
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

/** Listens before it reads, so that no entry is missed. */
function keep(room: Room) {
  let entries: readonly Entry[] = []
  /** Stores all entries until the log was read, because they may revise an entry of it. */
  let add = (before: readonly Entry[], entry: Entry): readonly Entry[] => [...before, entry]
  const stop = room.listen({
    deliver(entry) {
      // An entry may have been read from the log before it is delivered.
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
    /** Resolves to a getter of the newest entries. Rejects with `StorageError`. */
    ready: read(),
    folded: foldOnce(),
    stop,
  }
}

/** Caches the result of `foldPast`, so that the same entries are drawn once. */
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
