import { expect, it } from 'vitest'
import type { Tool, ToolSource } from '../../../../src/tools/tool.ts'
import { createCatalogue } from '../../../../src/wrap/toolbox/catalogue.ts'
import { memoryLog } from '../../../support/chat-parts.ts'
import { tool } from '../../../support/turn-world.ts'
import type { PromptTool } from '../../../../src/wrap/prompt.ts'
import { createOffer, createOfferState } from '../../../../src/wrap/toolbox/offer.ts'
import { promptTool, samplePrompt } from '../../../support/model-request.ts'

const source = (group: ToolSource['group'], name: string, tools: readonly Tool[]): ToolSource => ({
  group,
  name,
  tools: () => tools,
})

const builtin = (...tools: readonly Tool[]): ToolSource => source('builtin', 'builtin', tools)
const wrapped = (...tools: readonly Tool[]): ToolSource => source('wrapped', 'wrapped', tools)

function catalogueOf(sources: readonly ToolSource[], disabled: readonly string[] = []) {
  const log = memoryLog()
  return { now: createCatalogue({ sources, disabled, log }), log }
}

const idsOf = (...args: Parameters<typeof catalogueOf>): readonly string[] =>
  catalogueOf(...args)
    .now()
    .tools.map((one) => one.id)

it('the catalogue lists the tools of all sources in order, with their source and name', () => {
  const { now } = catalogueOf([
    source('internal', 'internal', [tool('sshawl_look')]),
    builtin(tool('run_command', undefined, { access: 'execute' })),
    source('mcp', 'holler', [tool('holler_sample')]),
  ])
  expect(now().tools).toMatchObject([
    { id: 'sshawl_look', name: 'look', group: 'internal', source: 'internal', access: 'read', aliasOf: [] },
    { id: 'run_command', name: 'run_command', group: 'builtin', source: 'builtin', access: 'execute' },
    { id: 'holler_sample', name: 'holler_sample', group: 'mcp', source: 'holler' },
  ])
})

it('the catalogue keeps the first of two tools with one id and logs a warning', () => {
  const first = tool('Grep', undefined, { description: 'first' })
  const { now, log } = catalogueOf([
    builtin(first),
    wrapped(tool('Grep', undefined, { description: 'second' })),
  ])
  expect(now().tools).toMatchObject([{ description: 'first' }])
  expect(now().handler('Grep')).toBe(first)
  expect(log.lines).toEqual(['two tools have one id; the first is kept'])
})

it('the catalogue returns the same object until a source changes', () => {
  const tools = [tool('a')]
  const { now } = catalogueOf([builtin(...tools), { group: 'mcp', name: 'm', tools: () => tools }])
  const before = now()
  expect(now()).toBe(before)
  tools.push(tool('b'))
  expect(now().tools.map((one) => one.id)).toEqual(['a', 'b'])
  expect(now()).not.toBe(before)
})

it('the catalogue keeps the objects of unchanged tools without reading their schema again', () => {
  let reads = 0
  const counted = Object.defineProperty(tool('a'), 'schema', {
    get: () => {
      reads += 1
      return { type: 'object' }
    },
  })
  let tools = [counted, tool('alias', undefined, { aliasOf: 'a' }), tool('b'), tool('sshawl_look')]
  const now = createCatalogue({
    sources: [{ group: 'builtin', name: 'builtin', tools: () => tools }],
    disabled: [],
    log: memoryLog(),
  })
  const [a, alias, b, look] = now().tools
  tools = [...tools.slice(0, 2), tool('b', undefined, { description: 'Other.' }), tools[3]!, tool('look')]
  const [sameA, sameAlias, otherB, renamed] = now().tools
  expect([sameA, sameAlias]).toEqual([a, alias])
  expect(sameA).toBe(a)
  expect(sameAlias).toBe(alias)
  expect(otherB).toMatchObject({ id: b?.id, description: 'Other.' })
  expect([look?.name, renamed?.name]).toEqual(['look', 'sshawl_look'])
  tools = [{ ...counted, unavailable: 'not now' }, ...tools.slice(1)]
  expect(now().tools[0]).toMatchObject({ id: 'a', unavailable: 'not now' })
  tools = [counted]
  expect(now().tools[0]).not.toHaveProperty('unavailable')
  expect(reads).toBe(2)
})

