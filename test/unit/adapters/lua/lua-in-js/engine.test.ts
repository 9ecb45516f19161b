import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readBundle } from '../../../../../src/adapters/lua/bundle.ts'
import { createLuaInJsEngine } from '../../../../../src/adapters/lua/lua-in-js/engine.ts'
import { paths } from '../../../../../src/app/paths.ts'
import type { JsonObject } from '../../../../../src/lib/json.ts'
import type { LuaEngine, LuaJob } from '../../../../../src/prompt/ports.ts'

const data = { target: 100, values: {}, history: [], room: {} }
let engine: LuaEngine
beforeAll(async () => {
  engine = await createLuaInJsEngine(await readBundle(paths.lua), {
    timeMs: 5000,
    memoryBytes: 64 * 1024 * 1024,
  })
})
afterAll(() => engine.close())

function evaluate(body: string, host: LuaJob['host'] = () => null): string {
  const script = `local function value()\n${body}\nend
    function default_wrap() return wrap():custom("x", tostring((value()))) end`
  const draft = engine.run({ script, data, host, maxOutput: 100_000 }) as JsonObject
  return String((draft['layers'] as readonly { readonly text?: string }[])[0]?.text)
}

describe('no script reaches JavaScript', () => {
  test.each([
    ['text with a placeholder', 'return "${process.version}"', '${process.version}'],
    [
      'a placeholder in escapes',
      'return "\\36{process.version}\\x24{1}\\u{24}{2}"',
      '${process.version}${1}${2}',
    ],
    ['a placeholder in long brackets', 'return [[${process.version}`]]', '${process.version}`'],
    ['a placeholder behind a backslash', 'return "\\\\${process.version}\\\\`"', '\\${process.version}\\`'],
    ['a placeholder in a key', 'local t = {["${process.version}"] = 1} return next(t)', '${process.version}'],
    ['a prototype as a local', 'local __proto__ = print return constructor', 'nil'],
    [
      'a constructor called through it',
      'local __proto__ = print return (pcall(function() return constructor("return process")() end))',
      'false',
    ],
    ['the constructor of a text', 'return ("").constructor', 'nil'],
    ['the constructor of a number', 'return (pcall(function() return (1).constructor end))', 'false'],
    [
      'the constructor of a function',
      'return (pcall(function() return print.constructor.constructor end))',
      'false',
    ],
    [
      'the constructor of a table',
      'local t = {} return t.constructor or t.__proto__ or t.toString or t.get or t.set',
      'nil',
    ],
    ['the constructor of a module', 'return require("text").constructor', 'nil'],
    ['the constructor of a library', 'return string.constructor or math.__proto__ or table.valueOf', 'nil'],
    [
      'globals of JavaScript',
      'return process or globalThis or Function or eval or this or global or require == nil',
      'false',
    ],
    [
      'globals of the translation',
      'return __lua or K or h or order or input or bridge or exports or module',
      'nil',
    ],
    ['the metatable of texts', 'return getmetatable("")', 'false'],
    ['what load compiles', 'return load("return ${process}")', 'nil'],
    [
      'a chunk named like code',
      'return select(2, pcall(load("error(1, 1) x()", "=`${process.exit()}`")))',
      '1',
    ],
    ['a template of gsub', 'return (("a"):gsub("a", "$&$1$`${process}"))', '$&$1$`${process}'],
    ['the key __proto__', 'local t = {} t["__proto__"] = {seen = 1} return ({}).seen', 'nil'],
    ['the key __proto__ of what the host gives', 'return tools.available_tools().seen', 'nil'],
  ])('by %s', (_what, body, value) => {
    const host = (): JsonObject => JSON.parse('{"__proto__": {"seen": 1}}') as JsonObject
    expect(evaluate(body, host)).toBe(value)
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(({} as { seen?: unknown }).seen).toBeUndefined()
  })

  test('nor an error of the host, when the stack ends in it', () => {
    const source = `local kinds = {}
      local function deep() local ok, e = pcall(tools.count_tokens, "x") kinds[type(e)] = true return 1 + deep() end
      local ok, e = pcall(deep)
      kinds[type(e)] = true
      local names = {} for kind in pairs(kinds) do names[#names + 1] = kind end
      return table.concat(names, " ")`
    expect(evaluate(source, () => 5)).toMatch(/^(?:number )?(?:nil )?string$/)
  })
})

describe('memory', () => {
  test.each([
    ['tables', 'local t = {} while true do t = {t, {}} end'],
    ['texts', 'local t = {} while true do t[#t + 1] = ("x"):rep(1000) .. #t end'],
    ['functions', 'local t = {} while true do local i = #t t[i + 1] = function() return i end end'],
    ['one text', 'return ("x"):rep(1e9)'],
    ['text that doubles', 'local s = "x" while true do s = s .. s end'],
    ['keys', 'local t, i = {}, 0 while true do i = i + 1 t["k" .. i] = true end'],
    ['a replacement', 'return (("x"):rep(1e6):gsub("x", ("y"):rep(1000)))'],
    [
      'what pcall would catch',
      'while true do pcall(function() local t = {} while true do t = {t} end end) end',
    ],
  ])('ends for %s that are kept', (_what, body) => {
    expect(() => evaluate(body)).toThrow('script: it needs more than 64 MiB of memory')
    expect(evaluate('return 1 + 1')).toBe('2')
  })

  test('goes on for what is thrown away', () => {
    expect(
      evaluate('local n = 0 for i = 1, 3000 do n = n + #(("x"):rep(100000) .. i) end return n > 3e8'),
    ).toBe('true')
  })
})

test('more scripts than are kept compile, and compile again', () => {
  for (let round = 0; round < 2; round += 1) {
    for (let index = 0; index < 40; index += 1) expect(evaluate(`return ${index}`)).toBe(String(index))
  }
})
