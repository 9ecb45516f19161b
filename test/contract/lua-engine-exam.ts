import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EngineName, Lack } from '../../src/wrap/lua/engines.ts'
import type { LuaLimits } from '../../src/wrap/lua/limits.ts'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { type LuaEngine, type LuaJob, WrapError } from '../../src/wrap/ports.ts'

/** No script of the exam needs so long, however busy the machine is; one that must be stopped is given `SHORT_MS`. */
const LONG_MS = 30_000
const SHORT_MS = 100
const limitsOf = (timeMs: number): LuaLimits => ({ timeMs, memoryBytes: 64 * 1024 * 1024 })
const noHost: LuaJob['host'] = () => null
const data: JsonObject = {
  now: 1,
  target: 8000,
  values: {},
  room: { name: 'lobby', topic: '', vibe: '', private: false, exits: [], todo: [] },
  user: { name: 'alice', role: 'owner' },
  present: [],
  model: { name: 'qwen', system_prompt: '' },
  session: { target: 8000 },
}

interface Layer {
  readonly name: string
  readonly text: string
}

/**
 * What every Lua engine must do with the bundle, whatever it is made of. What it is said to lack must be lacking: an
 * engine that can do it after all fails as well.
 */
export function luaEngineExam(
  name: EngineName,
  lacks: readonly Lack[],
  open: (limits: LuaLimits) => Promise<LuaEngine>,
): void {
  describe(`the Lua engine ${name}`, () => {
    let engine: LuaEngine
    beforeAll(async () => {
      engine = await open(limitsOf(LONG_MS))
    })
    afterAll(() => engine.close())

    /** How a title says whether this engine can do something. */
    const has = (what: Lack): string => (lacks.includes(what) ? 'does not have' : 'has')
    const run = (script: string, over: JsonObject = {}, host = noHost, maxOutput = 262_144): JsonObject =>
      engine.run({ script, data: { ...data, ...over }, host, maxOutput }) as JsonObject
    /** The value of a Lua expression, as text. */
    const evaluate = (expression: string, over: JsonObject = {}, host = noHost): string => {
      const source = `function default_wrap() return wrap():custom("x", tostring(${expression})) end`
      return (run(source, over, host)['layers'] as unknown as readonly Layer[])[0]?.text ?? ''
    }
    const failure = (script: string, over: JsonObject = {}): WrapError => {
      try {
        run(script, over)
      } catch (error) {
        if (error instanceof WrapError) return error
        throw error
      }
      throw new Error('the script did not fail')
    }

    /** The engine is still of use. */
    const next = (): void => expect(evaluate('1 + 1')).toBe('2')

    test('the bundle gives its layers in the order in which they were named', () => {
      const draft = run('', {}, (what) => (what === 'select_tools' ? 1 : ''))
      const names = (draft['layers'] as unknown as readonly Layer[]).map((layer) => layer.name)
      expect(names).toEqual(['system', 'model_identity', 'room', 'user'])
      expect(draft['target']).toBe(8000)
    })

    test('a script can require the modules of the bundle by name, and no others', () => {
      expect(evaluate('type(require "layers.history")')).toBe('function')
      expect(evaluate('require "wrap".wrap == wrap')).toBe('true')
      for (const module of ['fs', 'os', 'snapshot', 'host', '../wrap', 'layers/history']) {
        expect(failure(`require "${module}"`).message).toContain(`script:1: there is no module "${module}"`)
      }
    })

    test('a layer that a script defines becomes a method of the builder', () => {
      const draft = run(`
        layer("greeting", function(builder, who) builder:add_layer("greeting", 5, "Hello " .. who) end)
        function default_wrap(target) return wrap(target):greeting("you") end`)
      expect(draft['layers']).toMatchObject([
        { name: 'greeting', text: 'Hello you', priority: 5, system: false },
      ])
    })

    const odd = 'a\u0000b\n\t\r"\\${x}`]]--\u007f\u001b漢😀'

    test('a script reads strings with any characters and NUL unchanged', () => {
      expect(evaluate('tools.room_kv_get("odd")', { values: { odd } })).toBe(odd)
      expect(evaluate('#tools.room_kv_get("nul")', { values: { nul: 'a\u0000b' } })).toBe('3')
    })

    test('a script value that is not valid text is repaired with U+FFFD', () => {
      expect(evaluate('"a\\xffb"')).toBe('a\ufffdb')
      expect(evaluate('tools.room_kv_get("lone")', { values: { lone: 'a\ud800' } })).toBe('a\ufffd')
    })

    test('a script passes values to the host and gets its answers', () => {
      const asked: unknown[] = []
      const host = (what: string, argument: Json): Json => {
        asked.push([what, argument])
        return what === 'count_tokens' ? 42 : null
      }
      expect(evaluate(`tools.count_tokens("x\\0y")`, {}, host)).toBe('42')
      expect(evaluate('tools.available_tools({"a", "!b"})', {}, host)).toBe('nil')
      expect(evaluate('tools.available_tools({})', {}, host)).toBe('nil')
      expect(evaluate('tools.available_tools({x = print})', {}, host)).toBe('nil')
      expect(asked).toEqual([
        ['count_tokens', 'x\u0000y'],
        ['available_tools', ['a', '!b']],
        ['available_tools', []],
        ['available_tools', { x: { lua: 'function' } }],
      ])
    })

    test('an error of the host becomes an error of the script', () => {
      const source = 'function default_wrap() return wrap():custom("x", tools.count_tokens("a")) end'
      const refusing = (): Json => {
        throw new Error('not today')
      }
      expect(() => run(source, {}, refusing)).toThrow('not today')
    })

    test.each([
      ['7 // 2', '3'],
      ['1 / 2', '0.5'],
      ['"10" + 5', '15'],
      ['#"é"', '2'],
      ['utf8.len("é漢")', '2'],
      ['("abc"):upper():rep(2, "-")', 'ABC-ABC'],
      ['string.format("%5.2f|%-4s|%q", 1.005, "a", "x\\n")', ' 1.00|a   |"x\\\n"'],
      ['select("#", nil, nil)', '2'],
      ['(function(...) local a, b = ... return b end)(1, 2)', '2'],
      ['pcall(error, {1}) == false', 'true'],
      ['select(2, pcall(error, "e", 0))', 'e'],
      ['(("key=value"):gsub("(%w+)=(%w+)", "%2=%1"))', 'value=key'],
      ['("a,b,c"):find(",", 1, true)', '2'],
      ['table.concat({1, 2, 3}, "+")', '1+2+3'],
      ['#table.pack(("x y z"):match("(%S+) (%S+)"))', '2'],
      ['(function() local n = 0 for i = 10, 1, -3 do n = n + i end return n end)()', '22'],
      [
        '(function() local s = "" for _, v in ipairs({0, "", false, 4}) do s = s .. tostring(v) .. ";" end return s end)()',
        '0;;false;4;',
      ],
      ['(function() local i = 0 repeat local done = i == 3 i = i + 1 until done return i end)()', '4'],
      ['nil and error("both sides") or "lazy"', 'lazy'],
      ['(function() if 0 then return "0 is true" end end)()', '0 is true'],
      ['(function() goto on; do return "no" end ::on:: return "yes" end)()', 'yes'],
      ['setmetatable({}, {__index = function(_, k) return k .. "!" end}).hi', 'hi!'],
      ['load("return 1 + 1")()', '2'],
    ])('the Lua expression %s gives %s', (expression, value) => {
      expect(evaluate(expression)).toBe(value)
    })

    test.each([
      ['2^53 | 0', '9007199254740992'],
      ['math.type(3) .. math.type(3.0)', 'integerfloat'],
      ['10 / 2', '5.0'],
      ['math.maxinteger + 1 == math.mininteger', 'true'],
    ])(`the engine ${has('integers')} integers beside floats: %s is %s`, (expression, value) => {
      if (lacks.includes('integers')) expect(evaluate(expression)).not.toBe(value)
      else expect(evaluate(expression)).toBe(value)
    })

    test('a script may contain any text in its source', () => {
      expect(evaluate('"漢字 – “quotes” ${process.exit()} `x`" -- Kommentar: größer\n')).toBe(
        '漢字 – “quotes” ${process.exit()} `x`',
      )
    })

    test('the order of pairs is the same every time', () => {
      const keys = Array.from({ length: 60 }, (_, index) => `["k${(index * 37) % 60}"]=1`).join(',')
      const source = `(function() local s = {} for k in pairs({${keys}, 5, 6}) do s[#s + 1] = k end return table.concat(s, " ") end)()`
      const names = Array.from({ length: 60 }, (_, index) => `k${index}`).toSorted()
      expect(evaluate(source)).toBe(['1', '2', ...names].join(' '))
    })

    test('the order of next is the same every time, even for two interleaved tables', () => {
      const keys = Array.from({ length: 30 }, (_, index) => `k${(index * 17) % 30}`)
      const list = keys.map((key) => `${key}=1`).join(',')
      const walk = `(function() local a, b, s = {${list}}, {${list}}, {}
        local x, y = next(a), next(b)
        while x do s[#s + 1] = x .. y x, y = next(a, x), next(b, y) end
        return table.concat(s, " ") end)()`
      expect(evaluate(walk.replaceAll('\n', ' '))).toBe(
        keys
          .toSorted()
          .map((key) => key + key)
          .join(' '),
      )
    })

    test('a script cannot continue after it ran out of memory', () => {
      expect(failure('pcall(function() local s = ("x"):rep(1e9) end)').reason).toBe('limit')
    })

    test('the text of a table or a function has no address', () => {
      expect(evaluate('tostring({})')).toBe('table')
      expect(evaluate('tostring(print)')).toMatch(/^function(: builtin)?$/)
      expect(evaluate('("%s|%s"):format({}, 1)')).toBe('table|1')
      expect(evaluate('setmetatable({}, { __tostring = function() return "mine" end })')).toBe('mine')
      expect(evaluate('string.pack')).toBe('nil')
      expect(failure('x = ("%p"):format({})').message).toContain('script:1: string.format: %p is not')
    })

    test('the random numbers of a script are the same every time', () => {
      expect(evaluate('math.random(1, 1e9)')).toBe(evaluate('math.random(1, 1e9)'))
    })

    test.each([
      ['x = = 1', 'script:1: unexpected symbol near'],
      ['\n\nlocal a = nil + 1', 'script:3: attempt to perform arithmetic on a nil value'],
      [
        '\nfunction default_wrap()\n  return wrap():custom("x", nope.y)\nend',
        'script:3: attempt to index a nil value',
      ],
      ['error("mine")', 'script:1: mine'],
      ['\nerror({})', 'script:2: the script raised an error that is not text but a table'],
      ['error()', 'script:1: the script raised an error that is not text but a nil'],
      ['\nlocal x = ("%d"):format("x")', 'script:2: bad argument'],
      [
        '\ntools.available_tools((function() local t = {} t.t = t return t end)())',
        'script:2: a table is nested',
      ],
      [
        '\ntools.history{limits = 5}',
        'script:2: tools.history: the options are agents, before, kinds, limit, since, skip, steps, got limits',
      ],
      ['\nfor k in pairs({[{}] = 1, [{1}] = 2}) do end', 'script:2: pairs: this table has several keys'],
      ['\nsetmetatable({}, {__mode = "k"})', 'script:2: setmetatable: __mode is not available'],
      ['default_wrap = 5', 'default_wrap must be a function, it is a number'],
      ['function default_wrap() return 5 end', 'default_wrap must return what wrap() gave, it returned 5'],
      ['function default_wrap() end', 'default_wrap must return what wrap() gave, it returned nil'],
      [
        'function default_wrap() return {} end',
        'default_wrap must return what wrap() gave, it returned a table',
      ],
    ])('the script %j fails with: %s', (script, message) => {
      const error = failure(script)
      expect(error.message).toContain(message)
      expect(error.message).not.toContain('\n')
      expect(error.reason).toMatch(/^(script|argument)$/)
    })

    test.each([
      ['a function that has ended', '\nfunction default_wrap() return 5 end', 'default_wrap must return'],
      ['a chain without end', '\nlocal t = {} setmetatable(t, {__index = t}) return t.x', ''],
    ])(
      `the engine ${has('all lines')} the line of the script in an error about %s`,
      (_what, script, message) => {
        const error = failure(script)
        expect(error.message).toContain(message)
        if (lacks.includes('all lines')) expect(error.message).not.toContain('script:2: ')
        else expect(error.message).toContain('script:2: ')
      },
    )

    test.each([
      'io',
      'os',
      'debug',
      'package',
      'coroutine',
      'dofile',
      'loadfile',
      'collectgarbage',
      'process',
      'js',
    ])('a script has no global %s', (global) => {
      expect(evaluate(`_G["${global}"]`)).toBe('nil')
      expect(evaluate(`load("return ${global}")()`)).toBe('nil')
    })

    test.each([
      ['load("\\27Lua\\84")', 'nil'],
      ['load(function() return "return 1" end)', 'nil'],
      ['string.dump', 'nil'],
      ['getmetatable("")', 'false'],
      ['pcall(setmetatable, {}, {__gc = print})', 'false'],
      ['("x").constructor', 'nil'],
      ['({}).__proto__', 'nil'],
      ['print("to nobody")', ''],
    ])('the unsafe Lua expression %s gives %j', (expression, value) => {
      expect(evaluate(value === '' ? `(function() ${expression} return "" end)()` : expression)).toBe(value)
    })

    test.each([
      ['a global', 'leak = "seen"', 'leak'],
      [
        'a library',
        'string.upper = function() return "seen" end',
        '("x"):upper() == "seen" or string.upper("x") == "seen"',
      ],
      ['a global function', 'tostring = function() return "seen" end', 'type(tostring)'],
      ['a module', 'require("text").seen = true', 'require("text").seen'],
      ['a layer', 'layer("seen", function() end)', 'pcall(function() return wrap():seen() end)'],
      ['the builder', 'require("wrap").wrap = nil', 'type(require("wrap").wrap)'],
      ['the snapshot', 'tools.look().name = "seen"', 'tools.look().name == "seen"'],
    ])("a script's change of %s does not outlast its job", (_what, script, expression) => {
      const before = evaluate(expression)
      const source = `${script}\nfunction default_wrap() return wrap() end`
      run(source)
      run(source)
      expect(evaluate(expression)).toBe(before)
      expect(before).not.toContain('seen')
    })

    describe('with a short time limit', () => {
      let patient: LuaEngine
      beforeAll(async () => {
        patient = engine
        engine = await open(limitsOf(SHORT_MS))
      })
      afterAll(() => {
        engine.close()
        engine = patient
      })

      test.each([
        ['an endless loop', 'while true do end'],
        ['one that catches errors', 'while true do pcall(function() while true do end end) end'],
        [
          'one with handlers',
          'while true do xpcall(function() while true do end end, function() while true do end end) end',
        ],
        [
          'one in a metamethod',
          'local t = setmetatable({}, {__index = function(t, k) return t[k .. "x"] end}) while true do pcall(function() return t.x end) end',
        ],
        ['one in loaded text', 'load("while true do end")()'],
      ])('a script that runs too long is stopped, and the next job runs: %s', (_what, script) => {
        expect(failure(script)).toMatchObject({
          reason: 'limit',
          message: `${lacks.includes('all lines') ? 'script' : 'script:1'}: it runs longer than ${SHORT_MS} ms`,
        })
        next()
      })
    })

    test.each([
      ['one string', 'local s = ("x"):rep(1e9)'],
      ['strings that double', 'local s = "x" while true do s = s .. s end'],
    ])('a script that takes too much memory is stopped, and the next job runs: %s', (_what, script) => {
      expect(failure(script)).toMatchObject({
        reason: 'limit',
        message: 'script:1: it needs more than 64 MiB of memory',
      })
      next()
    })

    test('a script that recurses too deeply is stopped, and the next job runs', () => {
      expect(failure('local function f() return 1 + f() end f()').message).toContain('stack overflow')
      failure('local t = setmetatable({}, {}) getmetatable(t).__index = t return t.x')
      next()
    })

    test('a script with too much output is stopped, and the next job runs', () => {
      const source = 'function default_wrap() return wrap():custom("x", ("y"):rep(300000)) end'
      expect(failure(source)).toMatchObject({
        reason: 'limit',
        message: expect.stringContaining('at most 262144'),
      })
      next()
    })

    test('an error value whose __tostring never ends is reported, and the next job runs', () => {
      expect(
        failure('error(setmetatable({}, {__tostring = function() while true do end end}))').message,
      ).toContain('not text')
      next()
    })
  })
}
