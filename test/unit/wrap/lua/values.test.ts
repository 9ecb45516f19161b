import fc from 'fast-check'
import { expect, test } from 'vitest'
import { askHost, luaLiteral, readLuaJson } from '../../../../src/wrap/lua/lua-values.ts'
import type { Json } from '../../../../src/base/json.ts'
import { createGivenTexts } from '../../../../src/wrap/lua/given-texts.ts'
import { Sender, createReceiver } from '../../../../src/wrap/lua/deduplicate.ts'
import { runs } from '../../../support/runs.ts'
import { sampleSnapshot } from '../../../support/snapshot.ts'
import { createWorkbench } from '../../../support/workbench.ts'

test.each([
  [null, 'nil'],
  [true, 'true'],
  [1.5, '1.5e+0'],
  [-7, '-7'],
  [1e300, '1e+300'],
  [[], '{}'],
  [[1, null, 'a'], '{1,nil,"a"}'],
  [{ end: 1, 'a"b': [{}] }, '{["end"]=1,["a\\034b"]={{}}}'],
  ['"\\\n\u0000\u001b0', '"\\034\\092\\010\\000\\0270"'],
  [']]--${x}`', '"]]--${x}`"'],
  ['\ud800é', '"\ufffdé"'],
])('the JSON value %j becomes the Lua literal %s', (value, expected) => {
  expect(luaLiteral(value)).toBe(expected)
})

