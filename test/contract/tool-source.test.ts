import { expect, test } from 'vitest'
import { NO_LOG } from '../../src/wrap/embedding/context.ts'
import { createSearch } from '../../src/web/search.ts'
import { createWrappedTools } from '../../src/tools/wrapped/wrapped-tools.ts'
import { paths } from '../../src/base/paths.ts'
import { BUILTIN_IDS, builtinTools } from '../../src/tools/builtin/index.ts'
import { todoTools } from '../../src/turns/room-tools/todo.ts'
import { ROOM_TOOL_IDS, roomTools } from '../../src/turns/room-tools/index.ts'
import type { ToolContext } from '../../src/tools/context.ts'
import type { Tool, ToolSource } from '../../src/tools/tool.ts'
import { localWeb } from '../support/site.ts'
import { createChatParts } from '../support/chat-parts.ts'
import { contextFor } from '../unit/tools/context.ts'
import { toolSourceExam } from './tool-source-exam.ts'

const { rooms, storage } = await createChatParts()
const search = createSearch({ provider: 'searxng', url: 'http://localhost:8888' })
const builtin = builtinTools({
  todo: todoTools(storage.chat.rooms),
  web: { ...localWeb([80]), search },
  results: storage.tools.results,
})

const fixed = (group: ToolSource['group'], tools: readonly Tool[]) => async () => ({
  source: { group, name: group, tools: () => tools },
  bases: [],
  [Symbol.asyncDispose]: async () => {},
})

toolSourceExam('builtin', fixed('builtin', builtin))
toolSourceExam(
  'internal',
  fixed('internal', roomTools({ rooms, log: storage.chat.entries, store: storage.chat.rooms })),
)
toolSourceExam('wrapped', async () => {
  const source = await createWrappedTools({
    dirs: [paths.wrappedTools],
    bases: { tools: builtin, ids: BUILTIN_IDS, kept: [], disabled: [] },
    log: NO_LOG,
  })
  return {
    source,
    bases: BUILTIN_IDS,
    [Symbol.asyncDispose]: async () => await source[Symbol.asyncDispose](),
  }
})

test('the built-in tools are those of BUILTIN_IDS, and fewer without a store', () => {
  expect(builtin.map(({ id }) => id)).toEqual(BUILTIN_IDS)
  const without = ['todo_write', 'todo_read', 'read_fd', 'fd_to_file']
  expect(builtinTools().map(({ id }) => id)).toEqual(BUILTIN_IDS.filter((id) => !without.includes(id)))
})

test('an unavailable built-in tool gives its reason in its listing and to a caller', async () => {
  const tools = builtinTools({ subTurns: false, noCommands: 'bubblewrap is not installed' })
  const cannot = tools.filter(({ unavailable }) => unavailable !== undefined)
  expect(cannot.map(({ id, unavailable }) => [id, unavailable])).toEqual([
    ['run_command', 'bubblewrap is not installed'],
    ['web_fetch', 'the config does not turn reading pages on ([tools.web])'],
    ['google_search', 'no search provider is configured ([tools.web] search)'],
    ['spawn_agent', 'side turns are off ([limits] turn_depth = 0)'],
    ['fork', 'side turns are off ([limits] turn_depth = 0)'],
  ])
  for (const tool of cannot) {
    const { content, isError } = await tool.run({}, contextFor({} as ToolContext['workspace']))
    expect([content, isError]).toEqual([`ERROR: ${tool.id}: ${tool.unavailable}`, true])
  }
})

test('the room tools are those of ROOM_TOOL_IDS', () => {
  expect(
    roomTools({ rooms, log: storage.chat.entries, store: storage.chat.rooms }).map(({ id }) => id),
  ).toEqual(ROOM_TOOL_IDS)
})
