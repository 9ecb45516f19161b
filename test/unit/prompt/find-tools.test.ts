import { describe, expect, test } from 'vitest'
import { findTools } from '../../../src/prompt/find-tools.ts'
import { catalogue, sampleTool } from '../../support/snapshot.ts'

const tools = catalogue(
  sampleTool('Grep', { description: 'Search the text of files for a pattern' }),
  sampleTool('Glob', { description: 'Find files by their names' }),
  sampleTool('file_stats', { description: 'Sizes and times' }),
  sampleTool('sshawl_search', { description: 'Search what was said in this room' }),
)
const found = (query: string): readonly string[] => findTools(query, tools).map((tool) => tool.name)

describe('finding tools', () => {
  test.each([
    ['grep', ['Grep']],
    ['sshawl_search', ['search', 'Grep']],
    ['search', ['search', 'Grep']],
    ['files', ['Grep', 'Glob']],
    ['file search', ['search', 'file_stats', 'Grep', 'Glob']],
    ['weather', []],
    ['', []],
    ['!!! ???', []],
    ['.*', []],
  ])('for %j finds %j', (query, names) => {
    expect(found(query)).toEqual(names)
  })

  test('takes a query of any length', () => {
    expect(found('grep '.repeat(100_000))).toEqual(['Grep'])
  })
})
