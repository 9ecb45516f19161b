import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWorkspaces } from '../../../src/sandbox/workspaces.ts'
import { paths } from '../../../src/base/paths.ts'
import type { NewEntry, EntryId, RoomName } from '../../../src/words/entry.ts'
import type { PersonId } from '../../../src/words/person.ts'
import { builtinTools } from '../../../src/tools/builtin/index.ts'
import type { PermissionRequest, ToolContext } from '../../../src/tools/context.ts'
import { callTool } from '../../support/call-tool.ts'

/**
 * A program that embeds the tools: no server, no room, no model, no database; only what a context is made of. The
 * tools are the very same.
 */
const nothing = (): void => undefined
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
const policy = new Set(['write_file'])
const asked: PermissionRequest[] = []
const said: NewEntry[] = []
let dir: string
let workspaces: ReturnType<typeof createWorkspaces>

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sshawl-embed-'))
  workspaces = createWorkspaces({ root: dir, searchEntry: paths.fileSearch, mode: 'bubblewrap', log })
})
afterAll(async () => {
  await workspaces[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

function context(): ToolContext {
  const room = 'program' as RoomName
  return {
    room,
    requester: { person: { id: 'me' as PersonId, name: 'me', admin: false, guest: false }, role: 'member' },
    chat: { messages: [] },
    workspace: workspaces.of(room),
    permissions: {
      async request(request) {
        asked.push(request)
        return policy.has(request.tool) ? 'allow' : 'deny'
      },
    },
    async addMessage(entry) {
      said.push(entry)
      return { ...entry, id: 'e' as EntryId, at: 0, room }
    },
    signal: new AbortController().signal,
    limits: { timeoutMs: 10_000, outputLines: 100, outputBytes: 10_000 },
  }
}

const run = (id: string, args: unknown) =>
  callTool(
    builtinTools().find((tool) => tool.id === id)!,
    args,
    context(),
  )

test('built-in tools run in a program that has only a context', async () => {
  expect(await run('calculator', { expression: '6*7' })).toEqual({ content: '42', isError: false })
  expect(await run('write_file', { file_path: 'a.txt', content: 'hello\n' })).toMatchObject({
    isError: false,
  })
  expect(await readFile(join(dir, 'program', 'files', 'a.txt'), 'utf8')).toBe('hello\n')
  expect(await run('read_file', { file_path: 'a.txt' })).toMatchObject({
    content: expect.stringContaining('hello') as string,
  })
})

test('the policy of an embedding program gets the full permission request and decides', async () => {
  asked.length = 0
  expect(await run('run_command', { command: 'echo\nhi' })).toEqual({
    content: "ERROR: Permission denied: run 'echo\nhi'?",
    isError: true,
  })
  expect(asked).toMatchObject([
    { tool: 'run_command', access: 'execute', target: 'echo\nhi', detail: 'echo\nhi', room: 'program' },
  ])
  expect(asked[0]).not.toHaveProperty('model')
  expect(asked[0]).not.toHaveProperty('turn')
})
