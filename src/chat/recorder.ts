import type { EntryDraft, EntryId, RoomName } from './entry.ts'
import type { PresenceParts } from './presence/presence.ts'
import type { Clock, EntryLog, RoomBus } from './ports.ts'

/** What entries are recorded with. */
export interface RecorderParts {
  readonly entries: Pick<EntryLog, 'append'>
  readonly servers: { readonly bus: Pick<RoomBus, 'publish'> }
  readonly clock: Clock
  /** Ids that sort in time order. */
  readonly nextId: () => string
}

/**
 * Appends start at once, so that the store can commit many together; deliveries wait for each other,
 * so that everybody sees the order of the log.
 */
export function createRecorder(room: RoomName, parts: RecorderParts): PresenceParts['record'] {
  const { entries, servers } = parts
  let lastDelivery: Promise<unknown> = Promise.resolve()
  return async (draft, store = (entry) => entries.append(entry)) => {
    const drafted = entryOf(draft, room, parts)
    const stored = store(drafted)
    const delivered = Promise.all([stored, lastDelivery]).then(async ([{ id, after }]) => {
      const entry = id === drafted.id ? drafted : { ...drafted, id }
      await servers.bus.publish(room, { type: 'entry', entry, ...(after !== undefined && { after }) })
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
  { nextId, clock }: RecorderParts,
) => ({
  ...draft,
  id: nextId() as EntryId,
  at: clock.now(),
  room,
})
