/** Something that holds what a slow client has yet to take. */
export interface HeldQueue {
  /** Bytes that wait. */
  size(): number
  /** Drops all of it, and the client with it. */
  shed(): void
}

/** Counts what waits for all clients together. */
export interface Queues {
  /** To be called each time a queue grew or shrank by so many bytes. */
  changed(queue: HeldQueue, bytes: number): void
  /** Bytes that wait in all of them. */
  total(): number
}

/**
 * `maxBytes` is asked each time. While more wait in all queues together, the client with the longest queue is
 * dropped: it is the one that takes the least of what it asked for.
 */
export function createQueues(maxBytes: () => number): Queues {
  const held = new Set<HeldQueue>()
  let total = 0
  const longest = (): HeldQueue | undefined => {
    let found: HeldQueue | undefined
    for (const queue of held) if (!found || queue.size() > found.size()) found = queue
    return found
  }
  return {
    total: () => total,
    changed(queue, bytes) {
      total += bytes
      if (queue.size() > 0) held.add(queue)
      else held.delete(queue)
      // What is shed is reported here too, so this goes on until there is room.
      if (total > maxBytes()) longest()?.shed()
    },
  }
}
