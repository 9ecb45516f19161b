import type { BusEvent, Log, RoomBus } from './ports.ts'

/** The bus of a server that is one process: every listener hears at once, in order. */
export function createLocalBus(log: Log): RoomBus {
  const listeners = new Set<(event: BusEvent) => void>()
  return {
    publish(event) {
      for (const listener of listeners) {
        try {
          listener(event)
        } catch (error) {
          log.error({ error }, 'a listener of the room bus threw')
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
