import type { RoomName } from './entry.ts'
import type { BusEvent, Log, RoomBus } from './ports.ts'

interface Subscription {
  readonly listener: (event: BusEvent) => void
}

interface Channel {
  readonly subscriptions: Set<Subscription>
  /** The event that is being delivered and those that listeners published meanwhile; empty between deliveries. */
  readonly events: BusEvent[]
}

/** The bus of a server that is one process: `publish` returns once every listener has heard the event. */
export function createLocalBus(log: Log): RoomBus {
  const channels = new Map<RoomName, Channel>()

  function deliver(room: RoomName, { subscriptions }: Channel, event: BusEvent): void {
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

  function removeIfUnused(room: RoomName, { subscriptions, events }: Channel): void {
    if (subscriptions.size === 0 && events.length === 0) channels.delete(room)
  }

  return {
    publish(room, event) {
      const channel = channels.get(room)
      // What a listener publishes is delivered by the loop that called the listener, after the event it heard.
      if (!channel || channel.events.push(event) > 1) return
      for (const next of channel.events) deliver(room, channel, next)
      channel.events.length = 0
      removeIfUnused(room, channel)
    },
    subscribe(room, listener) {
      const channel = channels.get(room) ?? { subscriptions: new Set(), events: [] }
      const subscription = { listener }
      channels.set(room, channel)
      channel.subscriptions.add(subscription)
      return () => {
        if (channel.subscriptions.delete(subscription)) removeIfUnused(room, channel)
      }
    },
  }
}
