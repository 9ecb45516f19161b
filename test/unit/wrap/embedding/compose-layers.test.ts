import { afterAll, expect, test } from 'vitest'
import {
  composeLayers,
  composePrompt,
  createSnapshot,
  createTokenCounters,
  defineTool,
  openComposer,
  priceCatalogue,
  type ProgramLayer,
  resolveScope,
  toRequest,
  WrapError,
} from '../../../../src/index.ts'

const counters = createTokenCounters()
const count = (text: string): number => counters.of('o200k_base').count(text)
const composer = openComposer()
afterAll(async () => {
  counters.close()
  await composer[Symbol.asyncDispose]()
})

const table = (n: number) =>
  defineTool({
    id: `table_${n}`,
    description: `Looks up a row of table ${n}. Rows are numbered from one; a missing row is an error.`,
    access: 'read',
    parameters: { row: { type: 'integer', description: 'The number of the row, from one on.' } },
    run: ({ row }) => `row ${row}`,
  })
const tools = resolveScope(
  'all',
  Array.from({ length: 100 }, (_, n) => table(n)),
).visible

const lines = (from: string, length: number): string =>
  Array.from({ length }, (_, n) => `${from} ${n}: some words`).join('\n')

const LAYERS: readonly ProgramLayer[] = [
  { name: 'rules', priority: 0, required: true, text: 'You answer from tables.' },
  { name: 'tools', tools: 'all', text: ({ tools: all }) => all.map(({ name }) => `- ${name}`).join('\n') },
  {
    name: 'log',
    priority: 60,
    placement: 'context',
    trim: 'oldest',
    heading: '## Log',
    text: lines('log', 900),
  },
  { name: 'notes', priority: 40, trim: 'tail', maxTokens: 200, text: lines('note', 100) },
]

/** The same layers, as a room's script gives them. */
const SCRIPT = `
local function lines(from, length)
  local all = {}
  for n = 0, length - 1 do all[#all + 1] = from .. " " .. n .. ": some words" end
  return table.concat(all, "\\n")
end
function default_wrap(target)
  local _, chosen = tools.select_tools("all")
  local names = {}
  for _, tool in ipairs(tools.selected_tools(chosen)) do names[#names + 1] = "- " .. tool.name end
  return wrap(target)
    :custom("rules", "You answer from tables.", 0, true, { required = true })
    :custom("tools", table.concat(names, "\\n"), 50, true, { tools = chosen })
    :custom("log", lines("log", 900), 60, false, { trim = "oldest", heading = "## Log" })
    :custom("notes", lines("note", 100), 40, true, { trim = "tail", max_tokens = 200 })
end`

test.each([8000, 4000, 1500, 60])('functions and a script give one prompt of %i tokens', async (target) => {
  const given = { target, tools, message: 'What is in row 7 of table 42?', now: 0 }
  const byScript = await composePrompt(createSnapshot({ ...given, script: SCRIPT }), composer)
  const byFunctions = composeLayers(LAYERS, createSnapshot(given), counters)
  expect(byFunctions).toEqual(byScript)
})

test('a prompt of 100 tools has exactly the tokens that its budget says', () => {
  const prompt = composeLayers(LAYERS, createSnapshot({ target: 8000, tools, message: 'Row 7?' }))
  const request = toRequest(prompt)
  const texts = [request.system, ...request.messages.map(({ content }) => content)]
  const definitions = request.tools.map((tool) => JSON.stringify(tool))
  expect([...texts, ...definitions].reduce((sum, text) => sum + count(text), 0)).toBe(prompt.budget.used)
  expect(prompt.budget.used).toBeLessThanOrEqual(8000)
  expect(prompt.layers.map(({ name, status }) => `${name} ${status}`)).toEqual([
    ...['rules kept', 'tools kept', 'log trimmed', 'notes trimmed'],
  ])
  expect(request.messages).toEqual([
    { role: 'user', content: expect.stringMatching(/^## Log\n.*Row 7\?$/s) as string },
  ])
})

test('a tools layer without a text lists the tools and those that find_tools can load', () => {
  const layers = [{ name: 'tools', tools: ['table_1*', '!table_10'] }]
  const few = composeLayers(layers, createSnapshot({ target: 500, tools }), counters)
  expect(few.tools.map(({ name }) => name)).toEqual([
    ...['table_1', ...Array.from({ length: 9 }, (_, n) => `table_${n + 11}`)],
    'find_tools',
  ])
  expect(few.system).toContain('- **table_1**')
  expect(few.system).toContain('call find_tools')
  expect(composeLayers(layers, createSnapshot({ target: 9000, tools }), counters).system).not.toContain(
    'find_tools',
  )
})

test('a layer without text, and a layer whose scope shows no tool, are left out', () => {
  const layers: readonly ProgramLayer[] = [
    { name: 'empty', text: () => '' },
    { name: 'tools', tools: 'none', text: 'no tools' },
    { name: 'rules', text: ({ target, count: tokens }) => `${target} ${tokens('a b c')}` },
  ]
  const { system, layers: reports } = composeLayers(layers, createSnapshot({ target: 500, tools }), counters)
  expect([system, reports.map(({ name }) => name)]).toEqual(['500 3', ['rules']])
})

test.each([
  [
    { name: 'rules', required: true, text: 'a b c d e f' },
    'wrap: layer "rules" needs 6 tokens, 5 of 5 are left',
  ],
  [
    { name: 'late', text: (async () => 'x') as never },
    'wrap: layer "late": text must be a string, got object',
  ],
  [{ name: 'nan', priority: NaN, text: 'x' }, /^wrap: layer "nan": priority must be a number/],
])('a layer that cannot be composed is named in the error', (layer, message) => {
  const compose = () => composeLayers([layer], createSnapshot({ target: 5 }), counters)
  expect(compose).toThrow(WrapError)
  expect(compose).toThrow(message)
})

test("the error of a layer's function reaches the program", () => {
  const broken = new TypeError('no such file')
  const text = () => {
    throw broken
  }
  expect(() => composeLayers([{ name: 'notes', text }], createSnapshot({ target: 500 }), counters)).toThrow(
    broken,
  )
})

test('the price of a catalogue equals the token count of its definitions', () => {
  const [first] = priceCatalogue(tools)
  const { name, description, schema } = tools[0]!
  expect(first).toMatchObject({
    id: 'table_0',
    full: count(JSON.stringify({ name, description, parameters: schema })),
  })
  expect(first!.short).toBeLessThan(first!.full)
  expect(() => priceCatalogue(tools, { encoding: 'o200k_bas' })).toThrow('did you mean o200k_base?')
})
