import { expect, it } from 'vitest'
import {
  createChat,
  createToolbox,
  defineTool,
  executeTools,
  ok,
  type ChatError,
  type PermissionRequest,
  type Tool,
  type ToolMessage,
} from '../../../../src/index.ts'
import { createDeferred } from '../../../../src/base/jobs/waiting.ts'
import { call, fail, hangs, say, scriptedModel } from '../../../support/scripted-model.ts'
import { tool } from '../../../support/turn-world.ts'

const NOTE = { note: { type: 'string', description: 'The note.' } } as const
const writes = (ran: string[] = []): Tool =>
  defineTool({
    id: 'keep',
    description: 'Keeps a note.',
    access: 'write',
    parameters: NOTE,
    run: ({ note }) => {
      ran.push(note)
      return `kept ${note}`
    },
  })

/** The contents of all replies to calls. */
const replies = (chat: { readonly messages: readonly object[] }): readonly string[] =>
  chat.messages.flatMap((message) => ('content' in message ? [String(message.content)] : []))
const roles = (chat: { readonly messages: readonly { role: string }[] }): readonly string[] =>
  chat.messages.map(({ role }) => role)
const errorOf = (promise: Promise<unknown>): Promise<ChatError> =>
  promise.then(
    () => Promise.reject(new Error('it resolved')),
    (error: ChatError) => error,
  )

it('executeTools accepts object arguments, and only a call with unserializable ones fails', async () => {
  const ring: Record<string, unknown> = {}
  ring['ring'] = ring
  const given = [{ note: 'milk' }, ring, undefined, '{"note":"tea"}']
  const toolbox = createToolbox({ tools: [writes()], permissions: { request: async () => 'allow' } })
  const calls = given.map((args, id) => ({ id: `${id}`, name: 'keep', arguments: args as string }))
  const contents = (await executeTools(calls, { toolbox })).map(({ content }) => content)
  expect(contents).toEqual([
    'kept milk',
    expect.stringMatching(/^ERROR: keep: the arguments cannot be written as JSON/),
    'ERROR: keep: note is required (a string)',
    'kept tea',
  ])
})

