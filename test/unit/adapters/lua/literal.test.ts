import { expect, test } from 'vitest'
import { luaLiteral } from '../../../../src/adapters/lua/literal.ts'

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
  let value: unknown = 1
  for (let depth = 0; depth < 1000; depth += 1) value = [value]
  const text = luaLiteral(value as never)
  expect(text.match(/\{/g)?.length).toBe(65)
  expect(text).toContain('nil')
})
