import { describe, expect, it } from 'vitest'
import { createModel } from '../../../src/adapters/models/index.ts'
import { ok } from '../../../src/tools/result.ts'
import type { StepMessage } from '../../../src/turns/ports.ts'
import { requestsOf } from '../../../src/turns/turn-log.ts'
import { userContent } from '../../../src/prompt/prompt.ts'
import { sampleConfig } from '../../support/model-request.ts'
import {
  answer,
  type ChatRequest,
  calls,
  cut,
  fallsSilent,
  says,
  startModelServer,
  status,
} from '../../support/model-server.ts'
import { createTurnWorld, tool, type WorldOptions } from '../../support/turn-world.ts'

/** A turn world whose model is served over HTTP. */
async function served(options: WorldOptions = {}) {
  const server = await startModelServer()
  const settings = { ...sampleConfig({ endpoint: server.endpoint }), ...options.settings }
  const world = await createTurnWorld(createModel(settings), { ...options, settings })
  return {
    server,
    world,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** A message of a request as a turn remembers it. */
function asStep(message: ChatRequest['messages'][number]): StepMessage {
  if (message.role === 'tool') {
    const { tool_call_id: call, content } = message as { tool_call_id?: string; content: unknown }
    return { role: 'tool', call: call!, name: expect.any(String) as string, content: String(content) }
  }
  const made = message['tool_calls'] as readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
  return {
    role: 'assistant',
    text: (message.content ?? '') as string,
    calls: made.map((one) => ({ id: one.id, ...one.function })),
  }
}

const tools = () => [
  tool('Grep', () => ok('a.ts:1: TODO')),
  tool('sshawl_look'),
  tool('run_command', () => Promise.reject(new Error('this must never run'))),
]

describe('a turn of a model that is served over HTTP', () => {
  it('sends exactly the visible tools, runs the visible one, and refuses the hidden one with the known text', async () => {
    await using it = await served({ tools: tools() })
    const { server, world } = it
    await world.setScope(['!run_command'])
    server.play(
      calls('run_command', { command: 'id' }, 'c1'),
      calls('Grep', { q: 'TODO' }, 'c2'),
      says('One.'),
    )
    expect(await world.ask('how many?')).toMatchObject({ kind: 'reply', text: 'One.' })
    for (const { body } of server.requests) {
      expect(body.tools!.map((one) => one.function.name)).toEqual(['Grep', 'look'])
      for (const {
        function: { name },
      } of body.tools!)
        expect(body.messages[0]!.content).toContain(`**${name}**`)
    }
    expect(server.requests[2]!.body.messages.slice(2)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'run_command' } }] },
      {
        role: 'tool',
        tool_call_id: 'c1',
        content:
          "ERROR: You requested a tool called 'run_command', however we only have these tools: 'Grep', 'look'",
      },
      {
        role: 'assistant',
        tool_calls: [{ id: 'c2', function: { name: 'Grep', arguments: '{"q":"TODO"}' } }],
      },
      { role: 'tool', tool_call_id: 'c2', content: 'a.ts:1: TODO' },
    ])
  })

  it('sends no tools when they are off', async () => {
    await using it = await served({ tools: tools() })
    await it.world.setScope('none')
    it.server.play(says('ok'))
    await it.world.ask()
    expect(it.server.requests[0]!.body).not.toHaveProperty('tools')
  })

  it('has every request of a turn on record, byte for byte, also where tools and scope change on the way', async () => {
    await using it = await served({ tools: tools() })
    const { server, world } = it
    server.play(
      answer([
        { text: 'Let me see.' },
        { call: { index: 0, id: 'c1', name: 'Grep', arguments: '{"q":"\\u001b[2J"}' } },
      ]),
      async (response, request) => {
        await world.setScope(['Grep'])
        await calls('Grep', { q: 'two' }, 'c2')(response, request)
      },
      calls('nope', 'not json', 'c3'),
      says('ok'),
    )
    const turn = await world.start('héllo <|endoftext|> ${x}')
    await turn.done
    const requests = requestsOf((await world.chatParts.storage.models.turns.find(turn.id))!)
    expect(requests).toHaveLength(4)
    expect(requests.map((one) => one.tools.length)).toEqual([3, 3, 1, 1])
    for (const [index, { prompt, messages: repeated, tools: offered }] of requests.entries()) {
      const { messages, tools: sent } = server.requests[index]!.body
      expect(messages.slice(0, 2)).toEqual([
        { role: 'system', content: prompt.system },
        { role: 'user', content: userContent(prompt) },
      ])
      expect(messages.slice(2).map(asStep)).toEqual(repeated)
      expect(JSON.stringify(sent!.map((one) => one.function))).toBe(JSON.stringify(offered))
    }
  })

  it('tries again when the server fails before anything was shown, and adds up the usage', async () => {
    await using it = await served({ tools: tools() })
    it.server.play(
      status(503),
      answer([{ call: { index: 0, id: 'a', name: 'Grep', arguments: '{}' } }], { usage: [100, 5] }),
      status(429),
      answer([{ text: 'ok' }], { usage: [120, 2] }),
    )
    expect(await it.world.ask()).toMatchObject({
      kind: 'reply',
      text: 'ok',
      usage: { input: 220, output: 7 },
    })
    expect(it.server.requests).toHaveLength(4)
  })

  it('keeps what was shown when the connection breaks, and does not ask again', async () => {
    await using it = await served()
    const shown = new Promise<void>((resolve) =>
      it.world.room.listen({ deliver() {}, stream: () => resolve() }),
    )
    it.server.play(fallsSilent('Once upon'))
    const turn = await it.world.start()
    await shown
    await it.server[Symbol.asyncDispose]()
    expect(await turn.done).toMatchObject({ kind: 'notice', level: 'error' })
    expect((await it.world.lines())[0]).toBe('reply: Once upon')
    expect(it.server.requests).toHaveLength(1)
  })

  it('breaks the request off when the turn is stopped', async () => {
    await using it = await served()
    it.server.play(fallsSilent('Once'))
    const turn = await it.world.start()
    await it.server.arrived(1)
    turn.cancel('ann stopped @qwen')
    expect((await turn.done).text).toBe('ann stopped @qwen')
    await it.server.abandoned()
  })

  it('tells the room in one line what to do about a provider that gives only half calls', async () => {
    await using it = await served({ tools: tools() })
    const half = cut({ call: { index: 0, id: 'a', name: 'Grep', arguments: '{"q' } })
    it.server.play(half, half, half)
    expect((await it.world.ask()).text).toMatch(/^@qwen: the connection .* ask again$/)
    expect(await it.world.lines()).toHaveLength(1)
  })
})
