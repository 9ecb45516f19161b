import { afterAll, expect, test } from 'vitest'
import fc from 'fast-check'
import * as luaparse from 'luaparse'
import { listLua, readBundle } from '../../../../src/wrap/lua/bundle.ts'
import { openEngine } from '../../../../src/wrap/lua/engines.ts'
import { paths } from '../../../../src/base/paths.ts'
import type { JsonObject } from '../../../../src/base/json.ts'
import type { LuaJob } from '../../../../src/wrap/ports.ts'
import { createNodes, rewriteLua } from '../../../../src/wrap/lua/lua-in-js/rewrite.ts'
import { readSnippets } from '../../../support/lua-snippets/corpus.ts'
import { runs } from '../../../support/runs.ts'
import { anyCharacter } from '../../../support/any-character.ts'

const data = { target: 100, values: {}, history: [], room: {} }
const engine = await openEngine('lua-in-js', await readBundle(listLua(paths.lua)), {
  timeMs: 5000,
  memoryBytes: 64 * 1024 * 1024,
})
afterAll(() => engine.close())

function evaluate(body: string, host: LuaJob['host'] = () => null): string {
  const script = `local function value()\n${body}\nend
    function default_wrap() return wrap():custom("x", tostring((value()))) end`
  const draft = engine.run({ script, data, host, maxOutput: 100_000 }) as JsonObject
  return String((draft['layers'] as readonly { readonly text?: string }[])[0]?.text)
}

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
])('a Lua script cannot reach JavaScript by %s', (_what, body, value) => {
  const host = (): JsonObject => JSON.parse('{"__proto__": {"seen": 1}}') as JsonObject
  expect(evaluate(body, host)).toBe(value)
  expect(Object.keys(Object.prototype)).toEqual([])
  expect(({} as { seen?: unknown }).seen).toBeUndefined()
})

test('a Lua script never receives a host error object if the stack overflows in a host call', () => {
  const source = `local kinds = {}
      local function deep() local ok, e = pcall(tools.count_tokens, "x") kinds[type(e)] = true return 1 + deep() end
      local ok, e = pcall(deep)
      kinds[type(e)] = true
      local names = {} for kind in pairs(kinds) do names[#names + 1] = kind end
      return table.concat(names, " ")`
  expect(evaluate(source, () => 'five')).toMatch(/^(?:number )?(?:nil )?string$/)
})

test.each([
  ['rep', 'return ("x"):rep(1e9)'],
  ['rep with a separator', 'return ("x"):rep(1e7, "yy")'],
  ['doubling', 'local s = "x" while true do s = s .. s end'],
])('a Lua text that exceeds the memory limit is an error if it is made by %s', (_what, body) => {
  expect(() => evaluate(body)).toThrow('it needs more than 64 MiB of memory')
  expect(evaluate('return 1 + 1')).toBe('2')
})

test('a script error names the line of the failing statement, also in functions and loaded chunks', () => {
  const failing = (line: string) => () => evaluate(`local t = {}\n\n${line}`)
  expect(failing('t.a.b = 1')).toThrow('script:4: attempt to index a nil value')
  expect(failing('t.x()')).toThrow('script:4: attempt to call a nil value')
  expect(failing('local f = function()\n error("on purpose", 2) end\n\nf()')).toThrow('script:7: on purpose')
  expect(failing('load("\\n\\nreturn 1 + nil", "=part")()')).toThrow('part:3: attempt to perform arithmetic')
})

test('one engine compiles and runs forty different scripts twice', () => {
  for (let round = 0; round < 2; round += 1) {
    for (let index = 0; index < 40; index += 1) expect(evaluate(`return ${index}`)).toBe(String(index))
  }
})

const TIME_MS = 400
const script = `function default_wrap()
  print("once")
  local first, second = tools.conversation(1), tools.conversation(2)
  return wrap():custom("one", first):custom("two", second)
end`

/** Waits without using the processor, as a process does that gets none of it. */
const stall = (): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * TIME_MS)
}

