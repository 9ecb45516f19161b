import type { RoomName } from '../chat/entry.ts'

/** Those who want to know that something has changed in a room. */
export interface RoomWatchers {
  /** From now on `changed` is called after each change. Returns the function that ends it. */
  watch(room: RoomName, changed: () => void): () => void
  tell(room: RoomName): void
}

export function createRoomWatchers(): RoomWatchers {
  const watchers = new Map<RoomName, Set<() => void>>()
  return {
    watch(room, changed) {
      const theirs = watchers.get(room) ?? new Set()
      watchers.set(room, theirs.add(changed))
      return () => {
        theirs.delete(changed)
        if (theirs.size === 0 && watchers.get(room) === theirs) watchers.delete(room)
      }
    },
    tell(room) {
      for (const changed of watchers.get(room) ?? []) changed()
    },
  }
}
