import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { uniqueTools } from '../../../src/prompt/tool-names.ts'
import type { CatalogueTool } from '../../../src/prompt/snapshot.ts'
import { catalogue, sampleTool } from '../../support/snapshot.ts'

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

describe('each function is offered once', () => {
  test('by an alias where there is one, and by what can run here', () => {
    expect(
      uniqueTools(tools).offered.map(({ tool, aliases }) => [tool.id, aliases.map(({ id }) => id)]),
    ).toEqual([
      ['grep', []],
      ['Glob', ['glob']],
      ['Read', ['read_file', 'See']],
    ])
  })

  test('with one reason for each tool that is not', () => {
    expect(uniqueTools(tools).left.map(({ tool, reason }) => [tool.id, reason])).toEqual([
      ['read_file', 'Read stands for it'],
      ['glob', 'Glob stands for it'],
      ['google_search', 'cannot run here: no search provider'],
      ['Grep', 'cannot run here: no program grep'],
      ['See', 'Read stands for it'],
      ['Search', 'cannot run here: no search provider'],
    ])
  })

  test('a tool stands for another one only where both are in scope', () => {
    expect(offeredIds(only('read_file'))).toEqual(['read_file'])
    expect(offeredIds(only('read_file', 'See'))).toEqual(['See'])
    expect(offeredIds(only('glob'))).toEqual(['glob'])
  })

  test('two tools whose names differ only in case are two, unless one of them yields', () => {
    expect(offeredIds(catalogue(sampleTool('Deploy'), sampleTool('deploy')))).toEqual(['Deploy', 'deploy'])
  })

  test('whatever is in scope, each tool is offered, stood for, or left with a reason', () => {
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
})
