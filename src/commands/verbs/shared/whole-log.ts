import type { Entry, EntryId } from '../../../chat/entry.ts'
import { Refusal } from '../../../chat/errors.ts'
import type { EntrySize, LogQuery } from '../../../chat/ports.ts'

/** What is read of a log to have all of it. */
export interface WholeLog {
  read(query: LogQuery): Promise<readonly Entry[]>
  sizes(query: LogQuery): Promise<readonly EntrySize[]>
}

/** What is in memory at once; one entry that is larger is a page of its own. */
export const ENTRIES_PER_PAGE = 128
export const BYTES_PER_PAGE = 64 * 1024

/**
 * All entries, oldest first, page by page, up to the one that is the newest now: what is recorded meanwhile is left out,
 * so that it ends. Throws `Refusal` where the log is taken away meanwhile.
 */
export async function* wholeLog(log: WholeLog): AsyncGenerator<readonly Entry[], void, void> {
  const [newest] = await log.read({ limit: 1 })
  if (!newest) return
  for (let after: EntryId | undefined; after !== newest.id;) {
    const rest = { oldestFirst: true, ...(after === undefined ? {} : { after }) } as const
    const limit = fitting(await log.sizes({ ...rest, limit: ENTRIES_PER_PAGE }))
    const entries = await log.read({ ...rest, limit })
    const page = entries.filter(({ id }) => id <= newest.id)
    const last = page.at(-1)
    if (!last) throw new Refusal('the room was deleted meanwhile: this is not all of its log')
    yield page
    after = last.id
  }
}

/** How many of the first entries make a page: at least one. */
function fitting(sizes: readonly EntrySize[]): number {
  let bytes = 0
  const tooMany = sizes.findIndex((entry, index) => {
    bytes += entry.bytes
    return bytes > BYTES_PER_PAGE && index > 0
  })
  return Math.max(1, tooMany === -1 ? sizes.length : tooMany)
}
