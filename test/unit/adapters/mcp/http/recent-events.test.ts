import { expect, test } from 'vitest'
import { createRecentEvents, isForAll } from '../../../../../src/adapters/mcp/http/recent-events.ts'

const said = (text: string) =>
  ({ jsonrpc: '2.0', method: 'notifications/message', params: { text } }) as const

/** What a client gets that comes back with this id: the texts, and the stream. */
async function missed(events: ReturnType<typeof createRecentEvents>, id: string) {
  const texts: unknown[] = []
  const stream = await events.replayEventsAfter(id, {
    send: async (_id, message) => void texts.push('params' in message && message.params?.['text']),
  })
  return { texts, stream }
}

test('a client gets what followed on its stream, and of no other', async () => {
  const events = createRecentEvents(10_000)
  const first = await events.storeEvent('one', said('1'))
  await events.storeEvent('two', said('2'))
  const third = await events.storeEvent('one', said('3'))
  expect(await missed(events, first)).toEqual({ texts: ['3'], stream: 'one' })
  expect(await missed(events, third)).toEqual({ texts: [], stream: 'one' })
})

test('only the newest are kept, by number and by size, and an id of one that is gone still counts', async () => {
  const events = createRecentEvents(100_000)
  const first = await events.storeEvent('one', said('0'))
  for (let number = 1; number <= 300; number++) await events.storeEvent('one', said(String(number)))
  const { texts } = await missed(events, first)
  expect([texts.length, texts[0], texts.at(-1)]).toEqual([256, '45', '300'])
  const huge = await events.storeEvent('one', said('x'.repeat(100_000)))
  expect((await missed(events, first)).texts).toEqual([])
  await events.storeEvent('one', said('after'))
  expect((await missed(events, huge)).texts).toEqual(['after'])
})

test.each(['', '.', '1.', '.one', 'one', '-1.one', '9'.repeat(40) + '.one', '1\n.one', '__proto__'])(
  'what is no id of ours, %j, belongs to a stream that there is not',
  async (id) => {
    const events = createRecentEvents(1_000)
    await events.storeEvent('one', said('1'))
    expect(await missed(events, id)).toEqual({ texts: [], stream: '' })
  },
)

test('a client listens to all that happens with no id, or with one of that stream', () => {
  expect([null, '7._GET_stream', '7.other', 'nonsense'].map(isForAll)).toEqual([true, true, false, false])
})
