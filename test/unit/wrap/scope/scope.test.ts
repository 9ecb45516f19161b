import fc from 'fast-check'
import { expect, test } from 'vitest'
import { effectiveScope, resolveScope, scopeFromWords } from '../../../../src/wrap/scope/scope.ts'
import type { CatalogueTool } from '../../../../src/wrap/snapshot.ts'
import { catalogue, sampleTool } from '../../../support/snapshot.ts'
import { runs } from '../../../support/runs.ts'

const tools = catalogue(
  sampleTool('sshawl_look', { group: 'internal', source: 'internal' }),
  sampleTool('sshawl_say', { group: 'internal', source: 'internal', access: 'write' }),
  sampleTool('read_file'),
  sampleTool('run_command', { access: 'execute' }),
  sampleTool('Read', { group: 'wrapped', source: 'wrapped', aliasOf: ['read_file'] }),
  sampleTool('Grep', { group: 'wrapped', source: 'wrapped' }),
  sampleTool('Glob', { group: 'wrapped', source: 'wrapped' }),
  sampleTool('holler_sample', { group: 'mcp', source: 'holler', access: 'network' }),
  sampleTool('holler_two_sample', { group: 'mcp', source: 'holler_two', access: 'network' }),
)
const all = tools.map((tool) => tool.id)

const visible = (scope: unknown, from: readonly CatalogueTool[] = tools): readonly string[] =>
  resolveScope(scope, from).visible.map((tool) => tool.id)

test.each<[unknown, readonly string[]]>([
  ['all', all],
  [undefined, all],
  [null, all],
  [['all'], all],
  ['none', []],
  [[], []],
  [['none'], []],
  ['internal', ['sshawl_look', 'sshawl_say']],
  ['builtin', ['read_file', 'run_command']],
  ['wrapped', ['Read', 'Grep', 'Glob']],
  ['mcp', ['holler_sample', 'holler_two_sample']],
  ['holler', ['holler_sample']],
  ['look', ['sshawl_look']],
  ['sshawl_look', ['sshawl_look']],
  ['*_look', ['sshawl_look']],
  ['holler_*', ['holler_sample', 'holler_two_sample']],
  ['holler:*', ['holler_sample']],
  ['holler:sam*', ['holler_sample']],
  ['holler:two*', []],
  ['internal:l*', ['sshawl_look']],
  ['G*', ['Grep', 'Glob']],
  ['g*', []],
  [
    ['Gr*', 'Glob'],
    ['Grep', 'Glob'],
  ],
  [['Gr*', '!Grep'], []],
  [['!Grep', 'G*'], ['Glob']],
  [
    ['!mcp', '!G*', '!internal'],
    ['read_file', 'run_command', 'Read'],
  ],
  // Read is another name of read_file, so the group of one takes the other along.
  [['!mcp', '!wrapped', '!internal'], ['run_command']],
  [' Grep ', ['Grep']],
])('the scope %j shows the tools %j', (scope, expected) => {
  expect(visible(scope)).toEqual(expected)
})

test.each<[unknown, string]>([
  [42, 'a value of type number'],
  [false, 'a value of type boolean'],
  [{ all: true }, 'a value of type object'],
  [[['Grep']], 'pattern 1 of the scope must be text, not a list'],
  [['Grep', null], 'pattern 2 of the scope must be text, not null'],
  [['Grep', ''], 'pattern 2 of the scope says nothing'],
  [['Grep', '!'], 'pattern 2 of the scope says nothing'],
  ['!!Grep', 'pattern 1 of the scope says nothing'],
  ['x'.repeat(300), 'longer than 200 characters'],
  [Array.from({ length: 300 }, () => 'Grep'), 'at most 200 patterns'],
])('the invalid scope %j shows no tools and a warning', (scope, reason) => {
  const resolution = resolveScope(scope, tools)
  expect(resolution.visible).toEqual([])
  expect(resolution.warnings).toEqual([expect.stringContaining(reason)])
  expect(resolution.hidden.map((one) => one.reason)).toEqual(all.map(() => 'the scope is not valid'))
})

test('a scope that excludes an alias or its tool hides both', () => {
  for (const scope of [['!Read'], ['!read_file'], ['!re*'], ['all', '!Read']]) {
    expect(visible(scope)).not.toContain('Read')
    expect(visible(scope)).not.toContain('read_file')
  }
  const reason = resolveScope(['!Read'], tools).hidden.find((one) => one.tool.id === 'read_file')?.reason
  expect(reason).toBe('another name of Read, which is taken away by !Read')
})

test('a scope that excludes one of several aliases hides all, even if their tool is missing', () => {
  const chain = catalogue(
    sampleTool('C', { aliasOf: ['B', 'a'] }),
    sampleTool('B', { aliasOf: ['a'] }),
    sampleTool('D', { aliasOf: ['a'] }),
    sampleTool('other'),
  )
  for (const scope of [['!C'], ['!B'], ['!D'], ['!a']]) expect(visible(scope, chain)).toEqual(['other'])
})

