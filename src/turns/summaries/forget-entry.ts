import type { EntryId, RoomName } from '../../chat/entry.ts'
import type { Clock } from '../../chat/ports.ts'
import type { StoredSummary, SummaryStore } from '../../prompt/ports.ts'

/**
 * Takes the newest version of a room's summary that knows nothing of this entry for the current one, and clears the summary
 * where there is none such; what is made anew and knows of it begins again. True if anything was changed. Rejects with
 * `StorageError`.
 */
export async function forgetEntry(
  store: Pick<SummaryStore, 'current' | 'versions' | 'put' | 'draft' | 'putDraft'>,
  clock: Clock,
  room: RoomName,
  entry: EntryId,
): Promise<boolean> {
  const [draft, current] = await Promise.all([store.draft(room), store.current(room)])
  const isInDraft = covers(draft, entry)
  if (isInDraft) await store.putDraft(room, { text: '' })
  if (!current || current.text === '' || !covers(current, entry)) return isInDraft
  const { text, first, last, author } = cleanVersion(await store.versions(room), entry) ?? {
    ...current,
    text: '',
  }
  await store.put({ room, text, first, last, author, at: clock.now() })
  return true
}

/**
 * The newest version from before the entry. What was made from a version that knew the entry is newer than that version, and
 * covers the entry too, or was made after the summary was cleared.
 */
const cleanVersion = (versions: readonly StoredSummary[], entry: EntryId): StoredSummary | undefined =>
  versions.find(({ text, last }) => text === '' || last < entry)

const covers = (
  summary: Partial<Pick<StoredSummary, 'first' | 'last'>> | undefined,
  entry: EntryId,
): boolean =>
  summary?.first !== undefined &&
  summary.last !== undefined &&
  summary.first <= entry &&
  entry <= summary.last
