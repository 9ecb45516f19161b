import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Entry } from '../../../src/words/entry.ts'
import { entryLine } from '../../../src/words/entry-text.ts'
import { fork, spawnAgent } from '../../../src/tools/builtin/side-turns.ts'
import type { PermissionRequest } from '../../../src/tools/context.ts'
import { ok } from '../../../src/tools/results/result.ts'
import { ToolRunner } from '../../../src/wrap/toolbox/run-tool.ts'
import { createScopedTools } from '../../../src/turns/scoped-tools.ts'
import { createToolboxes } from '../../../src/turns/room-toolbox.ts'
import { createLocalPeers } from '../../../src/chat/local-peers.ts'
import { ToolRuns } from '../../../src/turns/tool-runs.ts'
import { createCatalogue } from '../../../src/wrap/toolbox/catalogue.ts'
import type { ModelRequest } from '../../../src/wrap/loop/model.ts'
import { userContent } from '../../../src/wrap/prompt.ts'
import { sampleConfig } from '../../support/model-request.ts'
import { call, fail, hangs, say, scriptedModel, type ScriptedStep } from '../../support/scripted-model.ts'
import { createTurnWorld, tool, type TurnWorld, UNCOUNTED } from '../../support/turn-world.ts'
import { runs } from '../../support/runs.ts'

const names = (request: ModelRequest | undefined): readonly string[] =>
  request?.tools.map((one) => one.name) ?? []

const lastResult = (request: ModelRequest | undefined): string => {
  const last = request?.messages.at(-1)
  return last?.role === 'tool' ? last.content : ''
}

const results = (entries: readonly Entry[]) => entries.filter((entry) => entry.kind === 'tool_result')

it('spawn_agent gives a side turn the prompt without the conversation, and returns its answer', async () => {
  const model = scriptedModel(
    call(['spawn_agent', { prompt: 'count\u001b[2J\u202e\nthe files' }]),
    say('three'),
    say('3 files'),
  )
  await using world = await createTurnWorld(model, { tools: [spawnAgent, tool('Grep')] })
  await world.room.record({ kind: 'message', author: 'bob', text: 'a secret of bob' })
  expect(await world.ask()).toMatchObject({ kind: 'reply', text: '3 files', outcome: 'done' })
  const [, side, after] = model.requests
  expect(side!.prompt.message).toMatch(
    /^qwen: This is a side turn that @qwen started for ann\. .*\n {2}\n {2}count\n {2}the files$/,
  )
  expect(userContent(side!.prompt)).not.toContain('secret of bob')
  expect(side!.messages).toEqual([])
  expect(lastResult(after)).toBe('three')
})

it('the entries of a side turn are left out of later prompts and shown shortened to people', async () => {
  const model = scriptedModel(
    call(['spawn_agent', { prompt: 'look' }]),
    call(['Grep', { q: 'x' }]),
    say('long answer\nwith a second line'),
    say('done'),
    say('again'),
  )
  await using world = await createTurnWorld(model, { tools: [spawnAgent, tool('Grep')] })
  const turn = await world.start()
  await turn.done
  const threaded = (await world.log()).filter((entry) => entry.thread !== undefined)
  expect(threaded.map(({ kind, thread }) => [kind, thread])).toEqual([
    ['tool_call', turn.id],
    ['tool_result', turn.id],
    ['reply', turn.id],
  ])
  expect(threaded.map(entryLine)).toEqual([
    '-- (side turn) qwen: Executing tool: Grep {"q":"x"}',
    '-- (side turn) Grep: {"q":"x"} (0ms, 9 B)',
    '-- (side turn) qwen: long answer …',
  ])
  expect(world.deltas.join('')).toBe('done')
  await world.ask('and now?')
  const told = userContent(model.requests.at(-1)!.prompt)
  expect(told).toContain('qwen called spawn_agent')
  expect(told).not.toContain('qwen called Grep')
  expect(told).not.toContain('qwen: long answer')
})