test('a scope that names an alias or its tool shows only the named one', () => {
  expect(visible(['Read'])).toEqual(['Read'])
  expect(visible(['read_file'])).toEqual(['read_file'])
})

test('a scope can select tools by access, such as read and !execute', () => {
  const some = catalogue(
    sampleTool('Grep'),
    sampleTool('Write', { access: 'write' }),
    sampleTool('Bash', { access: 'execute' }),
    sampleTool('shell', { access: 'execute', aliasOf: ['Bash'] }),
    sampleTool('holler_fetch', { access: 'network', group: 'mcp', source: 'holler' }),
  )
  expect(visible('read', some)).toEqual(['Grep'])
  expect(visible(['!execute'], some)).toEqual(['Grep', 'Write', 'holler_fetch'])
  expect(visible(['builtin', '!write', '!execute'], some)).toEqual(['Grep'])
  expect(visible(['network:holler_*', 'execute:B*'], some)).toEqual(['Bash', 'holler_fetch'])
  expect(
    resolveScope(['network', '!exekute'], catalogue(sampleTool('Bash', { access: 'execute' }))).warnings,
  ).toEqual(['network matches no tool', '!exekute matches no tool; did you mean !execute?'])
})

test('a group name in a scope never selects an MCP server of the same name', () => {
  const evil = catalogue(sampleTool('internal_x', { group: 'mcp', source: 'internal' }))
  expect(visible('internal', evil)).toEqual([])
  expect(visible('internal:*', evil)).toEqual([])
})

test('a tool name in a scope does not select an MCP server of the same name, and NAME:* does', () => {
  const server = { group: 'mcp', source: 'run_command' } as const
  const some = catalogue(
    sampleTool('run_command'),
    sampleTool('sshawl_look'),
    sampleTool('run_command_rm', server),
  )
  expect(visible('run_command', some)).toEqual(['run_command'])
  expect(visible(['run_command', 'look'], some)).toEqual(['run_command', 'sshawl_look'])
  expect(visible('run_command:*', some)).toEqual(['run_command_rm'])
  expect(visible('run_command*', some)).toEqual(['run_command', 'run_command_rm'])
  expect(visible('!run_command', some)).toEqual(['sshawl_look'])
  expect(visible('run_command', some.slice(2))).toEqual(['run_command_rm'])
})

test('a scope pattern without a match causes a warning with a suggestion', () => {
  expect(resolveScope(['Grpe', 'G*', '!hollar'], tools).warnings).toEqual([
    'Grpe matches no tool; did you mean Grep?',
    '!hollar matches no tool; did you mean !holler?',
  ])
})

test.each<[string, string]>([
  ['gone', 'the MCP server gone is down; its tools come when it is back'],
  ['gone:echo', 'the MCP server gone is down; its tools come when it is back'],
  ['gone_echo', 'the MCP server gone is down; its tools come when it is back'],
  ['!gone', 'the MCP server gone is down; its tools stay hidden when it is back'],
  ['gone_too_echo', 'the MCP server gone_too has no tools now; its tools come when it has some'],
  ['late', 'the MCP server late is not connected yet; its tools come when it is'],
  ['goner', 'goner matches no tool; did you mean gone?'],
  ['holler_nope', 'holler_nope matches no tool'],
])('the pattern %s causes a warning about its MCP server or an unknown name', (pattern, warning) => {
  const servers = () => [
    { name: 'holler', state: 'up' } as const,
    { name: 'gone', state: 'down' } as const,
    { name: 'gone_too', state: 'up' } as const,
    { name: 'late', state: 'connecting' } as const,
  ]
  const scopes = { room: pattern, model: undefined, role: 'owner' } as const
  expect(effectiveScope(tools, scopes, servers).warnings).toEqual([warning])
})

test('names of object properties in a scope are treated as unknown tools', () => {
  expect(visible(['constructor', '__proto__', 'toString'])).toEqual([])
})

test.each([
  [['on'], 'all'],
  [['off'], 'none'],
  [['holler'], ['holler']],
  [
    ['Gr*', '!Grep'],
    ['Gr*', '!Grep'],
  ],
  [[], []],
])('the words %j give the scope %j', (words, scope) => {
  expect(scopeFromWords(words)).toEqual(scope)
})