it('the catalogue sanitizes the title and the description of a tool', () => {
  const sly = tool('a', undefined, { title: 'A\nB\u001b[2J', description: 'x\u202ey\u001b]0;t\u0007\nz' })
  expect(catalogueOf([builtin(sly)]).now().tools).toMatchObject([{ title: 'A B', description: 'xy\nz' }])
})

it('the catalogue has no handler for an unlisted tool', () => {
  const { now } = catalogueOf([builtin(tool('a'))], ['a'])
  for (const id of ['a', 'b', '__proto__', 'constructor']) expect(now().handler(id)).toBeUndefined()
})

const circle: { self?: unknown } = {}
circle.self = circle
const deep = (levels: number): object => (levels === 0 ? {} : { properties: { in: deep(levels - 1) } })
const bad: readonly (readonly [string, unknown, RegExp])[] = [
  ['a circle', circle, /no schema that is JSON/],
  ['a big integer', { type: 'object', maximum: 5n }, /no schema that is JSON/],
  ['nothing', undefined, /no schema that is JSON/],
  ['a list', [], /must be an object, it is a list/],
  ['null', null, /must be an object, it is null/],
  ['another type', { type: 'string' }, /is of type "string", arguments are an object/],
  ['a choice alone', { anyOf: [{ type: 'object' }] }, /only anyOf at the top, which providers refuse/],
  [
    'properties that are no schemas',
    { type: 'object', properties: { a: 5 } },
    /properties must be an object of schemas/,
  ],
  ['required that is no list', { type: 'object', required: 'a' }, /required must be a list of texts/],
  ['a list of items', { properties: { a: { items: [] } } }, /properties\.a\.items must be a schema/],
  ['much nesting', { type: 'object', ...deep(5000) }, /nested more than 64 deep|no schema that is JSON/],
  ['a great size', { type: 'object', title: 'x'.repeat(300_000) }, /at most 262144 are taken/],
]

it.each(bad)(
  'the catalogue makes a tool whose schema is %s unavailable, and keeps all others',
  (_what, schema, why) => {
    const broken = tool('broken', undefined, { schema: schema as Tool['schema'] })
    const { tools } = catalogueOf([builtin(tool('a'), broken, tool('b'))]).now()
    expect(tools.map((one) => [one.id, one.unavailable === undefined])).toEqual([
      ['a', true],
      ['broken', false],
      ['b', true],
    ])
    expect(tools[1]!.unavailable).toMatch(why)
    expect(JSON.stringify(tools)).toContain('broken')
  },
)

it('the catalogue makes a tool unavailable if its description is not text or cannot be read', () => {
  const silent = tool('silent', undefined, { description: 5 as unknown as string })
  const throws = Object.defineProperty(tool('throws'), 'description', {
    get: () => {
      throw new Error('no')
    },
  })
  const { tools } = catalogueOf([builtin(silent, throws, tool('a'))]).now()
  expect(tools.map((one) => one.unavailable)).toEqual([
    'its title and its description must be texts, one is of type number',
    'what it says of itself cannot be read',
    undefined,
  ])
})

it('the catalogue drops anyOf from a schema with properties and adds its type', () => {
  const properties = { a: { type: 'string' }, b: { type: 'string' } }
  const schema = { properties, anyOf: [{ required: ['a'] }, { required: ['b'] }] }
  const { tools } = catalogueOf([builtin(tool('a', undefined, { schema }))]).now()
  expect(tools).toMatchObject([{ schema: { type: 'object', properties } }])
  expect(Object.keys(tools[0]!.schema)).toEqual(['type', 'properties'])
})

const base = tool('run_command')
const grep = tool('Grep', undefined, { base: 'run_command' })
const search = tool('Search', undefined, { aliasOf: 'Grep' })
const find = tool('Find', undefined, { aliasOf: 'Search' })

