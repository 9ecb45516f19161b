import type { Entry } from '../words/entry.ts'
import type { RoomBus } from '../chat/index.ts'

export interface ObservedBus extends RoomBus {
  /** Calls `listener` with each delivered entry, in the log's order. `listener` must not throw. */
  tap(listener: (entry: Entry) => void): void
}

/** If processes share a bus, only the process that recorded an entry passes it to listeners. */
export function observeBus(bus: RoomBus): ObservedBus {
  const listeners: ((entry: Entry) => void)[] = []
  return {
    async publish(room, event) {
      await bus.publish(room, event)
      if (event.type === 'entry') for (const listener of listeners) listener(event.entry)
    },
    subscribe: (room, listener) => bus.subscribe(room, listener),
    ready: (room) => bus.ready(room),
    tap: (listener) => void listeners.push(listener),
  }
}
