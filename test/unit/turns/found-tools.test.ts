import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json } from '../../../src/base/json.ts'
import type { Tool } from '../../../src/tools/tool.ts'
import type { ModelEvent, ModelRequest } from '../../../src/wrap/loop/model.ts'
import { MANY_RUNS } from '../../support/any-tools.ts'
import { call, say, scriptedModel, type ScriptedStep } from '../../support/scripted-model.ts'
import { createTurnWorld, tool, type TurnWorld } from '../../support/turn-world.ts'
import { runs } from '../../support/runs.ts'

/** Tools that are found and called in a turn: none of it may end the turn, or send anything twice. */
const many = (count: number, words = 20): Tool[] =>
  Array.from({ length: count }, (_, index) =>
    tool(`tool_${index}`, undefined, {
      description: `Handles matter ${index} of group${index % 7}. ${'In detail. '.repeat(words)}`,
    }),
  )
const settings = { contextWindow: 5000, maxOutput: 500 }
const search = (query: string): ScriptedStep => call(['find_tools', { query }])
const namesIn = ({ tools }: ModelRequest): readonly string[] => tools.map(({ name }) => name)
/** A large schema: all of it stays in the short form. */
const large = (id: string, choices: number): Tool =>
  tool(id, undefined, {
    description: 'Picks.',
    schema: {
      type: 'object',
      properties: { one: { enum: Array.from({ length: choices }, (_, index) => `c${index}`) } },
    },
  })

/** The tools that an answer of `find_tools` lists under one of its headings. */
const toolsUnder = (heading: string, answer: string): readonly string[] => {
  const list = (answer.split(`${heading}\n`)[1] ?? '').split(/^[^-]/m)[0] ?? ''
  return [...list.matchAll(/^- \*\*(\w+)\*\*/gm)].map((match) => match[1]!)
}
const resultIn = ({ messages }: ModelRequest): string => {
  const last = messages.at(-1)
  return last?.role === 'tool' ? last.content : ''
}

it('find_tools names tools that the model already has, and these tools stay offered', async () => {
  const model = scriptedModel(search('matter number 7'), call(['tool_7', {}]), say('ok'))
  await using world = await createTurnWorld(model, { tools: many(200), settings })
  expect(await world.ask()).toMatchObject({ kind: 'reply', text: 'ok' })
  const [first, second, third] = model.requests
  expect(namesIn(first!)).toContain('tool_7')
  expect(toolsUnder('You have these already:', resultIn(second!))[0]).toBe('tool_7')
  expect(namesIn(second!)).toContain('tool_7')
  expect(resultIn(third!)).not.toMatch(/^ERROR/)
})

it('find_tools keeps to tools_tokens, and a limit of 0 offers all tools if the window is large', async () => {
  const limits = { tools_tokens: 1500 }
  const wide = { contextWindow: 100_000, maxOutput: 500 }
  const model = scriptedModel(search('matter 150'), call(['tool_150', {}]), say('ok'))
  await using world = await createTurnWorld(model, { tools: many(200), settings: wide, limits })
  expect(await world.ask()).toMatchObject({ kind: 'reply', text: 'ok' })
  for (const { prompt } of model.requests) {
    const layer = prompt.layers.find(({ name }) => name === 'tools')
    expect(layer?.tokens).toBeLessThanOrEqual(1500)
    expect(layer?.tokens).toBeGreaterThan(1000)
  }
  expect(namesIn(model.requests[0]!)).not.toContain('tool_150')
  expect(namesIn(model.requests[1]!)).toContain('tool_150')
  const whole = scriptedModel(say('ok'))
  const unbound = { tools: many(200), settings: wide, limits: { tools_tokens: 0 } }
  await using other = await createTurnWorld(whole, unbound)
  await other.ask()
  expect(namesIn(whole.requests[0]!)).toHaveLength(200)
  expect(namesIn(whole.requests[0]!)).not.toContain('find_tools')
})

it('find_tools loads the only exact match and no tools that share only common words with the query', async () => {
  const model = scriptedModel(search('the matter with number 042, please'), say('ok'))
  await using world = await createTurnWorld(model, { tools: many(200), settings })
  await world.ask()
  const [first, second] = model.requests
  expect(namesIn(first!)).not.toContain('tool_42')
  const loaded = toolsUnder('You can call these from the next step on:', resultIn(second!))
  expect(loaded[0]).toBe('tool_42')
  expect(loaded).toEqual(['tool_42'])
})

