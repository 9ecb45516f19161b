import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  callTool,
  createChat,
  createContext,
  createToolbox,
  defineTool,
  executeTools,
  openWorkspace,
  type PermissionRequest,
  type ToolContext,
} from '../../../src/index.ts'
import { forAllTests } from '../../support/for-all-tests.ts'
import { temporaryDir } from '../../support/storage.ts'
import { calls, says } from '../../support/model-server.ts'
import { call, say, scriptedModel } from '../../support/scripted-model.ts'
import { createModelStageHere } from '../../support/stage.ts'
import { allowAll, bundled, callOne, fixture, lastReply, rhea } from './support.ts'

const place = (await forAllTests(temporaryDir())).path
const modules = JSON.stringify([fixture('module.js')])
const stage = await forAllTests(createModelStageHere(`[tools]\nmodules = ${modules}\n`, { isShared: true }))
await stage.claim('rhea')

/** A tool that does this with its context. */
const uses = (work: (context: ToolContext) => Promise<string> | string, access: 'read' | 'write' = 'read') =>
  defineTool({
    id: 'visit',
    description: 'A test.',
    access,
    parameters: {},
    run: (_args, context) => work(context),
  })
const permission = { tool: 'visit', access: 'network', target: 'example.org', detail: 'example.org' } as const
const asksInside = uses(
  async ({ permissions, requester, room, signal }) =>
    await permissions
      .request({ ...permission, requester: requester.person, room, signal })
      .then((verdict) => `the answer is ${JSON.stringify(verdict)}`),
)
const note = (text: string) => ({ kind: 'notice', level: 'info', author: 'visit', text }) as const
const tells = uses(async ({ addMessage }) => {
  await addMessage(note('nearly there'))
  return 'done'
})

test('a tool runs in a program that has no server, no room and no turn', async () => {
  expect(await callOne(uses(({ chat }) => `in a turn: ${chat.turn !== undefined}`))).toBe('in a turn: false')
})

test('a tool reads the conversation and the name of the model that calls it from its context', async () => {
  const looks = uses(
    ({ chat }) => `${chat.model?.name} has read: ${chat.messages.map(({ role }) => role).join()}`,
  )
  const chat = createChat({
    model: scriptedModel(call(['visit', {}]), say('bye')),
    name: 'oak',
    tools: [looks],
  })
  await chat.send('hello')
  expect(chat.messages[2]).toMatchObject({ content: 'oak has read: user,assistant' })
})

test('a tool can ask the model that calls it a question', async () => {
  const asks = uses(async ({ chat }) => (await chat.model!.ask([{ role: 'user', text: 'a word?' }])).text)
  const model = scriptedModel(call(['visit', {}]), say('moss'), say('bye'))
  const chat = createChat({ model, name: 'oak', tools: [asks] })
  await chat.send('hello')
  expect(chat.messages[2]).toMatchObject({ content: 'moss' })
  expect(JSON.stringify(model.requests[1])).toContain('a word?')
})

test('callTool without a context runs a read tool and denies a write tool', async () => {
  expect(
    await callTool(
      uses(() => 'read'),
      {},
      {},
    ),
  ).toMatchObject({ content: 'read', isError: false })
  expect(
    await callTool(
      uses(() => 'written', 'write'),
      {},
      {},
    ),
  ).toMatchObject({ content: expect.stringMatching(/^ERROR: Permission denied: /), isError: true })
  expect(await callTool(asksInside, {}, createContext({ permissions: allowAll }))).toMatchObject({
    content: 'the answer is "allow"',
  })
})

test('a running tool can ask the permission provider of its context', async () => {
  expect(await callOne(asksInside, {}, { permissions: allowAll })).toBe('the answer is "allow"')
  const permissions = { request: async ({ target }: PermissionRequest) => ({ why: `not ${target}` }) }
  expect(await callOne(asksInside, {}, { permissions })).toBe('the answer is {"why":"not example.org"}')
})

test('a message of a tool reaches the program that runs it', async () => {
  const told: unknown[] = []
  const context = { addMessage: (entry: unknown) => void told.push(entry) }
  expect(await callOne(tells, {}, { context })).toBe('done')
  expect(told).toEqual([note('nearly there')])
})

test('a message of a tool becomes a note of its chat and is not sent to the model', async () => {
  const model = scriptedModel(call(['visit', {}]), say('bye'))
  const chat = createChat({ model, name: 'oak', tools: [tells] })
  const heard: unknown[] = []
  chat.on('message', (message) => heard.push(message))
  await chat.send('go')
  expect(heard).toContainEqual({ role: 'note', author: 'oak', text: 'nearly there' })
  expect(chat.messages).toEqual(heard)
  expect(JSON.stringify(model.requests)).not.toContain('nearly there')
})

test('a message of a tool in a room becomes a notice of the room', async () => {
  stage.models.play(calls('announce', { text: 'tea is ready' }), says('fine'))
  await rhea(stage, 'ask', 'lobby', '@qwen', 'go')
  expect(lastReply(stage)).toBe('announced for qwen')
  expect(await rhea(stage, 'history', 'lobby', '--json')).toMatch(/"kind":"notice".*"tea is ready"/)
})

test('a toolbox without a permission provider runs a read tool and denies a write tool', async () => {
  expect(await callOne(uses(() => 'read'))).toBe('read')
  expect(await callOne(uses(() => 'written', 'write'))).toMatch(/^ERROR: Permission denied: /)
})

test('a permission provider that allows a call gets its tool, its access and its target', async () => {
  const asked: PermissionRequest[] = []
  const permissions = { request: async (one: PermissionRequest) => (asked.push(one), 'allow' as const) }
  const context = { caller: 'cron' }
  expect(
    await callOne(
      uses(() => 'written', 'write'),
      {},
      { permissions, context },
    ),
  ).toBe('written')
  expect(asked).toMatchObject([{ tool: 'visit', access: 'write', target: '{}', requester: { name: 'cron' } }])
})

test('read_file reports that its program gives it no files', async () => {
  const reply = await callOne(bundled('read_file'), { file_path: 'a.txt' })
  expect(reply).toMatch(/^ERROR: read_file: this program gives its tools no files/)
})

test('write_file works in the directory that a program opens', async () => {
  await using workspace = openWorkspace({ directory: place, backups: `${place}-backups` })
  const args = { file_path: 'note.txt', content: 'milk\n' }
  await callOne(bundled('write_file'), args, { context: { workspace }, permissions: allowAll })
  expect(await readFile(join(place, 'note.txt'), 'utf8')).toBe('milk\n')
})

test('the same tool gives a model, a person and a program the same result', async () => {
  const args = { expression: '7*8' }
  stage.models.play(calls('calculator', args), says('fine'))
  await rhea(stage, 'ask', 'lobby', '@qwen', 'count')
  const toolbox = createToolbox({ tools: [bundled('calculator')] })
  const asked = [{ id: '1', name: 'calculator', arguments: JSON.stringify(args) }]
  expect([
    lastReply(stage),
    (await rhea(stage, 'run', 'lobby', 'calculator', JSON.stringify(args))).trim(),
    (await executeTools(asked, { toolbox }))[0]!.content,
  ]).toEqual(['56', '56', '56'])
})
