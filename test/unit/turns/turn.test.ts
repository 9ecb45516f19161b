import { expect, it } from 'vitest'
import { ModelError, type StepMessage } from '../../../src/wrap/loop/model.ts'
import { ok } from '../../../src/tools/results/result.ts'
import { userContent } from '../../../src/wrap/prompt.ts'
import { call, fail, hangs, say, scriptedModel } from '../../support/scripted-model.ts'
import { createTurnWorld, tool, type WorldOptions } from '../../support/turn-world.ts'
import { createModel } from '../../../src/models/providers.ts'
import { requestsOf } from '../../../src/turns/turn-log.ts'
import { sampleConfig } from '../../support/model-request.ts'
import { answer, type ChatRequest, calls, cut, says, startModelServer } from '../../support/model-server.ts'

it('a turn streams the reply and records it once, with outcome and usage', async () => {
  await using world = await createTurnWorld(scriptedModel(say('Hel', 'lo ', 'ann')))
  const last = await world.ask()
  expect(last).toMatchObject({
    kind: 'reply',
    author: 'qwen',
    text: 'Hello ann',
    outcome: 'done',
    usage: { input: 10, output: 3 },
  })
  expect(world.deltas).toEqual(['Hel', 'lo ', 'ann'])
  expect(await world.lines()).toEqual(['reply: Hello ann'])
})

it('the record of a turn has the prompt that was sent and the usage', async () => {
  const model = scriptedModel(say('hi'))
  await using world = await createTurnWorld(model)
  const turn = await world.start()
  await turn.done
  const record = await world.chatParts.storage.models.turns.find(turn.id)
  expect(record).toMatchObject({
    model: 'qwen',
    requester: 'ann',
    outcome: 'done',
    usage: { input: 10, output: 1 },
  })
  expect(record!.prompt).toEqual(model.requests[0]!.prompt)
  expect(record!.endedAt).toBeDefined()
  expect(await world.chatParts.storage.models.turns.unfinished()).toEqual([])
})

it('only new parts of a request count against the byte quota of the requester', async () => {
  const charged: number[] = []
  const bytes = { take() {}, charge: (_: unknown, count: number) => void charged.push(count) }
  await using world = await createTurnWorld(scriptedModel(say('hi'), say('hi')), { bytes })
  const words = (line: number): string =>
    Array.from({ length: 20 }, (_, at) => (((line * 31 + at) * 48_271) % 99_991).toString(36)).join(' ')
  for (let line = 0; line < 300; line += 1)
    await world.room.record({ kind: 'message', author: 'bob', text: words(line) })
  await world.ask()
  await world.ask()
  const [first = 0, second = 0] = charged
  expect(second).toBeGreaterThan(0)
  expect(second).toBeLessThan(first)
})

it('the model gets the message once, with its speaker and indented later lines', async () => {
  const model = scriptedModel(say('hi'))
  await using world = await createTurnWorld(model)
  await world.room.record({ kind: 'message', author: 'bob', text: 'earlier' })
  await world.ask('one\nsystem: two')
  const { prompt } = model.requests[0]!
  expect(prompt.message).toBe('ann: @qwen one\n  system: two')
  expect(userContent(prompt)).toContain('bob: earlier')
  expect(userContent(prompt).split('@qwen one')).toHaveLength(2)
})

it('an empty reply is recorded as "(no answer)"', async () => {
  await using world = await createTurnWorld(scriptedModel(say()))
  expect(await world.ask()).toMatchObject({ kind: 'reply', outcome: 'done', text: '(no answer)' })
})

it('a reply is sanitized in the stream and in the log', async () => {
  await using world = await createTurnWorld(scriptedModel(say('a\u001b', '[31mred\u202e', '\r', '\nb')))
  expect(await world.ask()).toMatchObject({ text: 'ared\nb' })
  expect(world.deltas.join('')).toBe('ared\nb')
})

it('a notice says that the answer was cut at max_output', async () => {
  const cut = function* () {
    yield { type: 'text' as const, text: 'half' }
    yield { type: 'finish' as const, reason: 'length' as const }
  }
  await using world = await createTurnWorld(scriptedModel(cut))
  await world.ask()
  expect(await world.lines()).toEqual(['reply: half', "notice: @qwen's answer was cut at its max_output"])
})

it('a reply longer than 65,536 characters is cut, with a notice', async () => {
  await using world = await createTurnWorld(scriptedModel(say('x'.repeat(60_000), 'y'.repeat(10_000_000))))
  const last = await world.ask()
  expect(last).toMatchObject({ kind: 'notice', level: 'error' })
  expect(last.text).toBe('@qwen: the answer was cut: it is longer than 65536 characters')
  const reply = (await world.log()).find((entry) => entry.kind === 'reply')!
  expect(reply.text).toHaveLength(65_536)
  expect(world.deltas.join('')).toBe(reply.text)
})

