import { expect, test } from 'vitest'
import type { Entry } from '../../../../../src/chat/entry.ts'
import { createChatParts } from '../../../../support/chat-parts.ts'
import { type WholeLog, wholeLog } from '../../../../../src/commands/verbs/log-pages.ts'

/** A room with texts of these lengths, and its log. */
async function createLog(lengths: readonly number[]) {
  const { rooms, storage } = await createChatParts()
  const room = await rooms.lobby()
  const says = (text: string) => room.record({ kind: 'message', author: 'ann', text })
  for (const length of lengths) await says('x'.repeat(length))
  const { log } = storage.chat
  const whole: WholeLog = {
    read: (query) => log.read(room.name, query),
    sizes: (query) => log.sizes(room.name, query),
  }
  return { whole, says }
}

async function pagesOf(log: WholeLog): Promise<readonly (readonly Entry[])[]> {
  const pages: (readonly Entry[])[] = []
  for await (const page of wholeLog(log)) pages.push(page)
  return pages
}

test('a log is read in pages of few entries and bytes, each entry once and in order', async () => {
  const lengths = Array.from({ length: 400 }, (_, at) => (at % 50 === 0 ? 60_000 : 10))
  const { whole } = await createLog([...lengths, 100_000, 1])
  const pages = await pagesOf(whole)
  const all = pages.flat()
  expect(all.map(({ text }) => text.length)).toEqual([...lengths, 100_000, 1])
  expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted())
  for (const page of pages) {
    const bytes = page.reduce((sum, { text }) => sum + text.length, 0)
    expect(page.length === 1 || (page.length <= 128 && bytes <= 65_536)).toBe(true)
  }
})

test('what is recorded meanwhile is left out, so that the reading ends', async () => {
  const { whole, says } = await createLog(Array.from({ length: 300 }, () => 1))
  const busy: WholeLog = {
    ...whole,
    async read(query) {
      const entries = await whole.read(query)
      await says('meanwhile')
      return entries
    },
  }
  expect((await pagesOf(busy)).flat()).toHaveLength(300)
})

test('a log that is deleted meanwhile is not taken for whole, and an empty one has no page', async () => {
  const { whole } = await createLog(Array.from({ length: 300 }, () => 1))
  let reads = 0
  const deleted: WholeLog = {
    sizes: whole.sizes,
    read: async (query) => (++reads > 2 ? [] : await whole.read(query)),
  }
  await expect(pagesOf(deleted)).rejects.toThrow('the room was deleted meanwhile: this is not all of its log')
  expect(await pagesOf((await createLog([])).whole)).toEqual([])
})
