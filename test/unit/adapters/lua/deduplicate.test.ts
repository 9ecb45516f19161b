import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createReceiver, Sender } from '../../../../src/adapters/lua/deduplicate.ts'
import { runs } from '../../../support/runs.ts'

interface Row {
  readonly id: number
  readonly text: string
}

const rowSender = (maxChars?: number) =>
  new Sender<Row>(
    ({ id }) => id,
    (old, row) => old.text === row.text,
    maxChars,
  )

const rowsFrom = (first: number, last: number): readonly Row[] =>
  Array.from({ length: last - first + 1 }, (_, at) => ({ id: first + at, text: `row ${first + at}` }))

const over = <T>(packed: T): T => JSON.parse(JSON.stringify(packed)) as T

test('a sender sends only new items, and the receiver has the same objects for the others', () => {
  const [sender, receive] = [rowSender(), createReceiver<Row>()]
  const first = receive(over(sender.pack(rowsFrom(1, 20))))
  const packed = sender.pack(structuredClone(rowsFrom(3, 22)))
  expect(packed.fresh?.map(([, row]) => row)).toEqual(rowsFrom(21, 22))
  const second = receive(over(packed))
  expect(second).toEqual(rowsFrom(3, 22))
  expect(second[0]).toBe(first[2])
})

test('a list that was sent before is its number alone, and the same array again', () => {
  const [sender, receive] = [rowSender(), createReceiver<Row>()]
  const first = receive(over(sender.pack(rowsFrom(1, 3))))
  receive(over(sender.pack(rowsFrom(4, 5))))
  const again = sender.pack(rowsFrom(1, 3))
  expect(again).toEqual({ list: 0 })
  expect(receive(over(again))).toBe(first)
})

test('every list arrives as it is, whatever changed, came twice, or was forgotten', () => {
  const row = fc.record({ id: fc.nat(12), text: fc.constantFrom('a', 'b', 'é\n🙂') })
  const lists = fc.array(fc.array(row, { maxLength: 15 }), { maxLength: 150 })
  fc.assert(
    fc.property(lists, fc.constantFrom(0, 200, 1e6), (all, maxChars) => {
      const [sender, receive] = [rowSender(maxChars), createReceiver<Row>()]
      for (const rows of all) expect(receive(over(sender.pack(rows)))).toEqual(rows)
    }),
    { numRuns: runs(300) },
  )
})

test('an item with another text is sent again, alone', () => {
  const [sender, receive] = [rowSender(), createReceiver<Row>()]
  receive(sender.pack(rowsFrom(1, 5)))
  const changed = rowsFrom(1, 5).with(3, { id: 4, text: 'taken back' })
  const packed = sender.pack(changed)
  expect(packed.fresh).toHaveLength(1)
  expect(receive(packed)).toEqual(changed)
})

test('both sides forget everything when it has too many characters', () => {
  const [sender, receive] = [rowSender(300), createReceiver<Row>()]
  const packed = Array.from({ length: 40 }, (_, at) => sender.pack(rowsFrom(at, at + 1)))
  const forgot = packed.filter(({ forget }) => forget).length
  expect(forgot).toBeGreaterThan(1)
  expect(forgot).toBeLessThan(10)
  for (const [at, each] of packed.entries()) expect(receive(over(each))).toEqual(rowsFrom(at, at + 1))
  const items = packed[0]?.items
  expect(() => receive({ list: 0, ...(items ? { items } : {}) })).toThrow('was never sent')
})

test('items that cannot be written do not count as sent', () => {
  const [sender, receive] = [rowSender(), createReceiver<Row>()]
  const circle: { id: number; text: string; circle?: object } = { id: 9, text: 'x' }
  circle.circle = circle
  expect(() => sender.pack([...rowsFrom(1, 2), circle])).toThrow()
  expect(receive(sender.pack(rowsFrom(1, 2)))).toEqual(rowsFrom(1, 2))
})

test('a receiver throws for what was never sent', () => {
  expect(() => createReceiver()({ list: 3 })).toThrow('list 3 was never sent')
  expect(() => createReceiver()({ list: 0, items: [7] })).toThrow('item 7 was never sent')
})