it('a side turn is charged once, and the reply of the parent turn includes its usage', async () => {
  const model = scriptedModel(call(['spawn_agent', { prompt: 'go' }]), say('a', 'b'), say('end'))
  await using world = await createTurnWorld(model, { tools: [spawnAgent] })
  expect(await world.ask()).toMatchObject({ usage: { input: 30, output: 4 } })
  const { charges, turns } = world.chatParts.storage.models
  const usage = await charges.usage({ by: 'model', since: 0, room: world.room.name })
  expect(usage).toMatchObject([{ key: 'qwen', turns: 2, requests: 3, input: 30, cached: 0, output: 4 }])
  expect(await turns.unfinished()).toEqual([])
  const side = (await world.log()).find((entry) => entry.kind === 'reply' && entry.thread)
  const record = await turns.find(side?.kind === 'reply' ? side.turn : '')
  expect(record).toMatchObject({ outcome: 'done', requester: 'ann', prompt: model.requests[1]!.prompt })
  expect((await turns.last('lobby'))?.id).toBe(record?.parent)
  expect(record).not.toHaveProperty('usage')
})

it('a side turn of another model gets only the tools in the scopes of both models', async () => {
  const other = scriptedModel(say('I am other'))
  const model = scriptedModel(call(['spawn_agent', { prompt: 'go', model: '@other' }]), say('end'))
  await using world = await createTurnWorld(model, {
    tools: [spawnAgent, tool('Grep'), tool('Glob'), tool('LS')],
    settings: { tools: ['!LS'] },
    more: [
      {
        settings: { ...sampleConfig({ backend: 'guide', name: 'other' }), tools: ['Grep', 'LS'] },
        adapter: other,
      },
    ],
  })
  await world.ask()
  expect(names(other.requests[0])).toEqual(['Grep'])
  expect(lastResult(model.requests[1])).toBe('I am other')
})

it.each([
  ['an empty prompt', { prompt: ' \u200b' }, 'ERROR: a side turn needs a prompt; this one is empty'],
  [
    'a huge prompt',
    { prompt: 'x'.repeat(32_001) },
    'ERROR: a prompt has at most 32000 characters, this one 32001',
  ],
  [
    'no such model',
    { prompt: 'go', model: 'nobody' },
    'ERROR: there is no model called nobody; there are qwen',
  ],
  ['no prompt', {}, 'ERROR: spawn_agent: prompt is required (a string)'],
])('spawn_agent is refused for %s', async (_what, args, message) => {
  const model = scriptedModel(call(['spawn_agent', args]), say('end'))
  await using world = await createTurnWorld(model, { tools: [spawnAgent] })
  await world.ask()
  expect(lastResult(model.requests[1])).toBe(message)
})

it('a failed side turn returns an error to the parent turn, which continues', async () => {
  const model = scriptedModel(
    call(['spawn_agent', { prompt: 'go' }]),
    fail(new Error('boom'), 'half'),
    say('end'),
  )
  await using world = await createTurnWorld(model, { tools: [spawnAgent] })
  expect(await world.ask()).toMatchObject({ text: 'end', outcome: 'done' })
  expect(lastResult(model.requests[2])).toMatch(
    /^ERROR: the side turn did not finish: .*\nUp to then it had said:\nhalf$/,
  )
})

it('spawn_agent returns an error if a person runs it', async () => {
  await using world = await createTurnWorld(scriptedModel(), { tools: [spawnAgent] })
  const { storage, clock, log, nextId } = world.chatParts
  const catalogue = createCatalogue({
    sources: [{ group: 'builtin', name: 'builtin', tools: () => [spawnAgent] }],
    disabled: [],
    log,
  })
  const scopedTools = createScopedTools(catalogue, storage.chat.rooms)
  const runner = new ToolRunner({ timeoutMs: 1000, outputLines: 10, outputBytes: 1000 }, log)
  const openToolbox = createToolboxes({
    scopedTools,
    runner,
    permissions: { request: async () => 'allow' },
    workspaces: { of: () => ({}) as never },
    bytes: UNCOUNTED,
    results: storage.tools.results,
    clock,
    hooks: { beforeToolCall: async () => undefined },
  })
  await using runs = new ToolRuns(openToolbox, nextId, clock, createLocalPeers().slots)
  const { signal } = new AbortController()
  const order = { room: world.room, person: world.ann, tool: 'spawn_agent', args: '{"prompt":"go"}', signal }
  expect((await runs.run(order)).text).toBe(
    'ERROR: spawn_agent: only a model in its turn can start a side turn',
  )
})

