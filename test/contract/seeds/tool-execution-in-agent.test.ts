import { join } from 'node:path'
import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import {
  createChat,
  createToolbox,
  defineTool,
  executeTools,
  type Chat,
  type Tool,
  type ToolContext,
} from '../../../src/index.ts'
import { forAllTests } from '../../support/for-all-tests.ts'
import { temporaryDir } from '../../support/storage.ts'
import { calls, says } from '../../support/model-server.ts'
import { call, say, scriptedModel } from '../../support/scripted-model.ts'
import { createModelStageHere } from '../../support/stage.ts'
import { fixture, lastReply, rhea, sentTools } from './support.ts'

const dirs = (await forAllTests(temporaryDir())).path
const tools = `[tools]\ndirs = ["${dirs}"]\nmodules = ["${fixture('module.js')}"]\n`
const stage = await forAllTests(createModelStageHere(tools, { isShared: true }))
await stage.claim('rhea')

const tool = (id: string, work: (context: ToolContext) => string): Tool =>
  defineTool({
    id,
    description: 'A test.',
    access: 'read',
    parameters: {},
    run: (_args, context) => work(context),
  })
const fine = tool('fine', () => 'all well')
const breaks = tool('breaks', () => {
  throw new Error('the pipe burst')
})
const named = (...names: readonly string[]) =>
  names.map((name, index) => ({ id: `id-${index}`, name, arguments: '{}' }))
/** Runs calls of these names with the tools `fine` and `breaks`. */
const execute = async (...names: readonly string[]) =>
  await executeTools(named(...names), { toolbox: createToolbox({ tools: [fine, breaks] }) })
