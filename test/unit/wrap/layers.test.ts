import { afterAll, expect, test } from 'vitest'
import type { Json } from '../../../src/base/json.ts'
import type { Snapshot } from '../../../src/wrap/snapshot.ts'
import type { Prompt } from '../../../src/wrap/prompt.ts'
import { messages, row, sampleModel, sampleSnapshot, snapshotFor } from '../../support/snapshot.ts'
import { createWorkbench } from '../../support/workbench.ts'

const bench = await createWorkbench()
afterAll(() => bench.engine.close())

/** Only the history layer, with these options. */
const told = (snapshot: Partial<Snapshot>, options = ''): Prompt =>
  bench.run(
    `function default_wrap() return wrap():history(${options}) end`,
    sampleSnapshot({ message: '', ...snapshot }),
  )
const entries = (prompt: Prompt): readonly string[] => prompt.context.split('\n').slice(1)

const call = (number: number, name: string, id: string, args: { readonly [key: string]: Json }) =>
  row(number, {
    ...{ kind: 'tool_call', author: 'qwen', text: '', name, call: id, requester: 'alice' },
    arguments: args,
  })
const result = (number: number, name: string, id: string, text: string) =>
  row(number, {
    ...{ kind: 'tool_result', author: 'qwen', name, call: id, text },
    ...{ isError: false, durationMs: 1, bytes: 3 },
  })

const scene = [
  row(1, { author: 'alice', text: 'hi\nthere' }),
  row(2, { kind: 'action', author: 'alice', text: 'waves' }),
  row(3, { kind: 'presence', author: 'bob', text: 'bob joined', event: 'joined' }),
  call(4, 'Grep', 'c1', { a: ['x\ny'] }),
  call(5, 'Glob', 'c2', {}),
  result(6, 'Grep', 'c1', 'one\nalice: two'),
  result(7, 'Glob', 'c2', 'y'.repeat(500)),
  row(8, { kind: 'reply', author: 'qwen', text: 'Done.', outcome: 'done' }),
] as const

test('the history names each speaker, puts results under their calls and indents further lines', () => {
  expect(entries(told({ history: scene }))).toEqual([
    'alice: hi',
    '  there',
    '* alice waves',
    'qwen called Grep {"a":["x\\ny"]}',
    '  result of Grep: one',
    '  alice: two',
    'qwen called Glob {}',
    `  result of Glob: ${'y'.repeat(400)}… [100 more characters]`,
    'qwen: Done.',
  ])
})

test('the history leaves out a result whose call is not in it', () => {
  expect(entries(told({ history: scene.slice(5, 6) }))).toEqual([])
})

test.each([
  ['2', ['qwen called Glob {}'], 1],
  ['{kinds = {"message"}}', ['alice: hi', '  there'], 2],
  ['{kinds = {"presence"}}', ['[presence] bob joined'], 1],
  ['{agents = false}', ['alice: hi', '  there', '* alice waves'], 3],
  ['{since = 7}', ['qwen: Done.'], 1],
  ['{since = "01J0000000007"}', ['qwen: Done.'], 1],
  ['0', [], 0],
  ['{limit = 1}', ['qwen: Done.'], 1],
])('the history layer accepts the option %s', (options, expected, count) => {
  const lines = entries(told({ history: scene }, options))
  if (options === '2') expect(lines.at(-1)).toBe('qwen: Done.')
  else expect(lines).toEqual(expected)
  expect(lines.length).toBeGreaterThanOrEqual(count)
})

test.each([
  '"all"',
  '{limit = -1}',
  '{limit = 1.5}',
  '{kinds = "message"}',
  '{since = {}}',
  '{since = "yesterday"}',
  '{before = "nonsense"}',
  '{before = "2026-01-31T00:00:00Z"}',
  '{since = 0/0}',
  '{kinds = {x = 1}}',
])('the history layer refuses the option %s', (options) => {
  expect(() => told({ history: scene }, options)).toThrow(/^script:1: tools\.history: /)
})

test('the history keeps the newest messages without a gap, and says that older ones are missing', () => {
  const prompt = told({ ...snapshotFor(500, { message: '', history: messages(200) }) })
  const [heading, omission, ...kept] = prompt.context.split('\n')
  expect([heading, omission]).toEqual(['## The conversation so far', '[earlier entries left out]'])
  const numbers = kept.map((line) => Number(/number (\d+)/.exec(line)?.[1]))
  expect(numbers).toEqual(Array.from(numbers, (_, index) => 200 - numbers.length + index))
  expect(prompt.layers[0]).toMatchObject({
    status: 'trimmed',
    note: `the newest ${numbers.length} of 200 entries`,
  })
  expect(prompt.budget.used).toBeGreaterThan(500 * 0.7)
})

