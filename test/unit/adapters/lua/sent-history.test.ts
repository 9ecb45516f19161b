import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createHistoryReceiver,
  createHistorySender,
  type SentHistory,
} from '../../../../src/adapters/lua/sent-history.ts'
import type { HistoryRow } from '../../../../src/prompt/snapshot.ts'
import { messages, row } from '../../../support/snapshot.ts'
import { runs } from '../../../support/runs.ts'

const read = (json: string): SentHistory => JSON.parse(json) as SentHistory

test('of a conversation that goes on, only what is new is sent, and the rest are the same objects', () => {
  const [send, receive, rows] = [createHistorySender(), createHistoryReceiver(), messages(30)]
  const first = receive(read(send('lobby', rows.slice(0, 20))))
  const sent = read(send('lobby', structuredClone(rows.slice(2, 22))))
  expect(sent).toMatchObject({ drop: 2, keep: 18, add: rows.slice(20, 22) })
  const second = receive(sent)
  expect(second).toEqual(rows.slice(2, 22))
  expect(second[0]).toBe(first[2])
})

test('whatever becomes of the rows of several rooms, each arrives as it is', () => {
  const someRows = fc.array(fc.record({ id: fc.nat(12), text: fc.constantFrom('a', 'b', 'é\n🙂') }), {
    maxLength: 15,
  })
  const turns = fc.array(fc.record({ room: fc.constantFrom('a', 'b', '__proto__'), rows: someRows }))
  fc.assert(
    fc.property(turns, (all) => {
      const [send, receive] = [createHistorySender(), createHistoryReceiver()]
      for (const turn of all) {
        const rows = turn.rows.map(({ id, text }) => row(id, { text }))
        expect(receive(read(send(turn.room, rows)))).toEqual(rows)
      }
    }),
    { numRuns: runs(300) },
  )
})

test('a row with another text is sent again, and so is all behind it', () => {
  const [send, receive, rows] = [createHistorySender(), createHistoryReceiver(), messages(5)]
  receive(read(send('lobby', rows)))
  const changed = rows.with(3, row(3, { text: 'taken back' }))
  const sent = read(send('lobby', changed))
  expect(sent).toMatchObject({ keep: 3, add: changed.slice(3) })
  expect(receive(sent)).toEqual(changed)
})

const LONG = 'x'.repeat(3_000_000)
const long = (number: number): readonly HistoryRow[] => [row(number, { text: LONG })]

test('the rooms whose turn is longest ago are forgotten on both sides when there is too much', () => {
  const [send, receive] = [createHistorySender(), createHistoryReceiver()]
  for (const [number, room] of ['a', 'b'].entries()) receive(read(send(room, long(number))))
  const third = read(send('c', long(3)))
  expect(third.forget).toEqual(['a'])
  receive(third)
  expect(read(send('b', long(1)))).toMatchObject({ keep: 1, forget: [] })
  expect(read(send('a', long(0)))).toMatchObject({ keep: 0, forget: ['c'] })
})

test('a history that is too long to be kept is sent whole each time', () => {
  const [send, receive] = [createHistorySender(), createHistoryReceiver()]
  receive(read(send('b', long(1))))
  const rows = [...long(1), ...long(2), ...long(3)]
  for (let turn = 0; turn < 2; turn += 1) {
    const sent = read(send('a', rows))
    expect(sent).toMatchObject({ keep: 0, forget: ['a'] })
    expect(receive(sent)).toEqual(rows)
  }
  expect(read(send('b', long(1))).keep).toBe(1)
})

test('rows that cannot be written are not taken for sent', () => {
  const [send, receive, rows] = [createHistorySender(), createHistoryReceiver(), messages(2)]
  const circle: Record<string, unknown> = {}
  circle['circle'] = circle
  const bad = row(9, { text: 'x', kind: 'tool_call', arguments: circle } as never)
  expect(() => send('lobby', [...rows, bad])).toThrow()
  expect(receive(read(send('lobby', rows)))).toEqual(rows)
})

test('a process that does not have what is named says so', () => {
  expect(() => createHistoryReceiver()({ room: 'lobby', drop: 0, keep: 2, add: [], forget: [] })).toThrow(
    '2 rows were named of which 0 are here',
  )
})