test('the effective scope is the intersection of room, model and role, with a reason per hidden tool', () => {
  const { visible: shown, hidden } = effectiveScope(tools, {
    room: ['!mcp'],
    model: ['internal', 'wrapped', 'mcp'],
    role: 'guest',
  })
  expect(shown.map((tool) => tool.id)).toEqual(['sshawl_look', 'Read', 'Grep', 'Glob'])
  expect(Object.fromEntries(hidden.map((one) => [one.tool.id, one.reason]))).toEqual({
    sshawl_say: 'role: guests may use only tools that read, this one has write access',
    read_file: 'model: not in the scope',
    run_command: 'model: not in the scope',
    holler_sample: 'room: taken away by !mcp',
    holler_two_sample: 'room: taken away by !mcp',
  })
})

const word = fc.constantFrom(
  ...all,
  'look',
  'holler',
  'mcp',
  'internal',
  'G*',
  '*',
  '?',
  'holler:*',
  'nobody',
  'all',
  'none',
)
const pattern = fc.tuple(fc.boolean(), word).map(([negative, text]) => (negative ? `!${text}` : text))
const scope = fc.oneof(fc.array(pattern, { maxLength: 5 }), pattern, fc.anything())
const role = fc.constantFrom(
  'admin' as const,
  'owner' as const,
  'op' as const,
  'member' as const,
  'guest' as const,
)

test('the effective scope never exceeds one of its layers, and every tool is visible or hidden', () => {
  fc.assert(
    fc.property(scope, scope, fc.array(scope, { maxLength: 2 }), role, (room, model, modelHere, who) => {
      const result = effectiveScope(tools, { room, model, modelHere, role: who })
      const shown = new Set(result.visible.map((tool) => tool.id))
      const layers = [room, model, ...modelHere].map((one) => visible(one))
      expect([...shown].filter((id) => !layers.every((layer) => layer.includes(id)))).toEqual([])
      const without = effectiveScope(tools, { room, model, role: who }).visible.map((tool) => tool.id)
      expect([...shown].filter((id) => !without.includes(id))).toEqual([])
      expect([...shown, ...result.hidden.map((one) => one.tool.id)].toSorted()).toEqual(all.toSorted())
      expect(result.hidden.map(({ reason }) => reason)).not.toContain('')
    }),
    { numRuns: runs(3000) },
  )
})

test('a persona, a routine and a panel only remove tools, in side turns and fallbacks too', () => {
  const ids = fc.subarray([...all, 'gone']).map((list) => new Set(list))
  const taken = fc.option(fc.array(pattern, { maxLength: 5 }), { nil: undefined })
  const layers = fc.record({ room: scope, model: scope, modelHere: fc.array(scope, { maxLength: 2 }), role })
  const within = fc.option(fc.record({ ids, scope }), { nil: undefined })
  const panel = fc.constantFrom(true as const, undefined)
  const reading = tools.filter(({ access }) => access === 'read').map(({ id }) => id)
  fc.assert(
    fc.property(layers, within, taken, taken, panel, (of, side, persona, routine, readsOnly) => {
      const given = { ...of, persona, routine, within: side, readsOnly }
      const patterns = [of.room, of.model, ...of.modelHere, persona, routine, side?.scope]
      const bounds = patterns.flatMap((one) => (one === undefined ? [] : [visible(one)]))
      if (side) bounds.push([...side.ids])
      if (readsOnly || of.role === 'guest') bounds.push(reading)
      const { visible: shown, hidden } = effectiveScope(tools, given)
      expect(shown.map(({ id }) => id)).toEqual(all.filter((id) => bounds.every((one) => one.includes(id))))
      expect(shown.length + hidden.length).toBe(all.length)
    }),
    { numRuns: runs(20_000) },
  )
})

test('the scope of a side turn never exceeds the tools of its parent turn', () => {
  const ids = fc.subarray([...all, 'gone']).map((list) => new Set(list))
  fc.assert(
    fc.property(scope, scope, scope, scope, ids, role, (room, model, here, side, offered, who) => {
      const layers = { room, model, modelHere: [here], role: who }
      const parent = effectiveScope(tools, layers).visible
      const own = new Set(parent.map((tool) => tool.id).filter((id) => offered.has(id)))
      const { visible: shown, hidden } = effectiveScope(tools, {
        ...layers,
        within: { ids: offered, scope: side },
      })
      const bySide = visible(side)
      expect(shown.filter(({ id }) => !own.has(id) || !bySide.includes(id))).toEqual([])
      expect(shown.length + hidden.length).toBe(all.length)
    }),
    { numRuns: runs(3000) },
  )
})

test('the order of patterns does not matter, and a negative pattern never adds a tool', () => {
  fc.assert(
    fc.property(fc.array(pattern, { minLength: 1, maxLength: 5 }), word, (patterns, extra) => {
      expect(visible(patterns.toReversed())).toEqual(visible(patterns))
      const less = visible([...patterns, `!${extra}`])
      const before = patterns.every((one) => one.startsWith('!')) ? all : visible(patterns)
      expect(less.filter((id) => !before.includes(id))).toEqual([])
    }),
    { numRuns: runs(3000) },
  )
})
