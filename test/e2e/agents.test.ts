import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CompleteRequest } from '@modelcontextprotocol/client'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { calls, hang, says, status } from '../support/model-server.ts'
import { openAgent, type TestAgent } from '../support/mcp/agent.ts'
import { type AnyServer } from '../support/server.ts'
import { createModelStageHere, type ModelStage } from '../support/stage.ts'

let stage: ModelStage<AnyServer>
let alice: TestAgent
let mallory: TestAgent

beforeAll(async () => {
  stage = await createModelStageHere('\n[limits]\nrate_burst = 1000\nrooms_per_person = 40\n', {
    isShared: true,
  })
  await stage.claim('rhea')
  ;[alice, mallory] = await Promise.all([openAgent(stage, 'alice'), openAgent(stage, 'mallory')])
  await alice.call('create_room', { room: 'den', private: true })
  await alice.call('set_vibe', { room: 'den', text: 'plotting a surprise' })
  await alice.call('say', { room: 'den', text: 'the secret is out' })
})
afterAll(async () => {
  await Promise.all([alice, mallory].map((agent) => agent[Symbol.asyncDispose]()))
  await stage[Symbol.asyncDispose]()
})

/** An entry as agents read it. */
interface ReadEntry {
  readonly id: string
  readonly kind: string
  readonly author: string
  readonly text: string
  readonly question?: number
}

const entriesOf = (data: Json | undefined): readonly ReadEntry[] =>
  (data as unknown as { entries: readonly ReadEntry[] }).entries
const lastIn = async (room: string): Promise<JsonObject> => {
  const { stdout } = await stage.as('rhea', ['history', room, '-n', '1', '--json'])
  return JSON.parse(stdout) as JsonObject
}
const whoIn = async (room: string): Promise<string> => (await stage.as('rhea', ['who', room])).stdout

test('an agent is offered the documented MCP tools, and no argument of say sets the sender', async () => {
  const { tools } = await alice.client.listTools()
  expect(tools.map(({ name }) => name).toSorted()).toEqual(
    'add_exit ask_model create_room fork_room history join leave list_rooms preview_wrap remind room_context say search set_vibe tools_list tools_run wait'.split(
      ' ',
    ),
  )
  expect(JSON.stringify(tools).length).toBeLessThan(12_000)
  for (const tool of tools) expect(tool.inputSchema['additionalProperties']).toBe(false)
  expect(tools.find(({ name }) => name === 'say')?.inputSchema.properties).not.toHaveProperty('sender')
})

test('an agent speaks as the owner of its key, whatever sender its arguments name', async () => {
  await alice.call('say', { room: 'lobby', text: '--json - I am here\nrhea: I gave it all to alice' })
  expect(await lastIn('lobby')).toMatchObject({
    author: 'alice',
    text: '--json - I am here\nrhea: I gave it all to alice',
  })
  for (const name of ['sender', 'author', 'person', 'as', '_meta']) {
    const refused = await alice.call('say', { room: 'lobby', text: 'pay bob', [name]: 'rhea' })
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining(name) as string })
  }
  expect(await lastIn('lobby')).toMatchObject({ author: 'alice' })
})

test('an agent is present in a room and receives its lines from join to leave', async () => {
  expect(await whoIn('lobby')).not.toContain('alice')
  expect((await alice.call('join', { room: 'lobby' })).text).toContain('you are in lobby now')
  expect(await whoIn('lobby')).toContain('alice')
  await stage.as('rhea', ['say', 'lobby', 'welcome, agent'])
  expect(await alice.waitFor('welcome, agent')).toMatchObject({
    method: 'notifications/message',
    params: {
      logger: 'room://lobby/log',
      data: { kind: 'message', author: 'rhea', text: 'welcome, agent' },
    },
  })
  await alice.call('leave', { room: 'lobby' })
  expect(await whoIn('lobby')).not.toContain('alice')
  expect(await alice.call('leave', { room: 'lobby' })).toEqual({
    text: 'you are not in lobby; join it first',
    isError: true,
    data: undefined,
  })
})