test('a JSON value nested deeper than 65 levels is cut off with nil in its Lua literal', () => {
  let value: Json = 1
  for (let depth = 0; depth < 1000; depth += 1) value = [value]
  const text = luaLiteral(value)
  expect(text.match(/\{/g)?.length).toBe(65)
  expect(text).toContain('nil')
})

/** A text as `string.format("%q", text)` writes it in Lua 5.4 (lstrlib.c, addquoted). */
function asLua(text: string): string {
  const inside = text.replace(/["\\\n]|[\0-\x1f\x7f]/g, (sign, at: number) => {
    if ('"\\\n'.includes(sign)) return `\\${sign}`
    const code = String(sign.charCodeAt(0))
    return `\\${/\d/.test(text[at + 1] ?? '') ? code.padStart(3, '0') : code}`
  })
  return `"${inside}"`
}

test('a text is unchanged when it is read back from Lua or JSON quotes', () => {
  const nasty = fc.string({
    unit: fc.constantFrom('\\', '"', '\n', '\r', '\0', '\x7f', '1', 'n', 'u', 'é', '🙂'),
  })
  fc.assert(
    fc.property(fc.oneof(nasty, fc.string()), (text) => {
      expect(readLuaJson(asLua(text))).toBe(text)
      expect(readLuaJson(JSON.stringify([text, { [text]: 1 }]))).toEqual([text, { [text]: 1 }])
    }),
    { numRuns: runs(2000) },
  )
})

test('a host answer becomes a text or Lua code, and a host error becomes an error call', () => {
  const ask = (host: () => Json) => askHost(host, 'what', '1')
  expect(ask(() => 'a "text"\n')).toEqual({ text: 'a "text"\n' })
  expect(ask(() => 'a\0b')).toEqual({ code: 'return "a\\000b"' })
  expect(ask(() => [1, { a: null }])).toEqual({ code: 'return {1,{["a"]=nil}}' })
  const refuse = (): Json => {
    throw new Error('not "today"')
  }
  expect(ask(refuse)).toEqual({ code: 'error("not \\034today\\034", 0)' })
})

const named = (number: number): string => `\ud800${number}`

test('references to kept texts are replaced by the texts, and other values stay unchanged', () => {
  const texts = createGivenTexts()
  texts.keep('é')
  texts.keep('two')
  const value = { list: [named(2), 'two', '\u{10000}', '\u{10000}1'], one: named(1), none: null }
  expect(texts.putBack(value)).toEqual({
    value: { list: ['two', 'two', '\u{10000}', '\u{10000}1'], one: 'é', none: null },
    bytes: 5,
  })
})

test('a reference to a text that was never kept or has been dropped throws', () => {
  const texts = createGivenTexts()
  for (let number = 1; number <= 17; number += 1) texts.keep(`text ${number}`)
  expect(texts.putBack([named(2), named(17)]).value).toEqual(['text 2', 'text 17'])
  for (const number of [0, 1, 18]) expect(() => texts.putBack(named(number))).toThrow('not given')
})

const LONG = 'a'.repeat(150)
const said = (own: string): string =>
  `function default_wrap(target) local text = tools.conversation(9) return wrap(target)${own} end`
const row = (text: string) => ({
  entry: { kind: 'message', author: 'bob', id: '01J0000000001', at: 1, room: 'lobby', text } as never,
})

test('a script can extend, repeat or reverse a conversation text without corrupting its layer', async () => {
  const bench = await createWorkbench()
  const text = `${LONG}\n"\\ud8001" \u{10000} é`.repeat(2)
  const snapshot = sampleSnapshot({ history: [row(text)], message: '' })
  const whole = `bob: ${text.replaceAll('\n', '\n  ')}`
  const layer = (own: string): string => bench.run(said(own), snapshot).context
  expect(layer(':custom("x", text)')).toBe(whole)
  expect(layer(':custom("x", text .. "!")')).toBe(`${whole}!`)
  expect(layer(':custom("x", text):custom("y", text)')).toBe(`${whole}\n\n${whole}`)
  expect(layer(':custom("x", string.reverse(string.reverse(text)))')).toBe(whole)
})

test('a script that requests twenty texts gets the right one in each layer', async () => {
  const bench = await createWorkbench()
  const history = Array.from({ length: 40 }, (_, at) => ({
    entry: {
      kind: 'message',
      author: 'bob',
      id: `01J${at + 100}`,
      at,
      room: 'lobby',
      text: `${LONG} ${at}`,
    } as never,
  }))
  const script = `function default_wrap(target)
    local builder = wrap(target)
    local texts = {}
    for number = 1, 20 do texts[number] = tools.conversation({ limit = 2, skip = number }) end
    for number = 1, 20 do builder:custom("l" .. number, texts[number]) end
    return builder
  end`
  const { context } = bench.run(script, sampleSnapshot({ history, message: '' }))
  const wanted = Array.from({ length: 20 }, (_, at) =>
    [`bob: ${LONG} ${37 - at}`, `bob: ${LONG} ${38 - at}`].join('\n'),
  )
  expect(context).toBe(wanted.join('\n\n'))
})

test('repeated references to one text count toward the size limit of the layers', async () => {
  const bench = await createWorkbench()
  const history = Array.from({ length: 400 }, (_, at) => row(`${LONG} ${at}`))
  const script = `function default_wrap(target)
    local builder = wrap(target)
    for number = 1, 150 do builder:custom("l" .. number, tools.conversation(400)) end
    return builder
  end`
  expect(() => bench.run(script, sampleSnapshot({ history }))).toThrow('at most 262144 can be used')
})

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

test('a sender sends only new items, and the receiver reuses the objects that it has', () => {
  const [sender, receive] = [rowSender(), createReceiver<Row>()]
  const first = receive(over(sender.pack(rowsFrom(1, 20))))
  const packed = sender.pack(structuredClone(rowsFrom(3, 22)))
  expect(packed.fresh?.map(([, row]) => row)).toEqual(rowsFrom(21, 22))
  const second = receive(over(packed))
  expect(second).toEqual(rowsFrom(3, 22))
  expect(second[0]).toBe(first[2])
})

test('a list is sent again only as its number, and the receiver returns the same array', () => {
  const [sender, receive] = [rowSender(), createReceiver<Row>()]
  const first = receive(over(sender.pack(rowsFrom(1, 3))))
  receive(over(sender.pack(rowsFrom(4, 5))))
  const again = sender.pack(rowsFrom(1, 3))
  expect(again).toEqual({ list: 0 })
  expect(receive(over(again))).toBe(first)
})

test('a list arrives unchanged, even if its items change, repeat or were forgotten', () => {
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

test('an item with a changed text is sent again without the unchanged items', () => {
  const [sender, receive] = [rowSender(), createReceiver<Row>()]
  receive(sender.pack(rowsFrom(1, 5)))
  const changed = rowsFrom(1, 5).with(3, { id: 4, text: 'taken back' })
  const packed = sender.pack(changed)
  expect(packed.fresh).toHaveLength(1)
  expect(receive(packed)).toEqual(changed)
})

test('sender and receiver forget all items when these exceed the limit of characters', () => {
  const [sender, receive] = [rowSender(300), createReceiver<Row>()]
  const packed = Array.from({ length: 40 }, (_, at) => sender.pack(rowsFrom(at, at + 1)))
  const forgot = packed.filter(({ forget }) => forget).length
  expect(forgot).toBeGreaterThan(1)
  expect(forgot).toBeLessThan(10)
  for (const [at, each] of packed.entries()) expect(receive(over(each))).toEqual(rowsFrom(at, at + 1))
  const items = packed[0]?.items
  expect(() => receive({ list: 0, ...(items ? { items } : {}) })).toThrow('was never sent')
})

test('the items of a list that failed to serialize do not count as sent', () => {
  const [sender, receive] = [rowSender(), createReceiver<Row>()]
  const circle: { id: number; text: string; circle?: object } = { id: 9, text: 'x' }
  circle.circle = circle
  expect(() => sender.pack([...rowsFrom(1, 2), circle])).toThrow()
  expect(receive(sender.pack(rowsFrom(1, 2)))).toEqual(rowsFrom(1, 2))
})

test('a receiver throws for a list or an item that was never sent', () => {
  expect(() => createReceiver()({ list: 3 })).toThrow('list 3 was never sent')
  expect(() => createReceiver()({ list: 0, items: [7] })).toThrow('item 7 was never sent')
})