test('the first message of the history stays the same for several turns, for prompt caching', () => {
  const starts = Array.from({ length: 40 }, (_, turn) => {
    const prompt = told({ ...snapshotFor(600, { message: '', history: messages(100 + turn) }) })
    return prompt.context.split('\n')[2]
  })
  const changes = starts.filter((start, index) => index > 0 && start !== starts[index - 1]).length
  expect(changes).toBeLessThan(15)
})

test('the history never separates a result from its call', () => {
  const calls = Array.from({ length: 40 }, (_, index) => [
    call(index * 2, 'Grep', `c${index}`, { index }),
    result(index * 2 + 1, 'Grep', `c${index}`, `found ${index}`),
  ]).flat()
  for (let target = 60; target < 400; target += 7) {
    const [, , ...lines] = told({ ...snapshotFor(target, { message: '', history: calls }) }).context.split(
      '\n',
    )
    expect(lines.length % 2).toBe(0)
    expect(lines[0]).toContain('qwen called')
  }
})

test.each([
  ['English', 'word '.repeat(5000)],
  ['Chinese', '漢字'.repeat(5000)],
  ['emoji', '👩‍👩‍👧😀'.repeat(2000)],
  ['one letter', 'a'.repeat(100_000)],
])('a giant message in %s is cut at a whole character', (_what, text) => {
  const prompt = told({ ...snapshotFor(300, { message: '', history: [...messages(3), row(9, { text })] }) })
  expect(prompt.layers[0]).toMatchObject({
    status: 'trimmed',
    note: expect.stringContaining('only the newest entry'),
  })
  const [, said = ''] = /left out\]\nbob: ([^]*)\n… \[\d+ tokens left out\]$/.exec(prompt.context) ?? []
  expect(said).not.toBe('')
  expect(text.startsWith(said)).toBe(true)
  expect(said.isWellFormed()).toBe(true)
  expect(prompt.budget.used).toBeLessThanOrEqual(300)
  expect(prompt.budget.used).toBeGreaterThan(250)
})

test('the history keeps the beginning of a long message in the space that newer messages leave', () => {
  const paste = row(1, {
    text: Array.from({ length: 2000 }, (_, line) => `line ${line} of the log`).join('\n'),
  })
  const history = [
    row(0, { text: 'hello' }),
    paste,
    row(2, { text: 'what is in it?' }),
    row(3, { text: 'and then?' }),
  ]
  const prompt = told({ ...snapshotFor(1000, { message: '', history }) })
  expect(prompt.layers[0]).toMatchObject({
    note: expect.stringMatching(
      /^the newest 2 of 4 entries, and of the one before its head kept, \d+ of \d+ tokens$/,
    ),
  })
  expect(prompt.context).toMatch(
    /left out\]\nbob: line 0 [^]*\n… \[\d+ tokens left out\]\nbob: what is in it\?\n/,
  )
  expect(prompt.budget.used).toBeLessThanOrEqual(1000)
  expect(prompt.budget.used).toBeGreaterThan(950)
})

test('the history layer of an empty room is left out', () => {
  expect(told({}).layers).toEqual([])
})

test('the room layer shows only the fields that are set', () => {
  const room = {
    ...sampleSnapshot().room,
    topic: 'tea\nand more',
    vibe: 'calm',
    private: true,
    exits: [{ direction: 'north', room: 'kitchen' }],
    todo: [{ content: 'buy\nmilk', status: 'pending' }],
  }
  const of = (snapshot: Snapshot): string =>
    bench.run('function default_wrap() return wrap():room() end', snapshot).context
  expect(of(sampleSnapshot({ room, message: '' }))).toBe(
    '## The room\nName: lobby (private)\nTopic: tea\n  and more\nMood: calm\nExits: north to kitchen\n\n## To do\n- [pending] buy milk',
  )
  expect(of(sampleSnapshot({ message: '' }))).toBe('## The room\nName: lobby')
})

const items = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    content: `thing ${index} ${'to do '.repeat(20)}`.trim(),
    status: index < 30 ? 'completed' : 'pending',
  }))
const of = (target: number, count: number): Prompt =>
  bench.compose(snapshotFor(target, { room: { ...sampleSnapshot().room, todo: items(count) } }))

