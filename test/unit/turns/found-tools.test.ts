import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/lib/json.ts'
import type { Tool } from '../../../src/tools/tool.ts'
import type { ModelEvent, ModelRequest } from '../../../src/turns/ports.ts'
import { MANY_RUNS } from '../../support/any-tools.ts'
import { call, say, scriptedModel, type ScriptedStep } from '../../support/scripted-model.ts'
import { createTurnWorld, tool, type TurnWorld } from '../../support/turn-world.ts'

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

describe('find_tools', () => {
  it('brings what it found once, though the scope comes to have it in full in mid-turn', async () => {
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

  it('lets the oldest of what it found give way, but not what was called', async () => {
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

  it('says of a tool that is too large how much it needs, and how much there is', async () => {
    const tools = [...many(40), large('picker', 3000)]
    const model = scriptedModel(search('picker'), call(['picker', {}]), say('ok'))
    await using world = await createTurnWorld(model, { tools, settings })
    expect(await world.ask()).toMatchObject({ kind: 'reply', text: 'ok' })
    expect(model.requests[1]!.messages.at(-1)).toMatchObject({
      content: expect.stringMatching(
        /^picker is too large for you: it needs \d{4,} tokens, \d{3,4} are there for tools that you find\.$/,
      ) as string,
    })
    expect(namesIn(model.requests[1]!)).not.toContain('picker')
  })

  it('names those for which there is no room together', async () => {
    const tools = [...many(40), ...Array.from({ length: 6 }, (_, index) => large(`picker_${index}`, 150))]
    const model = scriptedModel(search('picker'), say('ok'))
    await using world = await createTurnWorld(model, { tools, settings })
    await world.ask()
    const { content } = model.requests[1]!.messages.at(-1) as { content: string }
    const promised = [...content.matchAll(/^- \*\*(\w+)\*\*/gm)].map((match) => match[1]!)
    expect(promised.length).toBeGreaterThan(0)
    expect(namesIn(model.requests[1]!)).toEqual(expect.arrayContaining(promised))
    expect(content).toMatch(/ask for one by its name: picker_\d/)
  })

  it('promises no more in two searches of one step than fits', async () => {
    const groups = Array.from(
      { length: 7 },
      (_, index) => ['find_tools', { query: `group${index}` }] as const,
    )
    const model = scriptedModel(call(...groups), say('ok'))
    await using world = await createTurnWorld(model, { tools: many(60), settings })
    await world.ask()
    const { messages, tools } = model.requests[1]!
    const texts = messages.flatMap((one) => (one.role === 'tool' ? one.content : []))
    const promised = texts.flatMap((text) =>
      [...text.matchAll(/^- \*\*(\w+)\*\*/gm)].map((match) => match[1]!),
    )
    expect(promised.length).toBeGreaterThan(8)
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(promised))
  })
})

describe('whatever a model searches and calls, and whoever changes the scope meanwhile', () => {
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

  it('no turn ends because of tools, nothing is sent twice, and every request is within the window', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), { maxLength: 8 }),
        fc.integer({ min: 3000, max: 12_000 }),
        fc.nat(70),
        async (acts, contextWindow, count) => {
          const steps = acts.map(
            (some): ScriptedStep =>
              async function* (request): AsyncGenerator<ModelEvent> {
                for (const one of some) if (one.kind === 'scope') await world.setScope(one.scope)
                yield* call(...some.flatMap((one, index) => callFor(one, request, index)))(request, noSignal)
              },
          )
          const model = scriptedModel(...steps, say('ok'))
          const tools = [
            ...many(count, 60),
            ...Array.from({ length: 5 }, (_, n) => large(`picker_${n}`, 40 * 3 ** n)),
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
      { numRuns: 12 * MANY_RUNS },
    )
  })

  const noSignal = new AbortController().signal

  /** A call of a tool that the request has, each with other arguments: the same again would stop the turn. */
  function callFor(
    one: { kind: string; query?: string; at?: number },
    request: ModelRequest,
    index: number,
  ): readonly (readonly [string, unknown])[] {
    const nonce = `${request.messages.length} ${index}`
    if (one.kind === 'search') return [['find_tools', { query: `${one.query} ${nonce}` }]]
    if (one.kind === 'call')
      return [[request.tools[one.at! % Math.max(1, request.tools.length)]?.name ?? 'none', { q: nonce }]]
    return [['nothing', { q: nonce }]]
  }
})
