import type { NewEntry, EntryId, Recorded, RoomName } from './entry.ts'
import type { Clock, EntryLog, RoomBus } from './ports.ts'

/** What entries are recorded with. */
export interface RecorderParts {
  readonly entries: Pick<EntryLog, 'append'>
  readonly bus: Pick<RoomBus, 'publish'>
  readonly clock: Clock
  /** Ids that sort in time order. */
  readonly nextId: () => string
}

/**
 * Appends start at once, so that the store can commit many together; deliveries wait for each other,
 * so that everybody sees the order of the log.
 */
export function createRecorder(
  room: RoomName,
  parts: RecorderParts,
): <New extends NewEntry>(newEntry: New) => Promise<Recorded<New>> {
  const { entries, bus } = parts
  let lastDelivery: Promise<unknown> = Promise.resolve()
  return async (newEntry) => {
    const written = entryOf(newEntry, room, parts)
    const stored = entries.append(written)
    const delivered = Promise.all([stored, lastDelivery]).then(async ([{ id, after }]) => {
      const entry = id === written.id ? written : { ...written, id }
      await bus.publish(room, { type: 'entry', entry, ...(after !== undefined && { after }) })
      return entry
    })
    lastDelivery = delivered.catch(() => {})
    return await delivered
  }
}

/** A new entry as one of a room, with an id and the time. */
export const entryOf = <New extends NewEntry>(
  newEntry: New,
  room: RoomName,
  { nextId, clock }: RecorderParts,
) => ({
  ...newEntry,
  id: nextId() as EntryId,
  at: clock.now(),
  room,
})