it('the catalogue lists the whole chain of names that an alias stands for', () => {
  const { now } = catalogueOf([builtin(base), wrapped(grep, search, find)])
  expect(now().tools.map((one) => [one.id, one.aliasOf])).toEqual([
    ['run_command', []],
    ['Grep', []],
    ['Search', ['Grep']],
    ['Find', ['Search', 'Grep']],
  ])
})

it('a disabled tool removes its aliases and wrapped tools from the catalogue', () => {
  const sources = [builtin(base, tool('read_file')), wrapped(grep, search, find)]
  expect(idsOf(sources, ['run_command'])).toEqual(['read_file'])
  expect(idsOf(sources, ['Grep'])).toEqual(['run_command', 'read_file'])
})

it('a disabled alias removes the tool it stands for from the catalogue', () => {
  expect(idsOf([builtin(base), wrapped(grep, search, find)], ['Find'])).toEqual(['run_command'])
})

it('a disabled alias of a base removes the wrapped tools of that base from the catalogue', () => {
  const shell = tool('shell', undefined, { aliasOf: 'run_command' })
  expect(idsOf([builtin(base), wrapped(shell, grep)], ['shell'])).toEqual([])
})

it('the catalogue accepts circular aliases', () => {
  const a = tool('a', undefined, { aliasOf: 'b' })
  const b = tool('b', undefined, { aliasOf: 'a' })
  expect(idsOf([wrapped(a, b)])).toEqual(['a', 'b'])
  expect(idsOf([wrapped(a, b)], ['a'])).toEqual([])
})

it('the catalogue sanitizes the parameter descriptions of a tool', () => {
  const properties = { a: { type: 'string', description: 'one \u202e\u001b[2Jtwo' } }
  const { now } = catalogueOf([builtin(tool('odd', undefined, { schema: { type: 'object', properties } }))])
  expect(now().tools[0]?.schema).toEqual({
    type: 'object',
    properties: { a: { type: 'string', description: 'one two' } },
  })
})

const tools = [tool('a'), tool('b'), tool('alias', undefined, { aliasOf: 'a' })]
const catalogue = createCatalogue({
  sources: [{ group: 'builtin', name: 'builtin', tools: () => tools }],
  disabled: [],
  log: memoryLog(),
})()
const reach = { visible: catalogue.tools, catalogue }
const parts = () => ({
  offered: createOfferState(),
  space: () => 0,
  found: () => {},
  weigh: async () => [],
})
const deferred = (name: string): PromptTool => ({ id: name, name, form: 'deferred', tokens: 0 })
const both = { ...promptTool('a'), standsFor: ['alias'] }

it('a tool that was sent earlier in a turn stays callable after it is deferred', () => {
  const turn = parts()
  createOffer(samplePrompt({ tools: [both, deferred('b')] }), reach, turn)
  const later = createOffer(
    samplePrompt({ tools: [{ ...deferred('a'), standsFor: ['alias'] }, deferred('b')] }),
    reach,
    turn,
  )
  expect(['a', 'alias', 'b'].map((name) => later.resolve(name, reach)?.id)).toEqual(['a', 'alias', undefined])
  expect(later.sentAs('alias')).toEqual(both)
  expect(later.definitions).toEqual([])
})

it("a tool that the room's script or a scope removes during a turn is no longer callable", () => {
  const turn = parts()
  createOffer(samplePrompt({ tools: [both, promptTool('b')] }), reach, turn)
  const later = createOffer(samplePrompt({ tools: [promptTool('b')] }), reach, turn)
  expect(['a', 'alias'].map((name) => later.resolve(name, reach))).toEqual([undefined, undefined])
  expect(later.sentAs('a')).toBeUndefined()
  const without = { ...reach, visible: catalogue.tools.filter(({ id }) => id !== 'b') }
  expect(later.resolve('b', without)).toBeUndefined()
})

it('a tool that changes during a turn is no longer callable', () => {
  const turn = parts()
  createOffer(samplePrompt({ tools: [promptTool('b')] }), reach, turn)
  const changed = catalogue.tools.map((one) => (one.id === 'b' ? { ...one, description: 'Other.' } : one))
  const later = createOffer(samplePrompt({ tools: [deferred('b')] }), { ...reach, visible: changed }, turn)
  expect(later.resolve('b', { ...reach, visible: changed })).toBeUndefined()
})