test('history and search return structured entries to an agent, or an error for invalid arguments', async () => {
  await alice.call('say', { room: 'lobby', text: 'a red herring' })
  const { data } = await alice.call('history', { room: 'lobby', limit: 1 })
  const [entry] = entriesOf(data)
  expect(entry).toMatchObject({ kind: 'message', author: 'alice', text: 'a red herring' })
  const before = await alice.call('history', { room: 'lobby', limit: 1, before: entry!.id })
  expect(entriesOf(before.data)[0]!.id).not.toBe(entry!.id)
  expect(entriesOf((await alice.call('search', { words: 'herring' })).data)).toHaveLength(1)
  expect((await alice.call('history', { room: 'lobby', limit: 1_000 })).isError).toBe(true)
  expect(await alice.call('history', { room: 'lobby', before: 'x' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('x is not the id of an entry') as string,
  })
})

test('an agent can create, fork and link rooms, but cannot change rooms of another owner', async () => {
  expect(await alice.call('create_room', { room: 'hall' })).toMatchObject({ isError: false })
  expect(await alice.call('fork_room', { room: 'hall-2', from: 'hall' })).toMatchObject({ isError: false })
  expect((await alice.call('add_exit', { room: 'hall', direction: 'north', to: 'hall-2' })).text).toBe(
    'hall → hall-2 by north; one way, --both makes two',
  )
  expect((await alice.call('add_exit', { room: 'hall', direction: 'north', to: '-' })).isError).toBe(true)
  expect((await stage.as('rhea', ['exits', 'hall'])).stdout).toBe('north  hall-2\n')
  for (const [tool, args] of [
    ['set_vibe', { room: 'hall', text: 'mine' }],
    ['add_exit', { room: 'hall', direction: 'south', to: 'lobby' }],
  ] as const)
    expect(await mallory.call(tool, args)).toMatchObject({
      isError: true,
      text: expect.stringContaining('only the owner of hall') as string,
    })
})

test('an agent gets an error for unknown tools, wrong arguments and messages that are too long', async () => {
  await expect(alice.call('rm')).rejects.toThrow('rm')
  expect(await alice.call('join', { room: 'lobbi' })).toMatchObject({ isError: true })
  expect(await alice.call('join', {})).toMatchObject({ isError: true })
  expect(await alice.call('say', { room: 'lobby', text: 'x'.repeat(5_000) })).toMatchObject({
    isError: true,
    text: expect.stringContaining('4000') as string,
  })
})

describe('a private room', () => {
  const calls: readonly (readonly [string, (room: string) => object])[] = [
    ['join', (room) => ({ room })],
    ['leave', (room) => ({ room })],
    ['say', (room) => ({ room, text: 'hello' })],
    ['history', (room) => ({ room })],
    ['wait', (room) => ({ room, timeout_s: 1 })],
    ['search', (room) => ({ room, words: 'secret' })],
    ['room_context', (room) => ({ room })],
    ['preview_wrap', (room) => ({ room, model: 'qwen' })],
    ['ask_model', (room) => ({ room, model: 'qwen', text: 'what is said there?' })],
    ['tools_list', (room) => ({ room })],
    ['tools_run', (room) => ({ room, tool: 'history', arguments: {} })],
    ['fork_room', (room) => ({ room: 'copy', from: room })],
    ['set_vibe', (room) => ({ room, text: 'hello' })],
    ['add_exit', (room) => ({ room, direction: 'up', to: 'lobby' })],
    ['add_exit', (room) => ({ room: 'lobby', direction: 'up', to: room })],
  ]
  /** What somebody is answered about a room, without its name. */
  const about = async (tool: string, args: (room: string) => object, room: string) =>
    JSON.stringify(await mallory.call(tool, args(room))).replaceAll(room, 'ROOM')

  test.each(calls)(
    'the tool %s answers a non-member of a private room as if the room did not exist',
    async (tool, args) => {
      const hidden = await about(tool, args, 'den')
      expect(hidden).toContain('"isError":true')
      expect(hidden).toBe(await about(tool, args, 'nowhere'))
    },
  )

  test('a taken room name gets the same error whether its room is private or public', async () => {
    const ways: readonly (readonly [string, object])[] = [
      ['create_room', { private: true }],
      ['create_room', {}],
      ['fork_room', { from: 'lobby' }],
    ]
    for (const [tool, more] of ways) {
      const taken = async (room: string) =>
        JSON.stringify(await mallory.call(tool, { ...more, room })).replaceAll(room, 'ROOM')
      expect(await taken('den')).toContain('the name ROOM is taken; choose another')
      expect(await taken('den')).toBe(await taken('lobby'))
    }
    expect(JSON.stringify(await mallory.call('list_rooms'))).not.toContain('den')
  })

  test('a private room appears in lists, resources, prompts and search only for its members', async () => {
    const seen = async ({ client, call }: TestAgent) =>
      JSON.stringify([
        await call('list_rooms'),
        await client.listResources(),
        await client.listResourceTemplates(),
        await call('search', { words: 'secret' }),
      ])
    expect(await seen(mallory)).not.toMatch(/den|secret is/)
    expect(await seen(alice)).toMatch(/den[^]*secret is/)
    for (const ask of [
      (room: string) => mallory.client.readResource({ uri: `room://${room}` }),
      (room: string) => mallory.client.readResource({ uri: `room://${room}/log` }),
      (room: string) => mallory.client.subscribeResource({ uri: `room://${room}` }),
      (room: string) => mallory.client.subscribeResource({ uri: `room://${room}/log` }),
      (room: string) => mallory.client.getPrompt({ name: 'room_context', arguments: { room } }),
    ]) {
      const why = async (room: string) =>
        await ask(room).then(
          () => 'it was given',
          (error: { code?: number; message: string }) =>
            `${error.code} ${error.message.replaceAll(room, 'ROOM')}`,
        )
      const hidden = await why('den')
      expect(hidden).toBe(await why('nowhere'))
      expect(hidden).toMatch(/^-32\d+ /)
    }
    expect((await alice.client.readResource({ uri: 'room://den/log' })).contents[0]).toMatchObject({
      text: expect.stringContaining('the secret is out') as string,
    })
  })

  test('an uninvited agent gets no further lines or notifications of a private room', async () => {
    await stage.as('alice', ['invite', 'den', 'mallory'])
    await mallory.call('join', { room: 'den' })
    await mallory.client.subscribeResource({ uri: 'room://den/log' })
    await alice.call('say', { room: 'den', text: 'for members' })
    await mallory.waitFor('for members')
    await mallory.waitFor('room://den/log')
    await stage.as('alice', ['uninvite', 'den', 'mallory'])
    await mallory.waitFor('took you out of den')
    const count = mallory.heard.length
    await alice.call('say', { room: 'den', text: 'they are gone' })
    await mallory.call('list_rooms')
    expect(mallory.heard.slice(count)).toEqual([])
    expect(await mallory.call('history', { room: 'den' })).toMatchObject({ isError: true })
  })
})

test('ask_model, tools_run and tools_list respect the tool scope of the room', async () => {
  await alice.call('create_room', { room: 'lab' })
  await stage.as('alice', ['tools', 'lab', 'calculator'])
  const { text, data } = await alice.call('ask_model', { room: 'lab', model: 'guide', text: 'tools' })
  expect(text).toBe('Tools in the request I was given (1): calculator')
  expect(entriesOf(data).map(({ kind, author }) => `${kind} ${author}`)).toEqual([
    'message alice',
    'reply guide',
  ])
  expect(
    await alice.call('tools_run', { room: 'lab', tool: 'calculator', arguments: { expression: '6*7' } }),
  ).toMatchObject({ text: '42', isError: false })
  const { text: why, isError } = await alice.call('tools_run', {
    room: 'lab',
    tool: 'write_file',
    arguments: { file_path: 'x', content: 'y' },
  })
  expect({ why, isError }).toMatchObject({
    isError: true,
    why: expect.stringContaining('write_file') as string,
  })
  const list = await alice.call('tools_list', { room: 'lab' })
  const tools = (list.data as { tools: { name: string; visible: boolean }[] }).tools
  expect(tools.filter((one) => one.visible).map((one) => one.name)).toEqual(['calculator'])
})

test('ask_model and preview_wrap take a persona of the room by its name, with or without @', async () => {
  await alice.call('create_room', { room: 'cast' })
  const made = ['persona', 'cast', 'reviewer', '--tools', 'calculator', '@qwen', 'find what breaks']
  expect(await stage.as('alice', made)).toMatchObject({ exitCode: 0 })
  for (const model of ['reviewer', '@reviewer']) {
    stage.models.play(says(`${model} says that it breaks`))
    const { text, data, isError } = await alice.call('ask_model', { room: 'cast', model, text: 'well?' })
    expect({ text, isError }).toEqual({ text: `${model} says that it breaks`, isError: false })
    expect(entriesOf(data)).toMatchObject([
      { kind: 'message', author: 'alice', text: '@reviewer well?' },
      { kind: 'reply', author: 'reviewer · qwen', persona: 'reviewer', model: 'qwen' },
    ])
    const { messages, tools } = stage.models.requests.at(-1)!.body
    expect(tools?.map((one) => one.function.name)).toEqual(['calculator'])
    const preview = await alice.call('preview_wrap', { room: 'cast', model })
    expect(preview.data).toMatchObject({ model: 'reviewer', system_prompt: messages[0]!.content })
  }
  await stage.as('alice', ['persona', 'cast', 'reviewer', '--remove'])
  const gone = await alice.call('ask_model', { room: 'cast', model: 'reviewer', text: 'well?' })
  expect(gone).toMatchObject({
    isError: true,
    text: expect.stringContaining('there is no model called @reviewer') as string,
  })
})

test('tools_run fails if the agent is not in the room, and otherwise waits for a permission', async () => {
  await mallory.call('leave', { room: 'hall' })
  const write = async () =>
    await mallory.call('tools_run', {
      room: 'hall',
      tool: 'write_file',
      arguments: { file_path: 'made', content: 'by an agent' },
    })
  expect(await write()).toMatchObject({
    isError: true,
    text: expect.stringContaining('mallory is not in hall to be asked') as string,
  })
  await mallory.call('join', { room: 'hall' })
  await alice.call('join', { room: 'hall' })
  const written = write()
  const { params } = (await alice.waitFor('"verdict":"asked"')) as { params: { data: ReadEntry } }
  expect(params.data.text).toContain('use write_file')
  expect(await stage.as('alice', ['allow', 'hall', 'once', String(params.data.question)])).toMatchObject({
    exitCode: 0,
  })
  expect(await written).toMatchObject({ isError: false })
})

test('ask_model returns the reply of a model that ran a tool and reports the call as progress', async () => {
  stage.models.play(calls('calculator', { expression: '1+1' }), says('it is 2'))
  const progress: unknown[] = []
  const result = await alice.client.callTool(
    { name: 'ask_model', arguments: { room: 'lab', model: '@qwen', text: 'count' } },
    { onprogress: (one) => progress.push(one) },
  )
  expect(result.structuredContent).toMatchObject({ reply: 'it is 2' })
  expect(progress).toEqual([{ progress: 1, message: expect.stringContaining('calculator') as string }])
  const tools = stage.models.requests.at(-1)!.body.tools
  expect(tools?.map((one) => one.function.name)).toEqual(['calculator'])
})

test('a cancelled ask_model stops its turn, and a failed ask_model returns the error', async () => {
  stage.models.play(hang())
  const cancel = new AbortController()
  const count = stage.models.requests.length
  const asked = alice.call('ask_model', { room: 'lab', model: 'qwen', text: 'for ever' }, cancel.signal)
  await stage.models.arrived(count + 1)
  cancel.abort()
  await expect(asked).rejects.toThrow()
  await stage.models.abandoned()
  // Whoever cancels has not gone away.
  const stopped = "@qwen's turn for alice was stopped: the call was cancelled"
  for (;;) if ((await lastIn('lab'))['text'] === stopped) break
  stage.models.play(status(401, 'no such key'))
  const failed = await alice.call('ask_model', { room: 'lab', model: 'qwen', text: 'again' })
  expect(failed).toMatchObject({ isError: true, text: expect.stringContaining('no such key') as string })
  expect(await alice.call('ask_model', { room: 'lab', model: 'nobody', text: 'hi' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('nobody') as string,
  })
})

test('room_context and preview_wrap show an agent the prompt that a model would get', async () => {
  await alice.call('set_vibe', { room: 'lab', text: 'like a lighthouse' })
  const { text } = await alice.call('room_context', { room: 'lab' })
  expect(text).toContain('like a lighthouse')
  const prompt = await alice.client.getPrompt({ name: 'room_context', arguments: { room: 'lab' } })
  expect(prompt.messages[0]!.content).toMatchObject({
    type: 'text',
    text: expect.stringContaining('lighthouse') as string,
  })
  const { data } = await alice.call('preview_wrap', { room: 'lab', model: 'qwen' })
  expect(data).toMatchObject({ room: 'lab', model: 'qwen', tools: [{ name: 'calculator' }] })
})

test('a muted agent cannot speak, ask a model or run a tool', async () => {
  await mallory.call('join', { room: 'hall' })
  await stage.as('alice', ['mute', 'hall', 'mallory'])
  for (const [tool, args] of [
    ['say', { text: 'but' }],
    ['ask_model', { model: 'guide', text: 'but' }],
    ['tools_run', { tool: 'calculator', arguments: { expression: '1' } }],
  ] as const)
    expect(await mallory.call(tool, { room: 'hall', ...args })).toMatchObject({
      isError: true,
      text: expect.stringContaining('muted') as string,
    })
})

test('an agent can read a room as a resource and subscribe to changes of its log', async () => {
  const { contents } = await alice.client.readResource({ uri: 'room://lab' })
  expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({
    name: 'lab',
    private: false,
    people: [],
    models: ['qwen', 'guide'],
  })
  await alice.client.subscribeResource({ uri: 'room://lab/log' })
  await stage.as('rhea', ['say', 'lab', 'news'])
  expect(await alice.waitFor('"uri":"room://lab/log"')).toEqual({
    method: 'notifications/resources/updated',
    params: { uri: 'room://lab/log' },
  })
  await alice.client.unsubscribeResource({ uri: 'room://lab/log' })
  const count = alice.heard.length
  await stage.as('rhea', ['say', 'lab', 'more news'])
  await alice.client.ping()
  expect(alice.heard.slice(count)).toEqual([])
})

test('completion offers an agent only the names of rooms that its person may read', async () => {
  const completed = async (agent: TestAgent, ref: CompleteRequest['params']['ref'], value: string) =>
    (await agent.client.complete({ ref, argument: { name: 'room', value } })).completion.values
  const refs = [
    { type: 'ref/prompt', name: 'room_context' },
    { type: 'ref/resource', uri: 'room://{room}' },
    { type: 'ref/resource', uri: 'room://{room}/log' },
  ] as const
  for (const ref of refs) {
    expect(await completed(alice, ref, 'd')).toEqual(['den'])
    expect(await completed(mallory, ref, 'd')).toEqual([])
    expect(await completed(mallory, ref, 'lob')).toEqual(['lobby'])
  }
})

test('a direct message reaches every agent of its person, and no agent of other people', async () => {
  await stage.as('rhea', ['msg', 'alice', 'the code is 4711'])
  expect(await alice.waitFor('the code is 4711')).toMatchObject({
    method: 'notifications/message',
    params: { level: 'notice', data: { kind: 'direct_message', author: 'rhea', text: 'the code is 4711' } },
  })
  await using again = await openAgent(stage, 'alice')
  await stage.as('rhea', ['msg', 'alice', 'and the door is open'])
  for (const agent of [alice, again]) await agent.waitFor('and the door is open')
  expect(JSON.stringify(again.heard)).not.toContain('4711')
  await mallory.client.ping()
  expect(JSON.stringify(mallory.heard)).not.toMatch('4711|door')
})

test('a missed direct message is delivered once, to the next agent that supports notifications', async () => {
  const first = await openAgent(stage, 'grace')
  await first[Symbol.asyncDispose]()
  await stage.as('rhea', ['msg', 'grace', 'call me'])
  await using modern = await openAgent(stage, 'grace', { modern: true })
  await modern.call('list_rooms')
  await using agent = await openAgent(stage, 'grace')
  await agent.waitFor('call me')
  await using later = await openAgent(stage, 'grace')
  await stage.as('rhea', ['msg', 'grace', 'never mind'])
  await later.waitFor('never mind')
  expect(JSON.stringify(later.heard)).not.toContain('call me')
})

test('a direct message from an ignored person does not reach the agent', async () => {
  await stage.as('alice', ['ignore', 'mallory'])
  await stage.as('mallory', ['msg', 'alice', 'buy this'])
  await stage.as('rhea', ['msg', 'alice', 'still here'])
  await alice.waitFor('still here')
  expect(JSON.stringify(alice.heard)).not.toContain('buy this')
  await stage.as('alice', ['unignore', 'mallory'])
})

test('a kick removes an agent from the room, and a ban closes its connection', async () => {
  const agent = await openAgent(stage, 'carol')
  await agent.call('join', { room: 'lobby' })
  await stage.as('rhea', ['kick', 'lobby', 'carol', 'too loud'])
  await agent.waitFor('rhea kicked you out of lobby: too loud; you may come back')
  expect(await whoIn('lobby')).not.toContain('carol')
  expect((await agent.call('join', { room: 'lobby' })).isError).toBe(false)
  await stage.as('rhea', ['ban', 'carol', '1h'])
  await agent.closed
  expect(await whoIn('lobby')).not.toContain('carol')
  await expect(openAgent(stage, 'carol')).rejects.toThrow()
})

test('an agent whose process is killed leaves its room, and its turn is stopped', async () => {
  await alice.call('join', { room: 'lab' })
  const agent = await openAgent(stage, 'dave')
  await agent.call('join', { room: 'lab' })
  expect(await whoIn('lab')).toContain('dave')
  stage.models.play(hang())
  const count = stage.models.requests.length
  const asked = agent.call('ask_model', { room: 'lab', model: 'qwen', text: 'for ever' })
  asked.catch(() => undefined)
  await stage.models.arrived(count + 1)
  const abandoned = stage.models.abandoned()
  process.kill(agent.pid, 'SIGKILL')
  await agent.closed
  await abandoned
  await alice.waitFor('dave left')
  await alice.waitFor("@qwen's turn for dave was stopped: dave went away")
  expect(await whoIn('lab')).not.toContain('dave')
})

test('an agent is disconnected when the server stops and is absent after the restart', async () => {
  const agent = await openAgent(stage, 'erin')
  await agent.call('join', { room: 'lobby' })
  await stage.server.stop('SIGTERM')
  await agent.closed
  await stage.restart('SIGTERM')
  expect(await whoIn('lobby')).not.toContain('erin')
})
