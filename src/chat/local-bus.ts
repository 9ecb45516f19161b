import type { Log } from '../base/environment.ts'
import type { RoomName } from '../words/entry.ts'
import type { BusEvent, RoomBus } from './ports.ts'

interface Subscription {
  readonly listener: (event: BusEvent) => void
}

interface RoomListeners {
  readonly subscriptions: Set<Subscription>
  readonly events: BusEvent[]
}

const DONE = Promise.resolve()

/** The bus of a single server: every listener has heard the event when `publish` returns. */
export function createLocalBus(log: Log): RoomBus {
  const rooms = new Map<RoomName, RoomListeners>()

  function deliver(room: RoomName, { subscriptions }: RoomListeners, event: BusEvent): void {
    for (const one of [...subscriptions]) {
      // An earlier listener may have ended this subscription.
      if (!subscriptions.has(one)) continue
      try {
        one.listener(event)
      } catch (error) {
        log.error({ error, room }, 'a listener of the room bus threw')
      }
    }
  }

  function removeIfUnused(room: RoomName, { subscriptions, events }: RoomListeners): void {
    if (subscriptions.size === 0 && events.length === 0) rooms.delete(room)
  }

  return {
    publish(room, event) {
      const listeners = rooms.get(room)
      // If a listener publishes, the loop that called it delivers that event after the current one.
      if (!listeners || listeners.events.push(event) > 1) return DONE
      for (const next of listeners.events) deliver(room, listeners, next)
      listeners.events.length = 0
      removeIfUnused(room, listeners)
      return DONE
    },
    subscribe(room, listener) {
      const listeners = rooms.get(room) ?? { subscriptions: new Set(), events: [] }
      const subscription = { listener }
      rooms.set(room, listeners)
      listeners.subscriptions.add(subscription)
      return () => {
        if (listeners.subscriptions.delete(subscription)) removeIfUnused(room, listeners)
      }
    },
    ready: () => DONE,
  }
}