it('the error of wrap() is shown in the room, and no request is sent', async () => {
  const model = scriptedModel()
  await using world = await createTurnWorld(model, { settings: { contextWindow: 60, maxOutput: 20 } })
  const last = await world.ask()
  expect(last).toMatchObject({ kind: 'notice', level: 'error' })
  expect(last.text).toMatch(/^wrap: layer ".+" needs \d+ tokens/)
  expect(model.requests).toEqual([])
})

it('the error of a room script is shown in the room with its line, and no request is sent', async () => {
  const model = scriptedModel()
  await using world = await createTurnWorld(model)
  const script = 'function default_wrap(target)\n  error("my mistake")\nend'
  await world.chatParts.storage.prompts.scripts.put({
    room: world.room.name,
    source: script,
    author: 'ann',
    at: 0,
  })
  const last = await world.ask()
  expect(last).toMatchObject({ kind: 'notice', level: 'error' })
  expect(last.text).toMatch(/2: my mistake/)
  expect(model.requests).toEqual([])
  expect(await world.chatParts.storage.models.turns.unfinished()).toEqual([])
})

it('a request is retried if the failure is temporary and no output was shown', async () => {
  const busy = new ModelError('qwen: busy', true)
  const model = scriptedModel(fail(busy), fail(busy), say('at last'))
  await using world = await createTurnWorld(model)
  expect(await world.ask()).toMatchObject({ kind: 'reply', text: 'at last', outcome: 'done' })
  expect(model.requests).toHaveLength(3)
  expect(await world.lines()).toEqual(['reply: at last'])
})

it('a request fails after three attempts', async () => {
  const busy = new ModelError('qwen: busy', true)
  const model = scriptedModel(fail(busy), fail(busy), fail(busy))
  await using world = await createTurnWorld(model)
  expect(await world.ask()).toMatchObject({ kind: 'notice', level: 'error', text: '@qwen: busy' })
  expect(model.requests).toHaveLength(3)
})

it('a request is not retried after a permanent failure', async () => {
  const model = scriptedModel(fail(new ModelError('qwen: no key', false)))
  await using world = await createTurnWorld(model)
  expect((await world.ask()).text).toBe('@qwen: no key')
  expect(model.requests).toHaveLength(1)
})

it('a request that failed after its first text is not retried, and the reply is marked as failed', async () => {
  const model = scriptedModel(fail(new ModelError('qwen: broke', true), 'Once ', 'upon'))
  await using world = await createTurnWorld(model)
  await world.ask()
  expect(model.requests).toHaveLength(1)
  const [, reply, notice] = await world.log()
  expect(reply).toMatchObject({ kind: 'reply', text: 'Once upon', outcome: 'failed' })
  expect(notice).toMatchObject({ kind: 'notice', level: 'error', text: '@qwen: broke' })
})

it('an internal error is logged, and not shown in the room', async () => {
  await using world = await createTurnWorld(scriptedModel(fail(new TypeError('x is not a function'))))
  expect((await world.ask()).text).toBe("@qwen's turn failed inside the server; its log says why")
  expect(world.chatParts.log.lines).toContain('a turn failed')
})

it('a turn runs a tool call and sends its result with the next request', async () => {
  const model = scriptedModel(call(['Grep', { q: 'TODO' }, 'c1']), say('Two of them.'))
  await using world = await createTurnWorld(model, { tools: [tool('Grep', () => ok('a.ts:1: TODO'))] })
  const last = await world.ask()
  expect(last).toMatchObject({ kind: 'reply', text: 'Two of them.', usage: { input: 20, output: 2 } })
  expect(model.requests[1]!.messages).toEqual([
    { role: 'assistant', text: '', calls: [{ id: 'c1', name: 'Grep', arguments: '{"q":"TODO"}' }] },
    { role: 'tool', call: 'c1', name: 'Grep', content: 'a.ts:1: TODO' },
  ])
  expect(model.requests[1]!.prompt).toBe(model.requests[0]!.prompt)
})

it('a tool call is logged before it runs, and its result afterwards', async () => {
  const seen: string[][] = []
  const grep = tool('Grep', async () => {
    seen.push((await world.lines()) as string[])
    return ok('é!')
  })
  await using world = await createTurnWorld(scriptedModel(call(['Grep', { q: 'x' }, 'c1']), say('ok')), {
    tools: [grep],
  })
  const turn = await world.start()
  await turn.done
  expect(seen).toEqual([['tool_call: Executing tool: Grep {"q":"x"}']])
  const common = { author: 'qwen', turn: turn.id, call: 'c1', name: 'Grep', tool: 'Grep' }
  const [, made, result] = await world.log()
  expect(made).toMatchObject({ kind: 'tool_call', ...common, arguments: { q: 'x' }, requester: 'ann' })
  expect(result).toMatchObject({ kind: 'tool_result', ...common, text: 'é!', isError: false, bytes: 3 })
})

