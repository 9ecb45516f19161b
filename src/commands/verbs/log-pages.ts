// Prints long output page by page: entries of a log, and parts of an HTML page.
import type { Entry, EntryId, RoomName } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import type { EntryLog, EntrySize, LogQuery } from '../../chat/index.ts'
import { utf8Bytes } from '../../base/amounts.ts'
import type { Html } from '../../base/markup.ts'
import { flag, type Caller } from '../command.ts'

type EarlierQuery = Pick<LogQuery, 'limit' | 'before'>

/** Methods return entries oldest first. Without `sizes`, entries are read in small groups to measure them. */
export interface PagedLog {
  read(query: EarlierQuery): Promise<readonly Entry[]>
  sizes?(query: EarlierQuery): Promise<readonly EntrySize[]>
}

/** Small, because each reader has a page in memory, and all other work waits while a page is printed. */
const ENTRIES_PER_PAGE = 16
/** A larger entry is a page of its own. */
export const BYTES_PER_PAGE = 64 * 1024

/**
 * Yields the newest `limit` entries (older than `before`), oldest first, page by page. Reads the log twice:
 * first sizes, to form pages, then the entries. Leaves out entries that are recorded meanwhile.
 */
export async function* logPages(
  log: PagedLog,
  limit: number,
  before?: EntryId,
): AsyncGenerator<readonly Entry[], void, void> {
  const [newest] = await log.read(upTo(1, before))
  if (!newest) return
  const { sizes = sizesByReading(log.read) } = log
  const earlier = limit > 1 ? await sizes(upTo(limit - 1, newest.id)) : []
  for (let at = 0; at < earlier.length;) {
    const count = entriesThatFit(earlier.slice(at, at + ENTRIES_PER_PAGE))
    at += count
    yield await log.read(upTo(count, earlier[at]?.id ?? newest.id))
  }
  yield [newest]
}

const upTo = (limit: number, before: EntryId | undefined) => ({ limit, ...(before ? { before } : {}) })

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

/** Returns how many of the first entries fit a page; at least one. */
function entriesThatFit(sizes: readonly EntrySize[]): number {
  let bytes = 0
  const end = sizes.findIndex((entry, index) => (bytes += entry.bytes) > BYTES_PER_PAGE && index > 0)
  return end === -1 ? Math.max(1, sizes.length) : end
}

/** Most entries in one page of a whole log. */
export const MAX_WHOLE_PAGE = 128

/**
 * Yields all entries, oldest first, page by page, up to the entry that is the newest at the start, so that it
 * ends. Throws `Refusal` if the log is deleted meanwhile.
 */
export async function* wholeLog(
  log: Pick<EntryLog, 'read' | 'sizes'>,
  room: RoomName,
): AsyncGenerator<readonly Entry[], void, void> {
  const [newest] = await log.read(room, { limit: 1 })
  if (!newest) return
  for (let after: EntryId | undefined; after !== newest.id;) {
    const rest = { oldestFirst: true, ...(after === undefined ? {} : { after }) } as const
    const limit = entriesThatFit(await log.sizes(room, { ...rest, limit: MAX_WHOLE_PAGE }))
    const entries = await log.read(room, { ...rest, limit })
    const page = entries.filter(({ id }) => id <= newest.id)
    const last = page.at(-1)
    if (!last) throw new Refusal('the room was deleted meanwhile: this is not all of its log')
    yield page
    after = last.id
  }
}

export const HTML_FLAG = flag('html', 'an HTML page for a browser, complete in one file')

/** Throws `Refusal` in a session, which can write no file, with the shell line that writes the page. */
export function refuseInSession({ session }: Pick<Caller, 'session'>, verb: string, words: string): void {
  if (!session) return
  const line = [verb, session.room.name, words, '--html'].filter((word) => word !== '').join(' ')
  throw new Refusal(`a page is for a browser; from a shell: ssh HOST ${line} > ${verb}.html`)
}

/** UTF-16 units after which the collected parts of a page are sent. */
const SENT_UNITS = 4 * 1024
/** Number of collected parts after which even short parts are sent. */
const SENT_PARTS = 64

/** Writes a page part by part, and lets other callers run in between. */
export class PageWriter {
  readonly #caller: Pick<Caller, 'out' | 'signal'>
  #parts: string[] = []
  #units = 0

  constructor(caller: Pick<Caller, 'out' | 'signal'>) {
    this.#caller = caller
  }

  async add(parts: Iterable<Html>): Promise<void> {
    for (const part of parts) {
      if (this.#caller.signal.aborted) return
      const text = String(part)
      this.#parts.push(text)
      this.#units += text.length
      if (this.#units >= SENT_UNITS || this.#parts.length >= SENT_PARTS) await this.flush()
    }
  }

  async flush(): Promise<void> {
    if (this.#parts.length === 0) return
    this.#caller.out.write(this.#parts.join(''))
    this.#parts = []
    this.#units = 0
    await this.#caller.out.ready()
  }
}
