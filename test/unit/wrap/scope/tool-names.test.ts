import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nameTools, uniqueTools } from '../../../../src/wrap/scope/tool-names.ts'
import { sampleTool, catalogue } from '../../../support/snapshot.ts'
import { runs } from '../../../support/runs.ts'
import type { CatalogueTool } from '../../../../src/wrap/snapshot.ts'

const named = (...ids: readonly string[]): Record<string, string> =>
  Object.fromEntries(nameTools(ids.map((id) => sampleTool(id))).map((tool) => [tool.id, tool.name]))

test('the name of a tool is its id without the prefix sshawl_', () => {
  expect(named('sshawl_look', 'run_command', 'holler_sample')).toEqual({
    sshawl_look: 'look',
    run_command: 'run_command',
    holler_sample: 'holler_sample',
  })
})

test('a tool keeps its prefix if another tool has the short name as its id', () => {
  expect(named('sshawl_look', 'look')).toEqual({ sshawl_look: 'sshawl_look', look: 'look' })
})

test('long and illegal tool names are replaced by unique legal names with a hash', () => {
  const long = 'x'.repeat(100)
  const names = named(`${long}a`, `${long}b`, 'holler_a.b', 'holler_a/b', 'naïve')
  expect(new Set(Object.values(names)).size).toBe(5)
  for (const name of Object.values(names)) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
  expect(names['holler_a.b']).toMatch(/^holler_a_b_[0-9a-f]{8}$/)
})

test('every tool name begins with a letter or an underscore', () => {
  for (const name of Object.values(named('2fa', '-x', '_ok'))) expect(name).toMatch(/^[A-Za-z_]/)
})

test('a tool with the id find_tools is renamed', () => {
  expect(named('find_tools')['find_tools']).toMatch(/^find_tools_[0-9a-f]{8}$/)
})

test('tools named like object properties keep their names', () => {
  expect(
    nameTools(['constructor', '__proto__'].map((id) => sampleTool(id))).map((tool) => tool.name),
  ).toEqual(['constructor', '__proto__'])
})

test('tool names are unique, legal and independent of the order of the ids', () => {
  const id = fc.oneof(
    fc.string({ maxLength: 80, unit: 'grapheme' }),
    fc.constantFrom(...'look|sshawl_look|a.b|a/b|a_b|sshawl_||find_tools|find_tools_1c89db1e'.split('|')),
  )
  fc.assert(
    fc.property(fc.uniqueArray(id, { maxLength: 12 }), fc.func(fc.integer()), (ids, order) => {
      const tools = nameTools(ids.map((one) => sampleTool(one)))
      const shuffled = nameTools(ids.toSorted((a, b) => order(a) - order(b)).map((one) => sampleTool(one)))
      expect(tools.map((tool) => tool.id)).toEqual(ids)
      expect(new Set(tools.map((tool) => tool.name)).size).toBe(ids.length)
      for (const tool of tools) {
        expect(tool.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
        expect(shuffled.find((other) => other.id === tool.id)?.name).toBe(tool.name)
      }
    }),
    { numRuns: runs(2000) },
  )
})

const tools = catalogue(
  sampleTool('read_file'),
  sampleTool('glob', { yields: true }),
  sampleTool('grep', { yields: true }),
  sampleTool('google_search', { unavailable: 'no search provider' }),
  sampleTool('Glob', { group: 'wrapped' }),
  sampleTool('Grep', { group: 'wrapped', unavailable: 'no program grep' }),
  sampleTool('Read', { group: 'wrapped', aliasOf: ['read_file'] }),
  sampleTool('See', { group: 'wrapped', aliasOf: ['Read', 'read_file'] }),
  sampleTool('Search', { group: 'wrapped', aliasOf: ['google_search'], unavailable: 'no search provider' }),
)

const only = (...ids: readonly string[]) => tools.filter(({ id }) => ids.includes(id))
const offeredIds = (visible: readonly CatalogueTool[]) =>
  uniqueTools(visible).offered.map(({ tool }) => tool.id)

test('an alias is offered instead of its tool, and unavailable tools are left out', () => {
  expect(
    uniqueTools(tools).offered.map(({ tool, aliases }) => [tool.id, aliases.map(({ id }) => id)]),
  ).toEqual([
    ['grep', []],
    ['Glob', ['glob']],
    ['Read', ['read_file', 'See']],
  ])
})

test('every tool that is not offered has one reason', () => {
  expect(uniqueTools(tools).left.map(({ tool, reason }) => [tool.id, reason])).toEqual([
    ['read_file', 'Read stands for it'],
    ['glob', 'Glob stands for it'],
    ['google_search', 'cannot run here: no search provider'],
    ['Grep', 'cannot run here: no program grep'],
    ['See', 'Read stands for it'],
    ['Search', 'cannot run here: no search provider'],
  ])
})

test('a tool replaces another tool only if both are in scope', () => {
  expect(offeredIds(only('read_file'))).toEqual(['read_file'])
  expect(offeredIds(only('read_file', 'See'))).toEqual(['See'])
  expect(offeredIds(only('glob'))).toEqual(['glob'])
})

test('two tools whose names differ only in case are both offered', () => {
  expect(offeredIds(catalogue(sampleTool('Deploy'), sampleTool('deploy')))).toEqual(['Deploy', 'deploy'])
})

test('every tool in any scope is offered, replaced or left out with a reason', () => {
  fc.assert(
    fc.property(fc.subarray([...tools]), (visible) => {
      const { offered, left } = uniqueTools(visible)
      const stoodFor = offered.flatMap(({ aliases }) => aliases)
      expect(new Set([...offered.map(({ tool }) => tool), ...left.map(({ tool }) => tool)])).toEqual(
        new Set(visible),
      )
      expect(offered.length + left.length).toBe(visible.length)
      expect(left.filter(({ tool }) => tool.unavailable === undefined).map(({ tool }) => tool)).toEqual(
        visible.filter((tool) => stoodFor.includes(tool)),
      )
      // What is offered stays so when only that is in scope.
      expect(offeredIds(offered.map(({ tool }) => tool))).toEqual(offered.map(({ tool }) => tool.id))
    }),
  )
})
