import type { Entry, EntryId } from '../../../chat/entry.ts'
import type { LogQuery } from '../../../chat/ports.ts'

/** Reads what a log has before an entry: the newest, at most so many, oldest first. */
export type ReadLog = (query: Pick<LogQuery, 'limit' | 'before'>) => Promise<readonly Entry[]>

/** An entry may have 64 KiB and more, and as many readers as there are may each hold one page. */
const ENTRIES_PER_PAGE = 16

/**
 * The newest `limit` entries (older than `before`), oldest first, page by page. A log is read from its end, so all but
 * the ids is read twice: once to find where the pages begin, and once to hand them out. What is recorded meanwhile is
 * left out.
 */
export async function* pagesOf(
  read: ReadLog,
  limit: number,
  before?: EntryId,
): AsyncGenerator<readonly Entry[], void, void> {
  if (limit <= ENTRIES_PER_PAGE) return yield await read(upTo(limit, before))
  const [newest] = await read(upTo(1, before))
  if (!newest) return
  for (const { count, end } of (await findPages(read, limit - 1, newest.id)).toReversed())
    yield await read(upTo(count, end))
  yield [newest]
}

/** So many entries, the newest before `end`. */
interface Page {
  readonly count: number
  readonly end: EntryId
}

/** Newest first. */
async function findPages(read: ReadLog, limit: number, before: EntryId): Promise<readonly Page[]> {
  const pages: Page[] = []
  let end = before
  for (let left = limit; left > 0; left -= ENTRIES_PER_PAGE) {
    const entries = await read(upTo(Math.min(left, ENTRIES_PER_PAGE), end))
    const [oldest] = entries
    if (!oldest) break
    pages.push({ count: entries.length, end })
    end = oldest.id
  }
  return pages
}

const upTo = (limit: number, before: EntryId | undefined) => ({ limit, ...(before ? { before } : {}) })