it('the text before a tool call is logged before the call, and the last reply has the usage', async () => {
  const lookFirst = function* () {
    yield { type: 'text' as const, text: 'Let me look.' }
    yield* call(['Grep', {}])(undefined as never, undefined as never) as Iterable<never>
  }
  await using world = await createTurnWorld(scriptedModel(lookFirst, say('Found.')), {
    tools: [tool('Grep')],
  })
  const turn = await world.start()
  const last = await turn.done
  expect(last).toMatchObject({
    text: 'Found.',
    outcome: 'done',
    usage: { input: 20, output: 2 },
    durationMs: 0,
  })
  expect(world.deltas).toEqual(['Let me look.', 'Found.'])
  const log = await world.log()
  expect(log.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'message: @qwen hello',
    'reply: Let me look.',
    'tool_call: Executing tool: Grep {}',
    'tool_result: {}',
    'reply: Found.',
  ])
  expect(log[1]).toMatchObject({ author: 'qwen', turn: turn.id })
  expect(log[1]).not.toHaveProperty('outcome')
  const { context } = await world.turns.prompt({ room: world.room, person: world.ann, model: 'qwen' })
  expect(context).toMatch(
    /qwen: Let me look\.\n+qwen called Grep \{\}\n\s+result of Grep: \{\}\n+qwen: Found\./,
  )
})

it('a turn whose last step has no text ends with "(no further answer)"', async () => {
  const sayAndCall = function* () {
    yield { type: 'text' as const, text: 'Noted. ' }
    yield* call(['Grep', {}])(undefined as never, undefined as never) as Iterable<never>
  }
  await using world = await createTurnWorld(scriptedModel(sayAndCall, say()), { tools: [tool('Grep')] })
  expect(await world.ask()).toMatchObject({ text: '(no further answer)', outcome: 'done' })
  expect(await world.lines()).toContain('reply: Noted.')
})

it('a turn stops with a notice when all steps are used', async () => {
  const again = [1, 2, 3].map((q) => call(['Grep', { q: `${q}` }]))
  const model = scriptedModel(...again)
  await using world = await createTurnWorld(model, { tools: [tool('Grep')], limits: { turn_steps: 3 } })
  const last = await world.ask()
  expect(last).toMatchObject({ kind: 'notice', level: 'error' })
  expect(last.text).toBe('@qwen used all 3 steps of its turn; it was stopped')
  expect(model.requests).toHaveLength(3)
})

it('a third call with the same arguments is logged but not run, and stops the turn', async () => {
  let runs = 0
  const grep = tool('Grep', () => ok(`run ${(runs += 1)}`))
  const model = scriptedModel(
    call(['Grep', '{"q":"x"}']),
    call(['Grep', '{ "q": "x" }']),
    call(['Grep', { q: 'x' }]),
  )
  await using world = await createTurnWorld(model, { tools: [grep] })
  const last = await world.ask()
  expect(runs).toBe(2)
  expect(last.text).toBe('@qwen called Grep 3 times with the same arguments; it was stopped')
  const results = (await world.log()).filter((entry) => entry.kind === 'tool_result')
  expect(results.map((entry) => entry.text)).toEqual([
    'run 1',
    'run 2',
    'ERROR: not run: @qwen called Grep 3 times with the same arguments; it was stopped',
  ])
})

it('a turn stops with a notice if the model calls 65 tools at once', async () => {
  const crowd = Array.from({ length: 65 }, (_, index) => ['Grep', { q: `${index}` }, `c${index}`] as const)
  await using world = await createTurnWorld(scriptedModel(call(...crowd)), { tools: [tool('Grep')] })
  expect((await world.ask()).text).toBe('@qwen asked for 65 tools at once; it was stopped')
  expect(await world.lines()).toHaveLength(1)
})

it('every call gets a unique id if the server repeats ids or sends none', async () => {
  const model = scriptedModel(
    call(['Grep', { q: '1' }, 'c'], ['Grep', { q: '2' }, 'c'], ['Grep', { q: '3' }, '']),
    call(['Grep', { q: '4' }, 'c']),
    say('ok'),
  )
  await using world = await createTurnWorld(model, { tools: [tool('Grep')] })
  await world.ask()
  const { messages } = model.requests[2]!
  const asked = messages.flatMap((said) => (said.role === 'assistant' ? said.calls.map((one) => one.id) : []))
  const answered = messages.flatMap((said) => (said.role === 'tool' ? [said.call] : []))
  expect(new Set(asked).size).toBe(4)
  expect(answered).toEqual(asked)
})

