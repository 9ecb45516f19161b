import { expect, test } from 'vitest'
import { createRecentEvents, isForAll } from '../../../../../src/adapters/mcp/http/recent-events.ts'

const said = (text: string) =>
  ({ jsonrpc: '2.0', method: 'notifications/message', params: { text } }) as const

const sight = (sees: (room: string) => Promise<boolean>) => ({ sees, timesPutOut: () => 0 })
const seesAll = sight(async () => true)

/** What a client gets that comes back with this id: the texts, and the stream. */
async function missed(events: ReturnType<typeof createRecentEvents>, id: string) {
  const texts: unknown[] = []
  const stream = await events.replayEventsAfter(id, {
    send: async (_id, message) => void texts.push('params' in message && message.params?.['text']),
  })
  return { texts, stream }
}

test('a client gets what followed on its stream, and of no other', async () => {
  const events = createRecentEvents(10_000, seesAll)
  const first = await events.storeEvent('one', said('1'))
  await events.storeEvent('two', said('2'))
  const third = await events.storeEvent('one', said('3'))
  expect(await missed(events, first)).toEqual({ texts: ['3'], stream: 'one' })
  expect(await missed(events, third)).toEqual({ texts: [], stream: 'one' })
})

test('only the newest are kept, by number and by size, and an id of one that is gone still counts', async () => {
  const events = createRecentEvents(100_000, seesAll)
  const first = await events.storeEvent('one', said('0'))
  for (let number = 1; number <= 300; number++) await events.storeEvent('one', said(String(number)))
  const { texts } = await missed(events, first)
  expect([texts.length, texts[0], texts.at(-1)]).toEqual([256, '45', '300'])
  const huge = await events.storeEvent('one', said('x'.repeat(100_000)))
  expect((await missed(events, first)).texts).toEqual([])
  await events.storeEvent('one', said('after'))
  expect((await missed(events, huge)).texts).toEqual(['after'])
})

const inRoom = (room: string, text: string) =>
  ({ ...said(text), params: { logger: `room://${room}/log`, text } }) as const

test('what happened in a room that the person does not see any more is not told, also what comes while that is asked', async () => {
  const hidden = new Set(['den', 'attic'])
  const asked: string[] = []
  const events = createRecentEvents(
    10_000,
    sight(async (room) => {
      asked.push(room)
      if (asked.length === 1) {
        await events.storeEvent('one', inRoom('attic', 'late, and hidden'))
        await events.storeEvent('one', inRoom('lobby', 'late'))
      }
      return !hidden.has(room)
    }),
  )
  await events.storeEvent('one', inRoom('lobby', '1'))
  await events.storeEvent('one', inRoom('den', '2'))
  await events.storeEvent('one', {
    ...said(''),
    method: 'notifications/resources/updated',
    params: { uri: 'room://den' },
  })
  await events.storeEvent('one', said('3'))
  expect((await missed(events, '0.one')).texts).toEqual(['1', '3', 'late'])
  expect(asked).toEqual(['lobby', 'den', 'attic'])
  hidden.clear()
  expect((await missed(events, '0.one')).texts).toEqual([
    '1',
    '2',
    undefined,
    '3',
    'late, and hidden',
    'late',
  ])
})

test('no answer is told again that was asked for before the person was put out of a room, nor how far it was', async () => {
  let putOuts = 0
  const events = createRecentEvents(10_000, { sees: seesAll.sees, timesPutOut: () => putOuts })
  const again = async (stream: string): Promise<unknown[]> => {
    const sent: unknown[] = []
    await events.replayEventsAfter(`0.${stream}`, { send: async (_id, message) => void sent.push(message) })
    return sent
  }
  const ask = (id: number) => events.asked({ jsonrpc: '2.0', id, method: 'tools/call', params: {} })
  const answer = (id: number) => ({ jsonrpc: '2.0', id, result: { text: 'between us' } }) as const
  for (const id of [1, 2]) ask(id)
  await events.storeEvent('one', said('half way'))
  await events.storeEvent('one', answer(1))
  await events.storeEvent('_GET_stream', inRoom('lobby', 'for all'))
  expect(await again('one')).toEqual([said('half way'), answer(1)])
  putOuts += 1
  const error = { code: -32_000, message: expect.stringContaining('taken out of a room meanwhile') as string }
  expect(await again('one')).toEqual([{ jsonrpc: '2.0', id: 1, error }])
  expect(await again('_GET_stream')).toEqual([inRoom('lobby', 'for all')])
  // One that was under way then is no exception; what is asked for later may be told.
  await events.storeEvent('two', answer(2))
  expect(await again('two')).toEqual([{ jsonrpc: '2.0', id: 2, error }])
  for (let id = 3; id < 1_000; id++) ask(id)
  await events.storeEvent('three', answer(999))
  expect(await again('three')).toEqual([answer(999)])
})

test.each(['', '.', '1.', '.one', 'one', '-1.one', '9'.repeat(40) + '.one', '1\n.one', '__proto__'])(
  'what is no id of ours, %j, belongs to a stream that there is not',
  async (id) => {
    const events = createRecentEvents(1_000, seesAll)
    await events.storeEvent('one', said('1'))
    expect(await missed(events, id)).toEqual({ texts: [], stream: '' })
  },
)

test('a client listens to all that happens with no id, or with one of that stream', () => {
  expect([null, '7._GET_stream', '7.other', 'nonsense'].map(isForAll)).toEqual([true, true, false, false])
})