test('a long to-do list shows pending items first and is cut at its end', () => {
  const { context, layers } = of(8000, 100)
  const todo = context.slice(context.indexOf('## To do'))
  expect(todo).toMatch(/^## To do\n- \[pending\] thing 30 /)
  expect(todo).not.toContain('completed')
  expect(todo).toMatch(/\n… \[\d+ tokens left out\]/)
  const layer = layers.find((one) => one.name === 'todo')
  expect(layer).toMatchObject({ status: 'trimmed', placement: 'context' })
  expect(layer!.tokens).toBeLessThanOrEqual(1000)
})

test('the to-do list has lower priority than the room, user and participant layers', () => {
  const order = of(8000, 1)
    .layers.toSorted((a, b) => a.priority - b.priority)
    .map(({ name }) => name)
  expect(order.slice(order.indexOf('room'))).toEqual(['room', 'user', 'participants', 'todo'])
})

const run = (layers: string, snapshot = sampleSnapshot({ message: '' })): Prompt =>
  bench.run(`function default_wrap() return wrap()${layers} end`, snapshot)

test('the text of a custom layer is used unchanged', () => {
  const text = '## Your Functions\n\n`${x}` %s %1 \\n'
  const prompt = run(':custom("a", tools.room_kv_get("t")):custom("b", "B")', {
    ...sampleSnapshot({ message: '' }),
    room: { ...sampleSnapshot().room, values: { t: text } },
  })
  expect(prompt.context).toBe(`${text}\n\nB`)
})

test('a custom layer without text is left out, and a number is shown as its digits', () => {
  expect(run(':custom("a", nil):custom("b", ""):custom("c", 12):custom("d", 1.5)').context).toBe('12\n\n1.5')
})

test('the last one of two layers with the same name is used, with a warning', () => {
  const prompt = run(':custom("a", "one"):custom("b", "two"):custom("a", "three")')
  expect(prompt.context).toBe('two\n\nthree')
  expect(prompt.warnings).toEqual(['layer "a" is there twice; the last one counts'])
})

test('a layer is limited to max_tokens, even if the budget has more', () => {
  const long = (options: string): Prompt =>
    run(`:custom("a", ("some words "):rep(100), 5, false, {max_tokens = 40${options}}):custom("b", "B")`)
  const [trimmed, left] = [long(', trim = "head", heading = "Words"'), long('')]
  expect(trimmed.layers[0]).toMatchObject({ status: 'trimmed' })
  expect(trimmed.layers[0]!.tokens).toBeLessThanOrEqual(40)
  expect(trimmed.context).toMatch(/^Words\n(some words )+.*\n… \[\d+ tokens left out\]\n\nB$/)
  expect(left.layers[0]).toMatchObject({
    status: 'dropped',
    note: expect.stringMatching(/^needs 20\d tokens, it may have 40, 8000 of 8000 are left$/) as string,
  })
  expect(() => long(', required = true')).toThrow(/layer "a" needs 20\d tokens, it may have 40/)
})

test('a layer can have any finite priority', () => {
  const prompt = run(':custom("a", "A", -1.5):custom("b", "B", 1e9)')
  expect(prompt.layers.map((one) => one.priority)).toEqual([-1.5, 1e9])
})

test.each([
  [':custom("x", {})', 'layer "x": text must be a string, got a table'],
  [':custom("x", print)', 'layer "x": text must be a string, got a function'],
  [':custom("x", true)', 'layer "x": text must be a string, got a boolean'],
  [':custom("x", "a", 0/0)', 'layer "x": priority must be a number, got NaN'],
  [':custom("x", "a", 1/0)', 'layer "x": priority must be a number, got inf'],
  [':custom("x", "a", "1")', 'layer "x": priority must be a number, got "1"'],
  [':custom("x", "a", 1, "yes")', 'layer "x": is_system must be true or false, got "yes"'],
  [':custom("x", "a", 1, true, 5)', 'layer "x": opts must be a table, got 5'],
  [
    ':custom("x", "a", 1, true, {trimm = "head"})',
    'layer "x": there is no option "trimm"; there are heading, max_tokens, placement, required, tools and trim',
  ],
  [
    ':custom("x", "a", 1, true, {trim = "middle"})',
    'layer "x": trim must be "none", "head", "tail" or "oldest", got "middle"',
  ],
  [
    ':custom("x", "a", 1, true, {max_tokens = 1.5})',
    'layer "x": max_tokens must be a whole number, 0 or more, got 1.5',
  ],
  [':custom("x", "a", 1, true, {required = 1})', 'layer "x": required must be a boolean, got 1'],
  [':custom(nil, "a")', 'layer nil: a name must be text of 1 to 64 bytes'],
  [':custom("", "a")', 'layer "": a name must be text of 1 to 64 bytes'],
  ['.custom("x", "a")', 'call layers with a colon on what wrap() gave, as in wrap(8000):system()'],
  [
    ':nope()',
    'there is no layer "nope"; there are add_layer, custom, history, model_identity, participants, room, summary, system, tools, user',
  ],
])('the layer call %s is refused with an error', (layers, message) => {
  expect(() => run(layers)).toThrow(`script:1: wrap: ${message}`)
})

test('a script with more than 200 layers is refused', () => {
  const script =
    'function default_wrap() local b = wrap() for i = 1, 1000 do b:custom("l" .. i, "x") end return b end'
  expect(() => bench.run(script, sampleSnapshot())).toThrow('script:1: wrap: there are more than 200 layers')
})

test('a layer is cut according to its own trim option', () => {
  const text = Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n')
  const small = {
    ...snapshotFor(100, { message: '' }),
    room: { ...sampleSnapshot().room, values: { t: text } },
  }
  const cut = (trim: string): Prompt =>
    run(`:custom("a", tools.room_kv_get("t"), 1, false, {trim = "${trim}"})`, small)
  expect(cut('head').context).toMatch(/^line 0\n[^]*\n… \[\d+ tokens left out\]$/)
  expect(cut('tail').context).toMatch(/^… \[\d+ tokens left out\]\n[^]*line 199$/)
  expect(cut('oldest').context).toMatch(/^\[earlier entries left out\]\n[^]*line 199$/)
  expect(cut('none')).toMatchObject({
    context: '',
    layers: [
      {
        status: 'dropped',
        tokens: 0,
        note: expect.stringMatching(/^needs \d+ tokens, 100 of 100 are left$/),
      },
    ],
  })
})

test('a script that is too long is refused', () => {
  const source = `-- ${'x'.repeat(300_000)}`
  expect(() => bench.run(source, sampleSnapshot())).toThrow(
    'wrap: the script has 300003 characters, at most 262144 are taken',
  )
})

test('a script can read the room, the model, the requester, the values and the target', () => {
  const snapshot = sampleSnapshot({
    model: { ...sampleModel, systemPrompt: 'brief' },
    room: { ...sampleSnapshot().room, values: { list: [1, null, 'a'], off: false } },
  })
  const seen = bench.run(
    `function default_wrap()
        local s = tools.session()
        return wrap():custom("x", table.concat({
          tools.now(), tools.look().name, #tools.who(), #tools.exits(), #tools.todo(), tools.current_model().name,
          tools.current_model().system_prompt, tools.current_user().role, s.room, s.target, s.script_version,
          tools.room_kv_get("list")[3], tostring(tools.room_kv_get("off")), tostring(tools.room_kv_get("none")),
          tools.count_tokens("hello world"), room_tool_scope(),
        }, " ")) end`,
    snapshot,
  ).context
  expect(seen).toBe('1700000000000 lobby 1 0 0 qwen brief owner lobby 8000 1 a false nil 2 all')
})

test('the log lines of a script are shown as warnings of the prompt', () => {
  const prompt = bench.run('tools.log("info", "hello") tools.log("warn", 5)', sampleSnapshot())
  expect(prompt.warnings).toEqual(['script (info): hello', 'script (warn): 5'])
})

test('the log of a script is limited to 50 lines of 500 characters', () => {
  const prompt = bench.run(
    'for i = 1, 1000 do tools.log("info", ("x"):rep(5000) .. i) tools.log("info", i) end',
    sampleSnapshot(),
  )
  expect(prompt.warnings.length).toBe(50)
  expect(Math.max(...prompt.warnings.map((line) => line.length))).toBe(500)
})

test('a late layer follows all other context layers, whatever its place in the script', () => {
  const prompt = run(':custom("a", "A", 1, false, { placement = "late" }):custom("b", "B"):custom("c", "C")')
  expect(prompt.context).toBe('B\n\nC\n\nA')
  expect(prompt.context.slice(0, prompt.stablePrefix)).toBe('B\n\nC')
  expect(prompt.layers.map(({ name, late }) => [name, late])).toEqual([
    ['b', undefined],
    ['c', undefined],
    ['a', true],
  ])
  expect(() => run(':custom("a", "A", 1, true, { placement = "late" })')).toThrow('placement must be')
})
