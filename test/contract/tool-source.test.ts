import { expect, test } from 'vitest'
import { createSearch } from '../../src/adapters/web/search/search.ts'
import { createWrappedTools } from '../../src/adapters/wrapped-tools/wrapped-tools.ts'
import { paths } from '../../src/app/paths.ts'
import { BUILTIN_IDS, builtinTools } from '../../src/tools/builtin/index.ts'
import { roomTools } from '../../src/tools/rooms/index.ts'
import type { Tool, ToolSource } from '../../src/tools/tool.ts'
import { localWeb } from '../support/site.ts'
import { createSociety } from '../support/society.ts'
import { toolSourceExam } from './tool-source-exam.ts'

const { chat, storage } = await createSociety()
const search = createSearch({ provider: 'searxng', url: 'http://localhost:8888' })
const builtin = builtinTools({
  todo: storage.rooms,
  web: { ...localWeb([80]), search },
  results: storage.results,
})

const fixed = (group: ToolSource['group'], tools: readonly Tool[]) => async () => ({
  source: { group, name: group, tools: () => tools },
  bases: [],
  [Symbol.asyncDispose]: async () => {},
})

toolSourceExam('builtin', fixed('builtin', builtin))
toolSourceExam('internal', fixed('internal', roomTools({ chat, rooms: storage.rooms })))
toolSourceExam('wrapped', async () => {
  const source = await createWrappedTools({
    dirs: [paths.wrappedTools],
    bases: { tools: builtin, ids: BUILTIN_IDS, disabled: [] },
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
  return {
    source,
    bases: BUILTIN_IDS,
    [Symbol.asyncDispose]: async () => await source[Symbol.asyncDispose](),
  }
})

test('the built-in tools are those of their list, and fewer where something is not configured', () => {
  expect(builtin.map(({ id }) => id)).toEqual(BUILTIN_IDS)
  const without = ['web_fetch', 'google_search', 'todo_write', 'todo_read', 'read_fd', 'fd_to_file']
  expect(builtinTools().map(({ id }) => id)).toEqual(BUILTIN_IDS.filter((id) => !without.includes(id)))
})