test('a run that got no CPU time is restarted without printing twice or swapping host texts', async () => {
  const bundle = await readBundle(listLua(paths.lua))
  const engine = await openEngine('lua-in-js', bundle, { timeMs: TIME_MS, memoryBytes: 64 * 1024 * 1024 })
  const printed: unknown[] = []
  let conversations = 0
  const draft = engine.run({
    script,
    data: { target: 100, values: {}, history: [], room: {} },
    maxOutput: 100_000,
    host(name, argument) {
      if (name === 'print') printed.push(argument)
      if (name !== 'conversation') return null
      conversations += 1
      if (conversations === 2) stall()
      return `text ${JSON.stringify(argument)}`.padEnd(5000, '.')
    },
  }) as JsonObject
  engine.close()
  const texts = (draft['layers'] as readonly { readonly text: string }[]).map((layer) => layer.text)
  expect(texts).toEqual([expect.stringContaining('"limit":1'), expect.stringContaining('"limit":2')])
  expect(printed).toEqual(['once'])
})

const bytes = (text: string): string => Buffer.from(text).toString('latin1')
const rewrite = (source: string): object => rewriteLua(luaparse, source, createNodes())

/** All that lua-in-js writes into JavaScript as it is: the names and the numbers of a tree. */
function written(tree: unknown): readonly string[] {
  const found: string[] = []
  JSON.stringify(tree, (key, value: unknown) => {
    if (typeof value === 'object' && value !== null && 'type' in value && 'value' in value) {
      if (value.type === 'NumericLiteral') found.push(`js ${String(value.value)}`)
    }
    if (key === 'name') found.push(`name ${String(value)}`)
    return value
  })
  return found
}

/** A name; or, in place of a number, a number, a text as JSON, the start or end of a block, a line, or one of our words. */
const OURS =
  /^(?:name [A-Za-z_]\w*|js (?:\((?:[\d.]+(?:e[+-]\d+)?|Infinity)\)|"(?:[^"\\\n\r]|\\["\\bfnrt]|\\u[\da-f]{4})*"|B\d+: \{|\}|break B\d+|\/\*\d+\*\/|true|__lua\.method|var vars, vals))$/

test('the JavaScript made from a script takes only names, numbers and JSON strings from it', () => {
  let rewritten = 0
  for (const { source } of readSnippets()) {
    try {
      for (const part of written(rewrite(bytes(source)))) expect(part).toMatch(OURS)
      rewritten += 1
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
  }
  expect(rewritten).toBeGreaterThan(450)
})

test('the JavaScript made from a script keeps each string byte for byte', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 40 }), (text) => {
      const source = bytes(text)
      const escapes = Array.from(source, (sign) => `\\${String(sign.charCodeAt(0)).padStart(3, '0')}`)
      const parts = written(rewrite(`return "${escapes.join('')}"`))
      for (const part of parts) expect(part).toMatch(OURS)
      expect(parts).toContain(`js ${JSON.stringify(source)}`)
    }),
  )
})

test('local variables of a script get a prefix in JavaScript, so they cannot shadow built-in names', () => {
  const source = 'local constructor, __proto__ = 1 for new = 1, 2 do step = new end return toString, _ENV'
  const names = written(rewrite(source)).filter((part) => part.startsWith('name '))
  expect(new Set(names)).toEqual(
    new Set(
      ['v_constructor', 'v___proto__', 'v_new', 'step', 'toString', 'v__ENV'].map((name) => `name ${name}`),
    ),
  )
})

test('any text is either translated to safe JavaScript or rejected with a Lua syntax error', () => {
  const words = fc.constantFrom(
    ...['local', 'x', '=', 'end', 'if', 'then', '(', ')', '{', '}', '"', '1', '..', '...', 'function', ':'],
    ...['<const>', '::a::', 'goto', '\n', '--', '[[', ']]', 'return', 'é', 'repeat', 'until', 'break', 'for'],
  )
  fc.assert(
    fc.property(fc.array(words, { maxLength: 20 }), (parts) => {
      try {
        for (const part of written(rewrite(bytes(parts.join(' '))))) expect(part).toMatch(OURS)
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error
        expect(error.message).toMatch(/^\[\d+:\d+\] /)
      }
    }),
    { numRuns: runs(1000) },
  )
})
