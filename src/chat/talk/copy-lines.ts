import { createIds, timeOfId } from '../../base/ids.ts'
import type { Entry, EntryId, EntryKind, RoomName } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import type { Person } from '../../words/person.ts'
import type { ByteQuota } from '../limits.ts'
import type { EntryLog, LogQuery } from '../ports.ts'

/** What people and models said. Results, bills and files are not copied. */
export const COPIED_KINDS: readonly EntryKind[] = ['message', 'action', 'reply']

const MOST_LINES = 10_000
const PAGE = 200

export interface LinesToCopy {
  readonly from: RoomName
  readonly until: EntryId
}

/** Counts the lines of a copy as bytes of the person. Rejects with `Refusal` beyond the person's limit. */
export async function payForCopy(
  { from, until }: LinesToCopy,
  person: Person,
  { entries, bytes }: { readonly entries: Pick<EntryLog, 'sizes'>; readonly bytes: Pick<ByteQuota, 'take'> },
): Promise<void> {
  const sizes = await entries.sizes(from, { ...linesUntil(until), limit: MOST_LINES + 1 })
  if (sizes.length > MOST_LINES) throw new Refusal(`a fork takes at most ${MOST_LINES} lines; these are more`)
  bytes.take(
    person,
    sizes.reduce((sum, size) => sum + size.bytes, 0),
  )
}

/**
 * Copies a room's lines, as they read now, into the log of a new room; shows them to nobody. Each id keeps
 * the line's time for retention. Resolves to the number. A `StorageError` may leave some lines copied.
 */
export async function copyLines(
  { from, until }: LinesToCopy,
  to: RoomName,
  entries: Pick<EntryLog, 'read' | 'append'>,
): Promise<number> {
  let at = 0
  const nextId = createIds({ now: () => at })
  const newIds = new Map<EntryId, EntryId>()
  for (let after: EntryId | undefined; ;) {
    const query = { ...linesUntil(until), limit: PAGE, ...(after ? { after } : {}) }
    const page = await entries.read(from, query)
    for (const entry of page) {
      at = timeOfId(entry.id)
      const copy = copyOf(entry, nextId() as EntryId, to, newIds)
      if (copy) newIds.set(entry.id, (await entries.append(copy)).id)
    }
    after = page.at(-1)?.id
    if (page.length < PAGE) return newIds.size
  }
}

const linesUntil = (until: EntryId): Omit<LogQuery, 'limit'> => ({
  // All ids have the same length, so a longer text sorts right after the entry itself.
  before: `${until}0` as EntryId,
  kinds: COPIED_KINDS,
  oldestFirst: true,
  withoutThreads: true,
  revised: true,
})

/** Returns undefined for a reaction to a line that is not copied. */
function copyOf(
  entry: Entry,
  id: EntryId,
  room: RoomName,
  newIds: ReadonlyMap<EntryId, EntryId>,
): Entry | undefined {
  const { at, author, by, text } = entry
  const said = { id, at, room, author, text, ...(by ? { by } : {}), copied: true } as const
  if (entry.kind === 'message') {
    const { routine } = entry
    return { ...said, kind: 'message', ...(routine === undefined ? {} : { routine }) }
  }
  if (entry.kind === 'reply') {
    const { turn, outcome } = entry
    return { ...said, kind: 'reply', turn, ...(outcome ? { outcome } : {}) }
  }
  if (entry.kind !== 'action') return undefined
  if (entry.reacts === undefined) return { ...said, kind: 'action' }
  const reacts = newIds.get(entry.reacts)
  return reacts && { ...said, kind: 'action', reacts, ...(entry.to === undefined ? {} : { to: entry.to }) }
}