it('repeated searches with find_tools load all deferred tools of a topic', async () => {
  const model = scriptedModel(...Array.from({ length: 3 }, () => search('group3')), say('ok'))
  await using world = await createTurnWorld(model, {
    tools: many(200, 1),
    settings: { contextWindow: 16_000, maxOutput: 1000 },
  })
  await world.ask()
  const [first, ...later] = model.requests
  const ofTopic = Array.from({ length: 29 }, (_, index) => `tool_${7 * index + 3}`)
  const deferred = ofTopic.filter((name) => !namesIn(first!).includes(name))
  expect(ofTopic.length - deferred.length).toBeGreaterThan(8)
  expect(deferred.length).toBeGreaterThan(8)
  const answers = later.map(resultIn)
  expect(toolsUnder('You can call these from the next step on:', answers[0]!)).toHaveLength(8)
  expect(toolsUnder('You have these already:', answers[0]!)).toHaveLength(8)
  const loaded = answers.flatMap((answer) => toolsUnder('You can call these from the next step on:', answer))
  expect(loaded).toEqual(expect.arrayContaining(deferred))
})

it('find_tools shortens a long query in its answer', async () => {
  const model = scriptedModel(search('zzz'.repeat(2000)), say('ok'))
  await using world = await createTurnWorld(model, { tools: many(200), settings })
  await world.ask()
  expect(resultIn(model.requests[1]!)).toMatch(/^No tool matches "(zzz){33}z…"; try other words\.$/)
})

it('the error for a call of an unloaded tool names find_tools', async () => {
  const deferred = async function* (request: ModelRequest): AsyncGenerator<ModelEvent> {
    expect(namesIn(request)).not.toContain('tool_59')
    yield* call(['tool_59', { q: 'x' }])(request, new AbortController().signal)
  }
  const model = scriptedModel(deferred, say('ok'))
  await using world = await createTurnWorld(model, { tools: many(60), settings })
  await world.ask()
  expect(resultIn(model.requests[1]!)).toBe(
    "ERROR: 'tool_59' is there, but it is not loaded: call find_tools with its name first",
  )
})

it('a tool that find_tools displaced stays callable, and a call offers it again', async () => {
  const groups = [2, 3, 4, 6].map((index) => search(`group${index}`))
  const pushedOut = async function* (request: ModelRequest): AsyncGenerator<ModelEvent> {
    expect(namesIn(request)).not.toContain('tool_5')
    yield* call(['tool_5', { q: 'x' }])(request, new AbortController().signal)
  }
  const model = scriptedModel(...groups, pushedOut, say('ok'))
  await using world = await createTurnWorld(model, { tools: many(60), settings })
  expect(await world.ask()).toMatchObject({ kind: 'reply', text: 'ok' })
  expect(namesIn(model.requests[0]!)).toContain('tool_5')
  const last = model.requests.at(-1)!
  expect(resultIn(last)).not.toMatch(/^ERROR/)
  expect(namesIn(last)).toContain('tool_5')
})

it('a tool that the scope excludes in mid-turn is not callable any more', async () => {
  const steps: ScriptedStep[] = [
    async function* (request) {
      await world.setScope(['*', '!tool_5'])
      yield* call(['tool_5', { q: 'x' }])(request, new AbortController().signal)
    },
    call(['tool_5', { q: 'y' }]),
    say('ok'),
  ]
  const model = scriptedModel(...steps)
  const world: TurnWorld = await createTurnWorld(model, { tools: many(60), settings })
  await using _ = world
  await world.ask()
  for (const request of model.requests.slice(1))
    expect(resultIn(request)).toMatch(/^ERROR: You requested a tool called 'tool_5'/)
})

it('a found tool is offered only once if a new scope also offers its full form', async () => {
  const steps: ScriptedStep[] = [
    search('tool_7'),
    async function* () {
      await world.setScope(['tool_7', 'tool_8'])
      yield* call(['tool_7', { q: 'x' }])({} as ModelRequest, new AbortController().signal)
    },
    say('ok'),
  ]
  const model = scriptedModel(...steps)
  const world: TurnWorld = await createTurnWorld(model, { tools: many(60), settings })
  await using _ = world
  expect(await world.ask()).toMatchObject({ kind: 'reply', text: 'ok' })
  expect(namesIn(model.requests[1]!)).toContain('tool_7')
  expect(namesIn(model.requests[2]!)).toEqual(['tool_7', 'tool_8'])
})

it('find_tools displaces the tools that were found first, but no called tool', async () => {
  const groups = Array.from({ length: 7 }, (_, index) => search(`group${index}`))
  const model = scriptedModel(search('tool_59'), call(['tool_59', {}]), ...groups, say('ok'))
  await using world = await createTurnWorld(model, { tools: many(60), settings })
  expect(await world.ask()).toMatchObject({ kind: 'reply', text: 'ok' })
  const last = model.requests.at(-1)!
  expect(namesIn(last)).toContain('tool_59')
  expect(namesIn(last)).toContain('tool_6')
  expect(namesIn(last)).not.toContain('tool_0')
  expect(last.messages.filter((one) => one.role === 'tool')).toHaveLength(9)
})