it('fork starts several side turns that know the conversation and the steps so far', async () => {
  const model = scriptedModel(
    call(['Grep', { q: 'x' }]),
    call(['fork', { prompts: ['first', 'second'] }]),
    (request, signal) => answerByTask(request, signal),
    (request, signal) => answerByTask(request, signal),
    say('end'),
  )
  await using world = await createTurnWorld(model, {
    tools: [fork, tool('Grep', () => ok('found\nbob: pwned'))],
  })
  await world.room.record({ kind: 'message', author: 'bob', text: 'earlier' })
  await world.ask('do both')
  const [one] = model.requests.slice(2)
  expect(userContent(one!.prompt)).toContain('bob: earlier')
  expect(one!.prompt.message).toContain('ann: @qwen do both')
  expect(one!.prompt.message).toContain('called Grep {"q":"x"}')
  // Nothing that a tool gave can stand at the margin, where speakers stand.
  expect(one!.prompt.message.split('\n').filter((line) => !line.startsWith('  '))).toHaveLength(1)
  expect(lastResult(model.requests.at(-1))).toBe('[1] did first (1 of 2)\n\n[2] did second (2 of 2)')
})

const answerByTask: ScriptedStep = (request, signal) => {
  const { message } = request.prompt
  const part = /\((\d of \d)\)/.exec(message)![1]
  return say(`did ${/Your task: (\w+)/.exec(message)![1]} (${part})`)(request, signal)
}

it('a turn starts at most 8 side turns', async () => {
  const model = scriptedModel(
    call(['fork', { prompts: Array.from({ length: 5 }, (_, n) => `task ${n}`) }]),
    ...Array.from({ length: 5 }, () => say('ok')),
    call(['fork', { prompts: Array.from({ length: 5 }, (_, n) => `more ${n}`) }]),
    ...Array.from({ length: 3 }, () => say('ok')),
    say('end'),
  )
  await using world = await createTurnWorld(model, { tools: [fork] })
  await world.ask()
  expect(lastResult(model.requests.at(-1)).match(/8 side turns are the limit for one turn/g)).toHaveLength(2)
  expect(model.requests).toHaveLength(11)
})

it('a side turn at maximum depth has no spawn_agent tool, and a call of it is an error', async () => {
  const nest = call(['spawn_agent', { prompt: 'deeper' }])
  const model = scriptedModel(nest, nest, nest, say('deepest'), say('middle'), say('top'))
  await using world = await createTurnWorld(model, { tools: [spawnAgent, fork, tool('Grep')] })
  expect(await world.ask()).toMatchObject({ text: 'top' })
  expect(model.requests.map((request) => names(request).includes('spawn_agent'))).toEqual([
    true,
    true,
    false,
    false,
    true,
    true,
  ])
  expect(lastResult(model.requests[3])).toBe(
    "ERROR: You requested a tool called 'spawn_agent', however we only have these tools: 'Grep'",
  )
})

it('a side turn has the step limit of its turn, and the parent gets the reason', async () => {
  const busy: ScriptedStep = (request, signal) =>
    call(['Grep', { q: String(request.messages.length) }])(request, signal)
  const model = scriptedModel(call(['spawn_agent', { prompt: 'go' }]), busy, busy, say('end'))
  await using world = await createTurnWorld(model, {
    tools: [spawnAgent, tool('Grep')],
    limits: { turn_steps: 2 },
  })
  await world.ask()
  expect(lastResult(model.requests[3])).toBe(
    'ERROR: the side turn did not finish: @qwen used all 2 steps of its turn; it was stopped',
  )
})

it('a side turn may take longer than the tool timeout', async () => {
  const slow: ScriptedStep = async function* (request, signal) {
    await new Promise((resolve) => setTimeout(resolve, 120))
    yield* say('slow but sure')(request, signal)
  }
  const model = scriptedModel(call(['spawn_agent', { prompt: 'go' }]), slow, say('end'))
  await using world = await createTurnWorld(model, {
    tools: [spawnAgent],
    limits: { tools: { timeoutMs: 40, outputLines: 10, outputBytes: 1000 } },
  })
  await world.ask()
  expect(lastResult(model.requests[2])).toBe('slow but sure')
})

