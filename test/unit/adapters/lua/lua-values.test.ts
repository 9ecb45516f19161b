import fc from 'fast-check'
import { expect, test } from 'vitest'
import { askHost, luaLiteral, readLuaJson } from '../../../../src/adapters/lua/lua-values.ts'
import type { Json } from '../../../../src/lib/json.ts'
import { runs } from '../../../support/runs.ts'

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
])('%j is written %s', (value, expected) => {
  expect(luaLiteral(value)).toBe(expected)
})

test('a value nested deeper than the parser of Lua can follow is cut there', () => {
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

test('texts come back as they were, however Lua wrote them', () => {
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

test('a host’s answer is a text as it is, another value as Lua, and a refusal as an error in Lua', () => {
  const ask = (host: () => Json) => askHost(host, 'what', '1')
  expect(ask(() => 'a "text"\n')).toEqual({ text: 'a "text"\n' })
  expect(ask(() => 'a\0b')).toEqual({ code: 'return "a\\000b"' })
  expect(ask(() => [1, { a: null }])).toEqual({ code: 'return {1,{["a"]=nil}}' })
  const refuse = (): Json => {
    throw new Error('not "today"')
  }
  expect(ask(refuse)).toEqual({ code: 'error("not \\034today\\034", 0)' })
})
