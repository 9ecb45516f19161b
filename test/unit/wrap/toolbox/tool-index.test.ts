import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createToolIndex } from '../../../../src/wrap/toolbox/tool-index.ts'
import { anyTools } from '../../../support/any-tools.ts'
import { runs } from '../../../support/runs.ts'
import { catalogue, sampleTool } from '../../../support/snapshot.ts'

const tools = catalogue(
  sampleTool('Grep', { description: 'Search the text of files for a pattern' }),
  sampleTool('Glob', { description: 'Find files by their names' }),
  sampleTool('file_stats', { description: 'Sizes and times' }),
  sampleTool('sshawl_search', { description: 'Search what was said in this room' }),
  sampleTool('hub_createPullRequest', { description: 'Opens one from a branch' }),
  sampleTool('hub_delete_employee', { description: 'Takes somebody off the list of staff' }),
  sampleTool('geo_at', {
    description: '天気予報を調べる',
    schema: { type: 'object', properties: { latitude: { type: 'number' } } },
  }),
  sampleTool('tool_042', { description: '' }),
)
const find = createToolIndex()
const found = async (query: string): Promise<readonly string[]> =>
  (await find(query, tools)).map(({ name }) => name)

test.each([
  ['grep', ['Grep']],
  ['sshawl_search', ['search']],
  ['search', ['search', 'Grep']],
  ['file search', ['search', 'file_stats', 'Grep', 'Glob']],
  ['tool_42', ['tool_042']],
  ['weather', []],
  ['', []],
  ['the, of and what?', []],
  ['!!! ???', []],
  ['.*', []],
  ['__proto__ constructor toString', []],
])('a tool search for %j finds %j', async (query, names) => {
  expect(await found(query)).toEqual(names)
})

test.each([
  ['a name in camel case, by its words', 'open a pull request', 'hub_createPullRequest'],
  ['a name in camel case, written in snake case', 'create_pull_request', 'hub_createPullRequest'],
  ['a name in snake case, written in camel case', 'deleteEmployee', 'hub_delete_employee'],
  ['words of which only the beginning is there', 'pull req', 'hub_createPullRequest'],
  ['misspelt words', 'delet employe', 'hub_delete_employee'],
  ['the names of parameters', 'latitude', 'geo_at'],
  ['a language without blanks', '天気', 'geo_at'],
  ['capitals', 'GREP', 'Grep'],
])('a tool search finds %s', async (_, query, name) => {
  expect((await found(query))[0]).toBe(name)
})

test('a tool search ranks a tool named in the query before one with more matching words', async () => {
  const some = catalogue(
    sampleTool('read_file', { description: 'Gives a text.' }),
    sampleTool('file_read_file_reader', { description: 'Reads: a file reader to read a file.' }),
  )
  const [first] = await find('how do I call read_file to read a file', some)
  expect(first?.name).toBe('read_file')
})

test('a tool search gives rare words more weight and keeps the order of equal tools', async () => {
  const many = catalogue(
    ...Array.from({ length: 500 }, (_, index) =>
      sampleTool(`s${index}_delete_issue`, { description: `Deletes an issue of a tracker.` }),
    ),
    sampleTool('zz_delete_invoice', { description: 'Deletes an invoice of a tracker.' }),
  )
  const names = (await find('delete invoice', many)).map(({ name }) => name)
  expect(names[0]).toBe('zz_delete_invoice')
  const all = (await find('delete', many)).map(({ name }) => name)
  expect(all).toEqual((await createToolIndex()('delete', many)).map(({ name }) => name))
  expect(all.filter((name) => name.startsWith('s'))).toEqual(many.slice(0, 500).map(({ name }) => name))
})

test('a tool search finds only visible tools and is not influenced by hidden ones', async () => {
  const visible = tools.filter(({ id }) => id !== 'Grep')
  expect((await find('grep search', visible)).map(({ name }) => name)).toEqual(['search'])
  expect(await find('grep search', visible)).toEqual(await createToolIndex()('grep search', visible))
  expect((await found('grep search'))[0]).toBe('Grep')
})

test('a tool search reads the description of a tool once for many searches', async () => {
  let reads = 0
  const [tool] = catalogue(sampleTool('once'))
  const counted = {
    ...tool!,
    get description() {
      reads += 1
      return 'Says it once.'
    },
  }
  const search = createToolIndex()
  await Promise.all(['says', 'once', 'it'].map((query) => search(query, [counted])))
  await search('says', [counted])
  expect(reads).toBe(1)
})

test('a tool search accepts a query and a description of any length', async () => {
  expect(await found('grep '.repeat(100_000))).toEqual(['Grep'])
  expect(await found('g'.repeat(100_000))).toEqual([])
  const long = catalogue(sampleTool('long', { description: 'word '.repeat(100_000) }))
  expect(await find('word', long)).toEqual(long)
})

test('a tool search finds every tool by its name, without duplicates, in a stable order', async () => {
  await fc.assert(
    fc.asyncProperty(anyTools, fc.string({ unit: 'grapheme' }), async (some, query) => {
      const search = createToolIndex()
      const results = await search(query, some)
      expect(new Set(results).size).toBe(results.length)
      for (const tool of results) expect(some).toContain(tool)
      expect(await createToolIndex()(query, some)).toEqual(results)
      for (const tool of some.slice(0, 3)) expect((await search(tool.name, some))[0]).toBe(tool)
    }),
    { numRuns: runs(40) },
  )
})
