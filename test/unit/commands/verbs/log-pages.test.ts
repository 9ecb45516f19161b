import { expect, test } from 'vitest'
import type { Entry, EntryId } from '../../../../src/chat/entry.ts'
import { logPages, wholeLog } from '../../../../src/commands/verbs/log-pages.ts'
import { createChatParts } from '../../../support/chat-parts.ts'

/** A log of entries with the ids 0001, 0002 and so on. */
function logOf(size: number) {
  const entries: Entry[] = []
  const add = (): void => {
    const id = String(entries.length + 1).padStart(4, '0') as EntryId
    entries.push({ kind: 'notice', author: 'system', room: 'lobby', at: 0, text: '', id } as unknown as Entry)
  }
  for (let number = 0; number < size; number++) add()
  let largest = 0
  const read = async ({ limit, before }: { limit: number; before?: EntryId }) => {
    largest = Math.max(largest, limit)
    return entries.filter(({ id }) => !before || id < before).slice(-limit)
  }
  return { read, add, largest: () => largest }
}

async function idsOf(pages: AsyncIterable<readonly Entry[]>): Promise<number[]> {
  const ids: number[] = []
  for await (const page of pages) ids.push(...page.map(({ id }) => Number(id)))
  return ids
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

test.each([
  ['a short list', 100, 20, range(81, 100)],
  ['a list of several pages', 100, 70, range(31, 100)],
  ['more than there is', 100, 1_000, range(1, 100)],
  ['an empty log', 0, 1_000, []],
])('%s is read oldest first, and never much of it at once', async (_title, size, limit, expected) => {
  const log = logOf(size)
  expect(await idsOf(logPages(log, limit))).toEqual(expected)
  expect(log.largest()).toBeLessThanOrEqual(32)
})

test('a page holds 64 KiB, or one entry that is larger', async () => {
  const { read } = logOf(40)
  const bytes = (id: EntryId): number => (Number(id) === 30 ? 1_000_000 : 20_000)
  const asked: number[] = []
  const pages = logPages(
    {
      async read(query) {
        asked.push(query.limit)
        return await read(query)
      },
      sizes: async (query) => (await read(query)).map(({ id }) => ({ id, bytes: bytes(id) })),
    },
    20,
  )
  expect(await idsOf(pages)).toEqual(range(21, 40))
  expect(asked).toEqual([1, 3, 3, 3, 1, 3, 3, 3])
})

test('only what is older than an entry is read', async () => {
  expect(await idsOf(logPages(logOf(100), 50, '0061' as EntryId))).toEqual(range(11, 60))
})

test('what is recorded meanwhile is left out, and nothing is doubled or missed', async () => {
  const log = logOf(100)
  const read = async (query: Parameters<typeof log.read>[0]) => {
    log.add()
    return await log.read(query)
  }
  const ids = await idsOf(logPages({ read }, 80))
  expect(ids).toEqual(range(22, 101))
})

/** A room with texts of these lengths, and its log. */
async function createLog(lengths: readonly number[]) {
  const { rooms, storage } = await createChatParts()
  const room = await rooms.lobby()
  const says = (text: string) => room.record({ kind: 'message', author: 'ann', text })
  for (const length of lengths) await says('x'.repeat(length))
  return { whole: storage.chat.entries, room: room.name, says }
}

async function pagesOf(...log: Parameters<typeof wholeLog>): Promise<readonly (readonly Entry[])[]> {
  const pages: (readonly Entry[])[] = []
  for await (const page of wholeLog(...log)) pages.push(page)
  return pages
}

test('a log is read in pages of few entries and bytes, each entry once and in order', async () => {
  const lengths = Array.from({ length: 400 }, (_, at) => (at % 50 === 0 ? 60_000 : 10))
  const { whole, room } = await createLog([...lengths, 100_000, 1])
  const pages = await pagesOf(whole, room)
  const all = pages.flat()
  expect(all.map(({ text }) => text.length)).toEqual([...lengths, 100_000, 1])
  expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted())
  for (const page of pages) {
    const bytes = page.reduce((sum, { text }) => sum + text.length, 0)
    expect(page.length === 1 || (page.length <= 128 && bytes <= 65_536)).toBe(true)
  }
})

test('what is recorded meanwhile is left out, so that the reading ends', async () => {
  const { whole, room, says } = await createLog(Array.from({ length: 300 }, () => 1))
  const busy: Parameters<typeof wholeLog>[0] = {
    sizes: (...query) => whole.sizes(...query),
    async read(...query) {
      const entries = await whole.read(...query)
      await says('meanwhile')
      return entries
    },
  }
  expect((await pagesOf(busy, room)).flat()).toHaveLength(300)
})

test('a log that is deleted meanwhile is not taken for whole, and an empty one has no page', async () => {
  const { whole, room } = await createLog(Array.from({ length: 300 }, () => 1))
  let reads = 0
  const deleted: Parameters<typeof wholeLog>[0] = {
    sizes: (...query) => whole.sizes(...query),
    read: async (...query) => (++reads > 2 ? [] : await whole.read(...query)),
  }
  const told = 'the room was deleted meanwhile: this is not all of its log'
  await expect(pagesOf(deleted, room)).rejects.toThrow(told)
  expect(await pagesOf((await createLog([])).whole, room)).toEqual([])
})