const roles = ({ messages }: Chat): string => messages.map(({ role }) => role).join()
/** What the model of the room calls, and the room's entries that came of it. */
async function inRoom(name: string, args: object): Promise<readonly Record<string, unknown>[]> {
  stage.models.play(calls(name, args), says('fine'))
  await rhea(stage, 'ask', 'lobby', '@qwen', 'go')
  const lines = (await rhea(stage, 'history', 'lobby', '-n', '3', '--json')).trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('every call of a step gets one reply with its id and its name, in the order of the calls', async () => {
  expect(await execute('fine', 'fine')).toEqual([
    { role: 'tool', call: 'id-0', name: 'fine', content: 'all well' },
    { role: 'tool', call: 'id-1', name: 'fine', content: 'all well' },
  ])
})

test('a call of an unknown tool is answered with the available tools, and the next call runs', async () => {
  const [unknown, next] = await execute('fime', 'fine')
  expect(unknown!.content).toBe(
    "ERROR: You requested a tool called 'fime', however we only have these tools: 'fine', 'breaks'",
  )
  expect(next!.content).toBe('all well')
})

test('a tool that throws gives an error reply, and the next call runs', async () => {
  const contents = (await execute('breaks', 'fine')).map(({ content }) => content)
  expect(contents).toEqual(['ERROR: breaks: the pipe burst', 'all well'])
})

test('people in a room see a tool call, then its result, then the answer', async () => {
  await using alice = await stage.open('alice', '-T')
  await alice.waitFor('alice joined')
  const from = alice.output().length
  const entries = await inRoom('calculator', { expression: '6*7' })
  await alice.waitFor(/calculator[^]*42/, from)
  expect(entries).toMatchObject([
    { kind: 'tool_call', author: 'qwen', name: 'calculator', requester: 'rhea' },
    { kind: 'tool_result', isError: false, text: '42' },
    { kind: 'reply', author: 'qwen', text: 'fine' },
  ])
})

test('a result that begins with ERROR: is recorded as an error and sent to the model', async () => {
  const [, result] = await inRoom('grumble', {})
  expect(result).toMatchObject({ kind: 'tool_result', isError: true, text: 'ERROR: not before noon' })
  expect(lastReply(stage)).toBe('ERROR: not before noon')
})

test('a call of an unknown tool is recorded in the room, and its error is sent to the model', async () => {
  expect(await inRoom('reckoner', {})).toMatchObject([
    { kind: 'tool_call', name: 'reckoner' },
    { kind: 'tool_result', isError: true },
    { kind: 'reply', text: 'fine' },
  ])
  expect(lastReply(stage)).toMatch(/^ERROR: You requested a tool called 'reckoner', however/)
})

test('a chat sends the model its calls with the replies until it answers without a call', async () => {
  const model = scriptedModel(call(['fine', {}, 'a']), call(['fine', {}, 'b']), say('bye'))
  const chat = createChat({ model, tools: [fine] })
  expect(await chat.send('go')).toMatchObject({ text: 'bye' })
  expect(model.requests[1]!.messages).toMatchObject([
    { role: 'assistant', calls: [{ id: 'a', name: 'fine' }] },
    { role: 'tool', call: 'a', content: 'all well' },
  ])
  expect(roles(chat)).toBe('user,assistant,tool,assistant,tool,assistant')
})

test('sendAppend appends messages to the conversation and asks the model', async () => {
  const model = scriptedModel(say('hello'), say('I see'))
  const chat = createChat({ model })
  await chat.send('hello')
  expect(await chat.sendAppend([{ role: 'user', text: 'look' }])).toMatchObject({ text: 'I see' })
  expect(model.requests[1]!.messages).toMatchObject([{ text: 'hello' }, { role: 'user', text: 'look' }])
})

test('sendAppend refuses a malformed message and appends none', async () => {
  const chat = createChat({ model: scriptedModel() })
  const wrong = [
    { role: 'user', text: 'a' },
    { role: 'system', text: 'b' },
  ] as never
  await expect(chat.sendAppend(wrong)).rejects.toThrow("messages[1].role must be one of 'user'")
  expect(chat.messages).toEqual([])
})

test('an answer is cancelled by its signal, and no further call runs', async () => {
  const stop = new AbortController()
  const stops = tool('stops', () => (stop.abort(new Error('enough')), 'stopped'))
  const model = scriptedModel(call(['stops', {}, 'a'], ['fine', {}, 'b']))
  const chat = createChat({ model, tools: [stops, fine] })
  const answer = chat.sendAppend([{ role: 'user', text: 'go' }], stop.signal)
  await expect(answer).rejects.toThrow('enough')
  expect(JSON.stringify(chat.messages)).not.toContain('all well')
})

test('a toolCallRequested listener answers calls instead of the tools of the chat', async () => {
  const model = scriptedModel(call(['fine', {}, 'a'], ['ours', {}, 'b']), say('bye'))
  const chat = createChat({ model, tools: [fine] })
  chat.on('toolCallRequested', ({ id, name }, replies) => {
    replies.push({ role: 'tool', call: id, name, content: `${name} by hand` })
  })
  await chat.send('go')
  expect(model.requests[1]!.messages.slice(1)).toMatchObject([
    { call: 'a', content: 'fine by hand' },
    { call: 'b', content: 'ours by hand' },
  ])
})

test('two chats can share a tool, which finds its calling model in its context', async () => {
  const who = tool('who', ({ chat }) => `called by ${chat.model?.name}`)
  const [oak, elm] = ['oak', 'elm'].map((name) =>
    createChat({ model: scriptedModel(call(['who', {}]), say('bye')), name, tools: [who] }),
  )
  await Promise.all([oak!.send('go'), elm!.send('go')])
  expect(oak!.messages[2]).toMatchObject({ content: 'called by oak' })
  expect(elm!.messages[2]).toMatchObject({ content: 'called by elm' })
})

test('rebuildTools replaces the tools of a chat, and calls of old tools are refused', async () => {
  const model = scriptedModel(say('hello'), call(['fine', {}]), say('bye'))
  const chat = createChat({ model, tools: [fine] })
  await chat.send('hello')
  chat.rebuildTools({ tools: [breaks], scope: ['b*'] })
  await chat.send('go')
  expect(model.requests.map(({ tools }) => tools.map(({ name }) => name).join())).toEqual([
    'fine',
    'breaks',
    'breaks',
  ])
  expect(JSON.stringify(chat.messages)).toContain("tool called 'fine', however we only have")
})

test('a new .tool file is offered in a room in use from the next turn on', async () => {
  await inRoom('calculator', { expression: '1' })
  expect(sentTools(stage)).not.toContain('Reckon')
  await writeFile(join(dirs, 'Reckon.tool'), '@name Reckon\n@wrapped calculator\n')
  await expect.poll(() => rhea(stage, 'tools', 'lobby', '--json')).toContain('"Reckon"')
  await inRoom('Reckon', { expression: '6*9' })
  expect(sentTools(stage)).toContain('Reckon')
  expect(lastReply(stage)).toBe('54')
})