it('executeTools gives one reply per call, in order, whatever fails', async () => {
  const throws = tool('throws', () => Promise.reject(new Error('boom\u001b[2J')))
  const slow = tool('slow', () => new Promise(() => {}))
  const long = tool('long', () => ok('x'.repeat(5000)))
  const odd = tool('odd', () => JSON.parse('7'))
  const limits = { timeoutMs: 20, outputLines: 10, outputBytes: 1000 }
  const tools = [throws, slow, long, odd, writes(), tool('echo')]
  const toolbox = createToolbox({ tools, context: { limits } })
  const asked = ['nope', 'throws', 'slow', 'keep', 'long', 'odd', 'echo', 'echo'].map((name, index) => ({
    ...{ id: String(index), name, arguments: index === 7 ? '[' : '{"note":"a\u200bb"}' },
  }))
  const given = await executeTools(asked, { toolbox })
  expect(given.map((reply) => reply.call)).toEqual(asked.map(({ id }) => id))
  expect(given.map(({ content }) => content.slice(0, 90))).toEqual([
    expect.stringMatching(/^ERROR: You requested a tool called 'nope', however we only have/),
    'ERROR: throws: boom',
    'ERROR: slow: no answer after 0.02 s; it was stopped',
    expect.stringMatching(/^ERROR: Permission denied: use keep \{"note":"ab"\}\? \(nobody can be asked/),
    'x'.repeat(90),
    'ERROR: odd: it gave back neither a text nor { content, isError }',
    '{"note":"ab"}',
    expect.stringMatching(/^ERROR: echo: the arguments are not valid JSON/),
  ])
  expect(given[4]!.content).toMatch(/x\n\[cut here: 5000 characters came, and no more than 1000 are kept\]$/)
})

it('executeTools runs no further call after an abort', async () => {
  const stop = new AbortController()
  const ran: string[] = []
  const stops = tool('stops', async (_args, { signal }) => {
    stop.abort(new Error('enough'))
    return ok(String(signal.aborted))
  })
  const toolbox = createToolbox({
    tools: [stops, writes(ran)],
    permissions: { request: async () => 'allow' },
  })
  const calls = ['stops', 'keep'].map((name) => ({ id: name, name, arguments: '{"note":"x"}' }))
  await expect(executeTools(calls, { toolbox, signal: stop.signal })).rejects.toThrow('enough')
  expect(ran).toEqual([])
})

it('a toolbox refuses two tools with one id and keeps its tools if a rebuild is refused', async () => {
  expect(() => createToolbox({ tools: [tool('a'), tool('a')] })).toThrow('two tools have the id a')
  const toolbox = createToolbox({ tools: [tool('a')] })
  expect(() => toolbox.rebuild({ tools: [tool('b'), tool('b')] })).toThrow('two tools have the id b')
  expect(toolbox.definitions().map(({ name }) => name)).toEqual(['a'])
})

it('a toolbox sends its provider the full permission request, but none for a read tool', async () => {
  const asked: PermissionRequest[] = []
  const permissions = { request: async (one: PermissionRequest) => (asked.push(one), 'allow' as const) }
  const toolbox = createToolbox({ tools: [writes(), tool('reads')], permissions, context: { caller: 'me' } })
  const calls = ['reads', 'keep'].map((name) => ({ id: name, name, arguments: '{"note":"x"}' }))
  expect((await executeTools(calls, { toolbox })).at(-1)?.content).toBe('kept x')
  expect(asked).toMatchObject([
    { tool: 'keep', access: 'write', target: '{"note":"x"}', requester: { name: 'me' }, room: 'program' },
  ])
})

it('a chat shows its tools the conversation, and their notices become notes that no model reads', async () => {
  const looks = tool('looks', async (_args, { chat, addMessage }) => {
    await addMessage({ kind: 'notice', level: 'info', author: 'x', text: 'looking\u0007' })
    return ok(`${chat.model?.name}: ${chat.messages.map(({ role }) => role).join()}`)
  })
  const model = scriptedModel(call(['looks', {}]), say('done'), say('bye'))
  const chat = createChat({ model, name: 'qwen', system: 'Be kind.', tools: [looks] })
  expect(await chat.send('look')).toEqual({ text: 'done', reason: 'stop', usage: { input: 20, output: 2 } })
  expect(replies(chat)).toEqual(['qwen: user,assistant,note'])
  expect(chat.messages[2]).toEqual({ role: 'note', author: 'qwen', text: 'looking' })
  await chat.send('bye\u202e')
  expect(model.requests[2]).toMatchObject({
    prompt: { system: 'Be kind.', message: 'look' },
    messages: [{ role: 'assistant' }, { role: 'tool' }, { role: 'assistant', text: 'done' }, { text: 'bye' }],
  })
})

it('a chat takes the first reply of its listeners to a call, or an error if there is none', async () => {
  const model = scriptedModel(call(['a', {}], ['b', {}], ['c', {}], ['d', {}]), say('done'))
  const chat = createChat({ model, tools: [tool('a')] })
  const seen: number[] = []
  chat.on('toolCallRequested', async ({ id, name }, given: ToolMessage[]) => {
    await Promise.resolve()
    seen.push(given.length)
    const reply = (content: string): ToolMessage => ({ role: 'tool', call: id, name: 'other', content })
    if (name === 'a') given.push(reply('one\u0007'), reply('two'))
    if (name === 'b') throw new Error('no')
    if (name === 'd') given.push({ role: 'tool', call: 'never-asked', name, content: 'x' })
  })
  await chat.send('go')
  expect(seen).toEqual([0, 2, 2, 2])
  expect(replies(chat)).toEqual([
    'one',
    'ERROR: b: no',
    'ERROR: c: it was not answered',
    'ERROR: d: it was not answered',
  ])
  expect(chat.messages.flatMap((one) => (one.role === 'tool' ? [one.name] : []))).toEqual([
    'a',
    'b',
    'c',
    'd',
  ])
})

it('a chat that is stopped while a listener runs drops the step and can go on', async () => {
  const stop = new AbortController()
  const model = scriptedModel(call(['a', {}], ['b', {}]), say('done'))
  const chat = createChat({ model })
  const end = chat.on('toolCallRequested', async ({ id, name }, given) => {
    if (name === 'a') return void given.push({ role: 'tool', call: id, name, content: 'x' })
    stop.abort(new Error('enough'))
    await new Promise(() => {})
  })
  await expect(chat.send('go', stop.signal)).rejects.toThrow('enough')
  expect(roles(chat)).toEqual(['user'])
  end()
  expect(await chat.sendAppend([])).toMatchObject({ text: 'done' })
})

it('a chat keeps the user message if the model fails, and sendAppend asks again', async () => {
  const model = scriptedModel(fail(new Error('gone'), 'half'), say('whole'))
  const chat = createChat({ model })
  await expect(chat.send('go')).rejects.toThrow('gone')
  expect(roles(chat)).toEqual(['user'])
  expect((await chat.sendAppend([])).text).toBe('whole')
})

it('a chat refuses an empty text, a start without a user message and a concurrent answer', async () => {
  const stop = new AbortController()
  const model = scriptedModel(hangs('…'), say('ok'))
  const chat = createChat({ model })
  expect((await errorOf(chat.send(' \u200b\n'))).message).toBe('there is nothing to send: the text is empty')
  expect((await errorOf(chat.sendAppend([]))).message).toContain('begins with what its user says')
  const first = chat.send('one', stop.signal)
  expect((await errorOf(chat.send('two'))).name).toBe('ChatError')
  stop.abort(new Error('enough'))
  await expect(first).rejects.toThrow('enough')
  expect(roles(chat)).toEqual(['user'])
  expect(await chat.send('three')).toMatchObject({ text: 'ok' })
})

it('a chat stops a model that repeats a call or uses all its steps', async () => {
  const again = call(['a', {}])
  const circling = createChat({ model: scriptedModel(again, again, again), tools: [tool('a')] })
  expect((await errorOf(circling.send('go'))).message).toMatch(/called a 3 times with the same arguments/)
  expect(roles(circling)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool'])
  const many = createChat({ model: scriptedModel(again, again), tools: [tool('a')], limits: { steps: 2 } })
  expect((await errorOf(many.send('go'))).message).toMatch(/used all 2 steps/)
})

it('a chat offers rebuilt tools from the next step on and refuses removed ones immediately', async () => {
  const swap = tool('swap', () => {
    chat.rebuildTools({ tools: [tool('fresh')] })
    return ok('swapped')
  })
  const model = scriptedModel(call(['swap', {}], ['old', {}]), say('done'))
  const chat = createChat({ model, tools: [swap, tool('old')], scope: ['swap', 'old'] })
  await chat.send('go')
  expect(replies(chat)[1]).toContain(
    "You requested a tool called 'old', however we only have these tools: 'fresh'",
  )
  expect(model.requests[1]?.tools.map(({ name }) => name)).toEqual(['fresh'])
})

it('a chat emits the text in sanitized pieces and every message once', async () => {
  const held = createDeferred<void>()
  const model = scriptedModel(say('a\u001b[3', '1mb', 'c'))
  const chat = createChat({ model })
  const pieces: string[] = []
  const told: string[] = []
  chat.on('text', (piece) => {
    pieces.push(piece)
    held.resolve()
  })
  chat.on('message', ({ role }) => void told.push(role))
  const { text } = await chat.send('go')
  await held.promise
  expect([text, pieces.join('')]).toEqual(['abc', 'abc'])
  expect(told).toEqual(['user', 'assistant'])
})

const asks = tool('asks', async (_args, { chat }) => {
  const { text, usage } = await chat.model!.ask([...chat.messages, { role: 'user', text: 'and 2 and 3?' }])
  return ok(`${String(chat.model)} said ${text} for ${usage?.output}`)
})

it('a tool that asks the model gets the answer, and its tokens count in the total usage', async () => {
  const model = scriptedModel(call(['asks', {}]), say('5'), say('done'))
  const chat = createChat({ model, name: 'qwen', tools: [asks] })
  expect(await chat.send('2 and 2?')).toEqual({
    text: 'done',
    reason: 'stop',
    usage: { input: 30, output: 3 },
  })
  expect(replies(chat)).toEqual(['qwen said 5 for 1'])
  expect(model.requests[1]).toMatchObject({
    prompt: { context: 'The conversation so far:\nwas asked: 2 and 2?', message: 'and 2 and 3?' },
    messages: [],
    tools: [],
  })
  expect(roles(chat)).toEqual(['user', 'assistant', 'tool', 'assistant'])
})

it("a model request of a tool is aborted together with the chat's answer", async () => {
  const stop = new AbortController()
  const model = scriptedModel(call(['asks', {}]), hangs('…'))
  const chat = createChat({ model, tools: [asks] })
  const answer = chat.send('2 and 2?', stop.signal)
  await model.arrived(2)
  stop.abort(new Error('enough'))
  await expect(answer).rejects.toThrow('enough')
})

const chat = () => createChat({ model: scriptedModel(say('ok')) })

it.each([
  ['hi', 'messages must be an array, got "hi"'],
  [[null], 'messages[0] must be an object, got null'],
  [[{}], `messages[0].role must be one of 'user', 'assistant', 'tool', 'note', got nothing`],
  [
    [
      { role: 'user', text: 'x' },
      { role: 'assistant', text: 'y' },
    ],
    'messages[1].calls must be an array, got nothing',
  ],
  [
    [{ role: 'assistant', text: 'y', calls: [{ id: '1', name: 'a', arguments: { q: 1 } }] }],
    'messages[0].calls[0].arguments must be a string, got {"q":1}',
  ],
  [[{ role: 'tool', name: 'a', content: 'x' }], 'messages[0].call must be a string, got nothing'],
])('sendAppend refuses %j and names the wrong field', async (messages, problem) => {
  const refusing = chat()
  const error = await errorOf(refusing.sendAppend(messages as []))
  expect([error.name, error.message]).toEqual(['ChatError', problem])
  expect(refusing.messages).toEqual([])
  expect(await refusing.send('still there?')).toMatchObject({ text: 'ok' })
})

it('sendAppend accepts messages of every role', async () => {
  const whole = chat()
  await whole.sendAppend([
    { role: 'user', text: 'hi' },
    { role: 'assistant', text: '', calls: [{ id: '1', name: 'a', arguments: '{}' }] },
    { role: 'tool', call: '1', name: 'a', content: 'x' },
    { role: 'note', author: 'me', text: 'y' },
  ])
  expect(roles(whole)).toEqual(['user', 'assistant', 'tool', 'note', 'assistant'])
})

it('a chat refuses to send a value that is not text', async () => {
  const chat = createChat({ model: scriptedModel() })
  expect((await errorOf(chat.send(7 as unknown as string))).message).toBe(
    'messages[0].text must be a string, got 7',
  )
})
