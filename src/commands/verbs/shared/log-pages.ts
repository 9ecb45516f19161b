import type { Entry, EntryId } from '../../../chat/entry.ts'
import type { EntrySize, LogQuery } from '../../../chat/ports.ts'
import { utf8Bytes } from '../../../lib/bytes.ts'

/** Entries before one: the newest, at most so many. */
type EarlierQuery = Pick<LogQuery, 'limit' | 'before'>

/** What is paged. Both give entries oldest first. */
export interface PagedLog {
  read(query: EarlierQuery): Promise<readonly Entry[]>
  /** How large those are that `read` would give. Where it is absent they are read to find out, a few at a time. */
  sizes?(query: EarlierQuery): Promise<readonly EntrySize[]>
}

/** As many readers as there are may each hold one page, and everybody else waits while one is printed. */
const ENTRIES_PER_PAGE = 16
const BYTES_PER_PAGE = 64 * 1024

/**
 * The newest `limit` entries (older than `before`), oldest first, page by page. A log is read from its end, so it is
 * asked twice: once to find where the pages begin, and once for what is in them. What is recorded meanwhile is left out.
 */
export async function* pagesOf(
  log: PagedLog,
  limit: number,
  before?: EntryId,
): AsyncGenerator<readonly Entry[], void, void> {
  const [newest] = await log.read(upTo(1, before))
  if (!newest) return
  const { sizes = sizesByReading(log.read) } = log
  const earlier = limit > 1 ? await sizes(upTo(limit - 1, newest.id)) : []
  for (const { count, end } of findPages(earlier, newest.id)) yield await log.read(upTo(count, end))
  yield [newest]
}

/** So many entries, the newest before `end`. */
interface Page {
  readonly count: number
  readonly end: EntryId
}

/** An entry that is larger than a page is a page. */
function findPages(sizes: readonly EntrySize[], before: EntryId): readonly Page[] {
  const pages: Page[] = []
  let count = 0
  let bytes = 0
  for (const [index, entry] of sizes.entries()) {
    count += 1
    bytes += entry.bytes
    const next = sizes[index + 1]
    if (next && count < ENTRIES_PER_PAGE && bytes + next.bytes <= BYTES_PER_PAGE) continue
    pages.push({ count, end: next?.id ?? before })
    count = bytes = 0
  }
  return pages
}

const sizesByReading =
  (read: PagedLog['read']): NonNullable<PagedLog['sizes']> =>
  async ({ limit, before }) => {
    const sizes: EntrySize[] = []
    let end = before
    for (let left = limit; left > 0; left -= ENTRIES_PER_PAGE) {
      const entries = await read(upTo(Math.min(left, ENTRIES_PER_PAGE), end))
      if (entries.length === 0) break
      sizes.push(...entries.toReversed().map(({ id, text }) => ({ id, bytes: utf8Bytes(text) })))
      end = entries[0]?.id
    }
    return sizes.toReversed()
  }

const upTo = (limit: number, before: EntryId | undefined) => ({ limit, ...(before ? { before } : {}) })
