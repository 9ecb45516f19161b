import type { EntryDraft, EntryId, RoomName } from './entry.ts'
import type { PresenceParts } from './presence/presence.ts'
import type { RoomParts } from './room.ts'

/**
 * Appends start at once, so that the store can commit many together; deliveries wait for each other,
 * so that everybody sees the order of the log.
 */
export function createRecorder(room: RoomName, parts: RoomParts): PresenceParts['record'] {
  const { entries } = parts
  const { bus } = parts.servers
  let lastDelivery: Promise<unknown> = Promise.resolve()
  return async (draft, store = (entry) => entries.append(entry)) => {
    const drafted = entryOf(draft, room, parts)
    const stored = store(drafted)
    const delivered = Promise.all([stored, lastDelivery]).then(async ([{ id, after }]) => {
      const entry = id === drafted.id ? drafted : { ...drafted, id }
      await bus.publish(room, { type: 'entry', entry, ...(after !== undefined && { after }) })
      return entry
    })
    lastDelivery = delivered.catch(() => {})
    return await delivered
  }
}

/** The draft as an entry of a room, with an id and the time. */
export const entryOf = <Draft extends EntryDraft>(
  draft: Draft,
  room: RoomName,
  { nextId, clock }: RoomParts,
) => ({
  ...draft,
  id: nextId() as EntryId,
  at: clock.now(),
  room,
})