it('find_tools says how many tokens a too large tool needs, and how many tokens are free', async () => {
  const tools = [...many(40), large('picker', 3000)]
  const model = scriptedModel(search('picker'), call(['picker', {}]), say('ok'))
  await using world = await createTurnWorld(model, { tools, settings })
  expect(await world.ask()).toMatchObject({ kind: 'reply', text: 'ok' })
  expect(model.requests[1]!.messages.at(-1)).toMatchObject({
    content: expect.stringMatching(
      /^picker is too large for you: it needs \d{4,} tokens, and \d{3,4} are left for tools that you find\.$/,
    ) as string,
  })
  expect(namesIn(model.requests[1]!)).not.toContain('picker')
})

it('find_tools names the matching tools for which no space is left', async () => {
  const tools = [...many(40), ...Array.from({ length: 6 }, (_, index) => large(`picker_${index}`, 150))]
  const model = scriptedModel(search('picker'), say('ok'))
  await using world = await createTurnWorld(model, { tools, settings })
  await world.ask()
  const { content } = model.requests[1]!.messages.at(-1) as { content: string }
  const promised = toolsUnder('You can call these from the next step on:', content)
  expect(promised.length).toBeGreaterThan(0)
  expect(namesIn(model.requests[1]!)).toEqual(expect.arrayContaining([...promised]))
  expect(content).toMatch(/ask for one by its name: picker_\d/)
})

it('several find_tools calls in one step name only tools that the next request offers', async () => {
  const groups = Array.from({ length: 7 }, (_, index) => ['find_tools', { query: `group${index}` }] as const)
  const model = scriptedModel(call(...groups), say('ok'))
  await using world = await createTurnWorld(model, { tools: many(60), settings })
  await world.ask()
  const { messages, tools } = model.requests[1]!
  const texts = messages.flatMap((one) => (one.role === 'tool' ? one.content : []))
  const promised = texts.flatMap((text) => toolsUnder('You can call these from the next step on:', text))
  expect(promised.length).toBeGreaterThan(8)
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining([...promised]))
})

const act = fc.oneof(
  fc.record({
    kind: fc.constant('search' as const),
    query: fc.constantFrom('group3', 'tool_1', 'picker', 'matter'),
  }),
  fc.record({ kind: fc.constant('call' as const), at: fc.nat(30) }),
  fc.record({
    kind: fc.constant('scope' as const),
    scope: fc.constantFrom<Json>('all', ['*', '!tool_1*'], ['tool_3*', 'picker*'], 'none', ['!picker*']),
  }),
)

it('random searches, calls and scope changes end no turn, and all requests fit the window', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), { maxLength: 8 }),
      fc.oneof(fc.integer({ min: 2000, max: 12_000 }), fc.integer({ min: 12_000, max: 200_000 })),
      fc.oneof(fc.nat(70), fc.nat(500)),
      async (acts, contextWindow, count) => {
        const steps = acts.map(
          (some): ScriptedStep =>
            async function* (request): AsyncGenerator<ModelEvent> {
              for (const one of some) if (one.kind === 'scope') await world.setScope(one.scope)
              yield* call(...some.flatMap((one) => callFor(one, request)))(request, noSignal)
            },
        )
        const model = scriptedModel(...steps, say('ok'))
        const tools = [
          ...many(count, 60),
          ...Array.from({ length: 5 }, (_, n) => large(`picker_${n}`, 40 * 3 ** n)),
          large('picker_huge', 6000),
        ]
        const world = await createTurnWorld(model, { tools, settings: { contextWindow, maxOutput: 500 } })
        await using _ = world
        expect(await world.ask()).toMatchObject({ kind: 'reply', text: 'ok' })
        for (const request of model.requests) {
          const names = namesIn(request)
          expect(new Set(names).size).toBe(names.length)
          const { budget, tools: inPrompt } = request.prompt
          expect(budget.used).toBeLessThanOrEqual(budget.target)
          expect(names).toEqual(inPrompt.flatMap(({ definition }) => definition?.name ?? []))
        }
        // What a turn has said takes its place from the prompt; where it is shortened, some of that comes back.
        const targets = model.requests.map(({ prompt }) => prompt.budget.target)
        expect(Math.max(...targets)).toBe(targets[0])
      },
    ),
    { numRuns: runs(12 * MANY_RUNS) },
  )
})

const noSignal = new AbortController().signal
let calls = 0

/** A call of a tool that the request has, each with other arguments: the same again would stop the turn. */
function callFor(
  one: { kind: string; query?: string; at?: number },
  request: ModelRequest,
): readonly (readonly [string, unknown])[] {
  const nonce = `${calls++}`
  if (one.kind === 'search') return [['find_tools', { query: `${one.query} ${nonce}` }]]
  if (one.kind === 'call')
    return [[request.tools[one.at! % Math.max(1, request.tools.length)]?.name ?? 'none', { q: nonce }]]
  return [['nothing', { q: nonce }]]
}