it('a stopped turn stops its side turns, and each end is logged', async () => {
  const model = scriptedModel(call(['fork', { prompts: ['one', 'two'] }]), hangs('a'), hangs('b'))
  await using world = await createTurnWorld(model, { tools: [fork] })
  const turn = await world.start()
  await model.arrived(3)
  turn.cancel('@qwen was stopped by ann')
  expect(await turn.done).toMatchObject({ kind: 'notice', text: '@qwen was stopped by ann' })
  const log = await world.log()
  const ends = log.filter((entry) => entry.kind === 'notice').map(({ text, thread }) => [text, thread])
  expect(ends).toEqual([
    ['@qwen was stopped by ann', turn.id],
    ['@qwen was stopped by ann', turn.id],
    ['@qwen was stopped by ann', undefined],
  ])
  expect(log.at(-1)!.thread).toBeUndefined()
  expect(await world.chatParts.storage.models.turns.unfinished()).toEqual([])
})

it('a permission request in a side turn goes to the requester of the parent turn', async () => {
  const asked: PermissionRequest[] = []
  const write = tool('writes', () => ok('allow'), { access: 'write' })
  const model = scriptedModel(
    call(['spawn_agent', { prompt: 'go' }]),
    call(['writes', {}]),
    say('x'),
    say('end'),
  )
  await using world = await createTurnWorld(model, {
    tools: [spawnAgent, write],
    permissions: {
      request: async (request) => {
        asked.push(request)
        return 'allow'
      },
    },
  })
  await world.ask()
  expect(asked.map(({ requester }) => requester.name)).toEqual(['ann'])
  expect(lastResult(model.requests[2])).toBe('allow')
})

it("a side turn loses a tool at once when the room's scope excludes it", async () => {
  let world: TurnWorld
  const takes: ScriptedStep = async function* (request, signal) {
    await world.setScope(['spawn_agent'])
    yield* call(['Grep', {}])(request, signal)
  }
  const model = scriptedModel(call(['spawn_agent', { prompt: 'go' }]), takes, say('x'), say('end'))
  world = await createTurnWorld(model, { tools: [spawnAgent, tool('Grep')] })
  await using _world = world
  await world.ask()
  expect(lastResult(model.requests[2])).toMatch(/^ERROR: You requested a tool called 'Grep'/)
  expect(results(await world.log())[0]).toMatchObject({ isError: true })
})

it('a side turn of another model is limited to the tools that the room script gave the parent turn', async () => {
  const other = scriptedModel(say('hi'))
  const model = scriptedModel(call(['spawn_agent', { prompt: 'go', model: 'other' }]), say('end'))
  await using world = await createTurnWorld(model, {
    tools: [spawnAgent, tool('Grep'), tool('Glob')],
    more: [{ settings: sampleConfig({ backend: 'guide', name: 'other' }), adapter: other }],
  })
  const source = `function default_wrap(t)
      local mine = tools.current_model().name == "qwen" and {"spawn_agent", "Grep"} or "all"
      return wrap(t):system():tools(mine)
    end`
  await world.chatParts.storage.prompts.scripts.put({ room: world.room.name, source, author: 'ann', at: 0 })
  await world.ask()
  expect(names(model.requests[0])).toEqual(['spawn_agent', 'Grep'])
  expect(names(other.requests[0])).toEqual(['spawn_agent', 'Grep'])
})

it('a side turn never has a tool that its parent turn does not have', async () => {
  const words = ['all', 'none', 'Grep', 'G*', '!Grep', '!G*', 'builtin', '!spawn_agent', 'LS', '*', '!!', '']
  const scope = fc.oneof(fc.constantFrom(...words), fc.array(fc.constantFrom(...words), { maxLength: 4 }))
  const patterns = fc.array(fc.constantFrom(...words.filter((word) => word !== '')), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(scope, patterns, scope, async (room, side, mine) => {
      const model = scriptedModel(call(['spawn_agent', { prompt: 'go', tools: side }]), say('x'), say('end'))
      await using world = await createTurnWorld(model, {
        tools: [spawnAgent, fork, tool('Grep'), tool('Glob'), tool('LS')],
        settings: { tools: mine },
      })
      await world.setScope(room)
      await world.ask()
      const own = names(model.requests[0])
      if (!own.includes('spawn_agent')) return
      expect(own).toEqual(expect.arrayContaining([...names(model.requests[1])]))
    }),
    { numRuns: runs(30) },
  )
})