it('a turn drops older history to make space for its steps, and keeps all steps', async () => {
  const big = 'word '.repeat(500)
  const asks = ['1', '2', '3', '4'].map((q) => call(['Grep', { q }]))
  const model = scriptedModel(...asks, say('ok'))
  await using world = await createTurnWorld(model, {
    tools: [tool('Grep', () => ok(big))],
    settings: { contextWindow: 6000, maxOutput: 500 },
  })
  for (let number = 0; number < 60; number++) {
    await world.room.record({ kind: 'message', author: 'bob', text: `${number} ${'talk '.repeat(60)}` })
  }
  await world.ask()
  const [first, last] = [model.requests[0]!, model.requests[4]!]
  const stepTokens = 4 * 500
  expect(first.prompt.budget.used).toBeGreaterThan(4000)
  expect(last.prompt.budget.used + stepTokens).toBeLessThanOrEqual(5500)
  expect(last.prompt.context).toContain('59 talk')
  expect(last.messages.filter((step) => step.role === 'tool' && step.content === big)).toHaveLength(4)
})

it('a stopped turn keeps the text so far in the log', async () => {
  const model = scriptedModel(hangs('Once upon'))
  await using world = await createTurnWorld(model)
  const shown = new Promise<void>((resolve) => world.room.listen({ deliver() {}, stream: () => resolve() }))
  const turn = await world.start()
  await shown
  expect(turn.doing()).toBe('writing')
  turn.cancel('ann stopped @qwen')
  const last = await turn.done
  expect(last).toMatchObject({ kind: 'notice', level: 'info', text: 'ann stopped @qwen' })
  expect(await world.lines()).toEqual(['reply: Once upon', 'notice: ann stopped @qwen'])
  expect(await world.chatParts.storage.models.turns.find(turn.id)).toMatchObject({ outcome: 'stopped' })
  expect(world.turns.running(world.room.name)).toEqual([])
})

it('a stopped turn aborts the running tool and starts no further call', async () => {
  let reason: unknown
  let started!: () => void
  const running = new Promise<void>((resolve) => (started = resolve))
  const slow = tool('slow', (_args, { signal }) => {
    started()
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason
        reject(signal.reason)
      })
    })
  })
  const model = scriptedModel(call(['slow', {}], ['Grep', {}]))
  await using world = await createTurnWorld(model, { tools: [slow, tool('Grep')] })
  const turn = await world.start()
  await running
  expect(turn.doing()).toBe('slow')
  turn.cancel()
  await turn.done
  expect(reason).toBeInstanceOf(Error)
  expect(await world.lines()).toEqual([
    'tool_call: Executing tool: slow {}',
    'tool_result: ERROR: slow: stopped before it was done',
    'notice: @qwen was stopped',
  ])
})

it('a stopped turn does not wait for a tool that ignores the signal', async () => {
  let started!: () => void
  const running = new Promise<void>((resolve) => (started = resolve))
  const deaf = tool('deaf', () => {
    started()
    return new Promise(() => {})
  })
  await using world = await createTurnWorld(scriptedModel(call(['deaf', {}])), { tools: [deaf] })
  const turn = await world.start()
  await running
  turn.cancel()
  expect((await turn.done).text).toBe('@qwen was stopped')
})

it('a turn is stopped when turn_s is over', async () => {
  await using world = await createTurnWorld(scriptedModel(hangs()), { limits: { turn_s: 0.02 } })
  expect((await world.ask()).text).toBe('@qwen took longer than 0.02 s; it was stopped')
})

it('a finished turn ignores a later stop', async () => {
  await using world = await createTurnWorld(scriptedModel(say('ok')))
  const turn = await world.start()
  await turn.done
  turn.cancel()
  expect(await world.lines()).toEqual(['reply: ok'])
})

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

it('a request has no tools if the scope is none', async () => {
  await using it = await served({ tools: tools() })
  await it.world.setScope('none')
  it.server.play(says('ok'))
  await it.world.ask()
  expect(it.server.requests[0]!.body).not.toHaveProperty('tools')
})

it('the record of a turn has every request exactly as sent, even if the scope changes on the way', async () => {
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

it('a provider that sends only half calls is reported in one notice', async () => {
  await using it = await served({ tools: tools() })
  const half = cut({ call: { index: 0, id: 'a', name: 'Grep', arguments: '{"q' } })
  it.server.play(half, half, half)
  expect((await it.world.ask()).text).toMatch(/^@qwen: the connection .* ask again$/)
  expect(await it.world.lines()).toHaveLength(1)
})
