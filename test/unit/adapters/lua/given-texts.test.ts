import { expect, test } from 'vitest'
import { createGivenTexts } from '../../../../src/adapters/lua/given-texts.ts'
import { sampleSnapshot } from '../../../support/snapshot.ts'
import { createWorkbench } from '../../../support/workbench.ts'

const named = (number: number): string => `\ud800${number}`

test('texts are put where Lua names them, and only there', () => {
  const texts = createGivenTexts()
  texts.keep('é')
  texts.keep('two')
  const value = { list: [named(2), 'two', '\u{10000}', '\u{10000}1'], one: named(1), none: null }
  expect(texts.putBack(value)).toEqual({
    value: { list: ['two', 'two', '\u{10000}', '\u{10000}1'], one: 'é', none: null },
    bytes: 5,
  })
})

test('a text that was not given, or was given too long ago, is an error', () => {
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

test('a script may change, double or quote what it was given, and each layer is what the script made', async () => {
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

test('however many texts a script asks for, each is the right one', async () => {
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

test('naming a text often does not make the layers longer than they may be', async () => {
  const bench = await createWorkbench()
  const history = Array.from({ length: 400 }, (_, at) => row(`${LONG} ${at}`))
  const script = `function default_wrap(target)
    local builder = wrap(target)
    for number = 1, 150 do builder:custom("l" .. number, tools.conversation(400)) end
    return builder
  end`
  expect(() => bench.run(script, sampleSnapshot({ history }))).toThrow('at most 262144 can be used')
})
