import type { RoomName } from '../../chat/entry.ts'

/** Lets one server at a time work on the summary of a room. */
export interface SummaryPlaces {
  /**
   * Takes the place of a room. Resolves to the function that gives it back, and to undefined where another server has it. `stop` is
   * called where it is to be given back soon. Rejects with `StorageError`.
   */
  take(room: RoomName, stop: (reason: string) => void): Promise<(() => Promise<void>) | undefined>
  /** Whether another server has it. */
  isElsewhere(room: RoomName): boolean
  /** Resolves once no other server has it, of those that have it now. Rejects with `StorageError`. */
  stopElsewhere(room: RoomName): Promise<void>
}

/** Of a server that is alone: it sums up each room once at a time anyway. */
export const OWN_PLACES: SummaryPlaces = {
  take: async () => async () => {},
  isElsewhere: () => false,
  stopElsewhere: async () => {},
}
