import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../../../src/lib/json.ts'
import { createCatalogue } from '../../../src/toolbox/catalogue.ts'
import { createOffer } from '../../../src/toolbox/offer.ts'
import type { ScopedTools } from '../../../src/toolbox/scoped-tools.ts'
import { userContent, type Prompt } from '../../../src/prompt/prompt.ts'
import { WrapError } from '../../../src/prompt/ports.ts'
import { effectiveScope } from '../../../src/prompt/scope.ts'
import type { Snapshot } from '../../../src/prompt/snapshot.ts'
import { catalogue, messages, row, sampleSnapshot, sampleTool, snapshotFor } from '../../support/snapshot.ts'
import { memoryLog } from '../../support/society.ts'
import { tool } from '../../support/turn-world.ts'
import { createWorkbench, type Workbench } from '../../support/workbench.ts'

/** What wrap() promises, for whatever room, tools, script and target; with the real Lua and the real tokenizer. */
let bench: Workbench
let other: Workbench
beforeAll(async () => {
  bench = await createWorkbench()
  other = await createWorkbench()
})
afterAll(() => {
  bench.engine.close()
  other.engine.close()
})

const text = fc.oneof(
  fc.string({ maxLength: 120, unit: 'binary' }),
  fc.constantFrom(
    '漢字'.repeat(40),
    '👩‍👩‍👧'.repeat(20),
    'a'.repeat(900),
    'line\n'.repeat(20),
    '/x\n/y',
    '\n',
    ' ',
  ),
)
const someTools = fc
  .array(fc.record({ description: text, words: fc.nat(40), hasSchema: fc.boolean() }), { maxLength: 8 })
  .map((list) =>
    catalogue(
      ...list.map(({ description, words, hasSchema }, index) =>
        sampleTool(`t${index}`, {
          description: `${description} ${'and more '.repeat(words)}`,
          ...(hasSchema ? {} : { schema: { type: 'object' } }),
        }),
      ),
    ),
  )
const snapshot = fc
  .record({
    target: fc.integer({ min: 0, max: 2500 }),
    tools: someTools,
    history: fc.array(text, { maxLength: 12 }),
    topic: text,
    message: text,
    toolsShare: fc.constantFrom(0, 0.1, 0.4, 0.9, 1),
  })
  .map(({ target, tools, history, topic, message, toolsShare }) =>
    snapshotFor(target, {
      tools,
      history: history.map((said, index) => row(index, { text: said })),
      room: { ...sampleSnapshot().room, topic },
      message,
      toolsShare,
    }),
  )

const recount = (prompt: Prompt): number =>
  [
    prompt.system,
    userContent(prompt),
    ...prompt.tools.flatMap((one) => (one.definition ? [JSON.stringify(one.definition)] : [])),
  ].reduce((sum, part) => sum + bench.counter.count(part), 0)

/** The prompt, or the message of the refusal that a budget is allowed to give. */
function composed(make: () => Prompt): Prompt | string {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof WrapError)) throw error
    expect(error.reason).toBe('budget')
    expect(error.message).toMatch(/^wrap: (layer ".+"|the message) needs \d+ tokens, \d+ of \d+ are left/)
    return error.message
  }
}

const script = (layers: string): string => `function default_wrap(t) return wrap(t)${layers} end`
const custom = (name: string, priority: number, rest = ''): string =>
  `:custom("${name}", tools.look().topic, ${priority}${rest})`

describe('whatever is in a snapshot', () => {
  test('a prompt is never over its target, and what it says of itself is what is sent', () => {
    fc.assert(
      fc.property(snapshot, (given) => {
        const prompt = composed(() => bench.compose(given))
        if (typeof prompt === 'string') return
        expect(prompt.budget.used).toBe(recount(prompt))
        expect(prompt.budget.used).toBeLessThanOrEqual(prompt.budget.target)
        const layer = prompt.layers.find((one) => one.name === 'tools')
        expect(layer?.tokens ?? 0).toBeLessThanOrEqual(Math.floor(prompt.budget.target * given.toolsShare))
      }),
      { numRuns: 400 },
    )
  })

  test('no layer has a token less because of one of lower priority, tools included', () => {
    const high = [
      custom('a', 1),
      custom('b', 2, ', true, {trim = "head"}'),
      custom('c', 3, ', false, {trim = "tail"}'),
    ]
    const reports = (given: Snapshot, layers: readonly string[]) => {
      const prompt = composed(() => bench.run(script(layers.join('')), given))
      return typeof prompt === 'string'
        ? prompt
        : prompt.layers.filter((one) => ['a', 'b', 'c'].includes(one.name))
    }
    fc.assert(
      fc.property(snapshot, fc.nat(3), (given, place) => {
        const low = [':history()', ':tools()', custom('d', 4, ', true, {trim = "head"}')]
        const all = [...high.slice(0, place), ...low, ...high.slice(place)]
        expect(reports(given, all)).toEqual(reports(given, high))
      }),
      { numRuns: 250 },
    )
  })

  test('the text stands in the order of the script, whatever its priorities', () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const priorities = fc.array(fc.integer({ min: -5, max: 200 }), { minLength: 5, maxLength: 5 })
    fc.assert(
      fc.property(snapshot, priorities, (given, list) => {
        const layers = names.map(
          (name, index) => `:custom("${name}", "<${name}>", ${list[index]!}, ${index % 2 === 0})`,
        )
        const prompt = composed(() => bench.run(script(layers.join('')), given))
        if (typeof prompt === 'string') return
        expect(prompt.layers.map((one) => one.name)).toEqual(names)
        const kept = prompt.layers.filter((one) => one.status === 'kept').map((one) => `<${one.name}>`)
        for (const part of [prompt.system, prompt.context])
          expect(part.split('\n\n').filter((one) => one !== '')).toEqual(
            kept.filter((one) => part.includes(one)),
          )
      }),
      { numRuns: 250 },
    )
  })

  test('the same snapshot gives the same bytes, in another engine and after other prompts', () => {
    let before = sampleSnapshot()
    fc.assert(
      fc.property(snapshot, (given) => {
        const first = composed(() => bench.compose(given))
        composed(() => other.compose(before))
        expect(JSON.stringify(composed(() => other.compose(given)))).toBe(JSON.stringify(first))
        expect(JSON.stringify(composed(() => bench.compose(structuredClone(given))))).toBe(
          JSON.stringify(first),
        )
        before = given
      }),
      { numRuns: 150 },
    )
  })
})

describe('a scope', () => {
  const ids = ['sshawl_look', 'look', 'sshawl_who', 'Grep', 'read_file', 'holler_sample', 'holler_look']
  const log = memoryLog()
  const all = createCatalogue({
    sources: [{ group: 'builtin', name: 'builtin', tools: () => toolList }],
    disabled: [],
    log,
  })
  const toolList = ids.map((id) => tool(id))
  const pattern = fc.constantFrom(
    '*',
    '!look',
    'look',
    '*look',
    'holler_*',
    '!*',
    'Grep',
    'builtin',
    '!holler_*',
    'x',
  )
  const scope = fc.oneof(
    fc.array(pattern, { maxLength: 4 }),
    fc.constantFrom('all', 'none', null, 5, [], [5]),
  )

  test('is one set: what is shown is what is sent is what can be called', () => {
    fc.assert(
      fc.property(scope, scope, scope, fc.integer({ min: 900, max: 3000 }), (room, model, later, target) => {
        const toolsOf = (value: unknown): ScopedTools => ({
          ...effectiveScope(all().tools, { room: value, model, role: 'member' }),
          catalogue: all(),
          scope: null,
          role: 'member',
        })
        const now = toolsOf(room)
        const values: { readonly [key: string]: Json } = room === null ? {} : { tool_scope: room }
        const given = snapshotFor(target, { tools: now.visible, room: { ...sampleSnapshot().room, values } })
        const prompt = bench.compose(given)
        const shown = now.visible.map((one) => one.name)
        const sent = prompt.tools.filter((one) => one.id !== 'find_tools')
        if (sent.length > 0 || shown.length === 0) expect(sent.map((one) => one.name)).toEqual(shown)
        const listed = [...prompt.system.matchAll(/^- \*\*(.+?)\*\*/gm)].map((match) => match[1])
        if (prompt.layers.some((one) => one.name === 'tools' && one.status === 'kept'))
          expect(listed).toEqual(shown)
        const offer = createOffer(
          prompt,
          now,
          new Set(shown.map((name) => now.visible.find((one) => one.name === name)!.id)),
        )
        const afterwards = toolsOf(later)
        for (const one of all().tools) {
          const isSent = sent.some(({ id }) => id === one.id)
          expect(offer.resolve(one.name, now)?.id).toBe(isSent ? one.id : undefined)
          const stays = isSent && afterwards.visible.some(({ id }) => id === one.id)
          expect(offer.resolve(one.name, afterwards)?.id).toBe(stays ? one.id : undefined)
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('at the edges', () => {
  test('every target from nothing to enough is either met or refused, and grows without a jump back', () => {
    const given = { tools: catalogue(sampleTool('a'), sampleTool('b')), history: messages(20) }
    let kept = 0
    for (let target = 0; target <= 1200; target += 7) {
      const prompt = composed(() => bench.compose(snapshotFor(target, given)))
      if (typeof prompt === 'string') {
        expect(kept).toBe(0)
        continue
      }
      expect(prompt.budget.used).toBeLessThanOrEqual(target)
      const now = prompt.layers.filter((one) => one.status === 'kept' && one.priority < 50).length
      expect(now).toBeGreaterThanOrEqual(kept)
      kept = now
    }
    expect(kept).toBe(5)
  })

  test('a tool with a description of 100,000 tokens is sent with its first sentence only', () => {
    const description = `Reads a file. ${'word '.repeat(100_000)}`
    expect(bench.counter.count(description)).toBeGreaterThanOrEqual(100_000)
    const huge = catalogue(sampleTool('huge', { description }), sampleTool('small'))
    const prompt = bench.compose(sampleSnapshot({ tools: huge }))
    expect(prompt.tools.map((one) => `${one.name} ${one.form}`)).toEqual(['huge short', 'small short'])
    expect(prompt.tools[0]!.definition!.description).toBe('Reads a file.')
    expect(prompt.system).toContain('- **huge**: Reads a file.\n- **small**: Does what small says.\n')
  })

  test('schemas that refer to themselves and to each other are sent as they are', () => {
    const schema = {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/node' }, again: { $ref: '#' } },
      $defs: {
        node: { type: 'object', properties: { leaf: { $ref: '#/$defs/leaf' } } },
        leaf: { $ref: '#/$defs/node' },
      },
    }
    const prompt = bench.compose(sampleSnapshot({ tools: catalogue(sampleTool('tree', { schema })) }))
    expect(JSON.stringify(prompt.tools[0]!.definition!.parameters)).toBe(JSON.stringify(schema))
    expect(prompt.budget.used).toBe(recount(prompt))
  })

  test('one giant message is cut at its end, on a whole character, and says how much is missing', () => {
    /** As long as a reply can be. */
    const giant = (unit: string): string => unit.repeat(65_536 / unit.length)
    const story = (unit: string): Prompt =>
      bench.run(
        script(':history()'),
        snapshotFor(60, { history: [row(1, { text: giant(unit) })], message: '' }),
      )
    for (const unit of ['漢', '😀', '👩‍👩‍👧', 'word ', 'a']) {
      const prompt = story(unit)
      const [heading, omission, said, missing] = prompt.context.split('\n')
      expect([heading, omission]).toEqual(['## The conversation so far', '[earlier entries left out]'])
      expect(said!.isWellFormed()).toBe(true)
      expect(giant(unit).startsWith(said!.slice('bob: '.length))).toBe(true)
      expect(missing).toMatch(/^… \[\d+ tokens left out\]$/)
      expect(prompt.budget.used).toBeLessThanOrEqual(60)
      expect(prompt.budget.used).toBeGreaterThanOrEqual(45)
    }
  })

  test('messages of few tokens and many bytes cannot fill the way back from Lua, whatever the model', () => {
    for (const character of ['-', '"', '\n', ' ', '漢'])
      for (const target of [2000, 40_000]) {
        const history = Array.from({ length: 500 }, (_, index) =>
          row(index, { text: `${character.repeat(3999)}.` }),
        )
        const prompt = bench.compose(snapshotFor(target, { history }))
        expect(prompt.budget.used).toBeLessThanOrEqual(target)
        expect(prompt.context).toContain('## The conversation so far\n[earlier entries left out]\nbob: ')
      }
  })

  test('an empty room with nobody in it and nothing to answer has only what the system says', () => {
    const prompt = bench.compose(sampleSnapshot({ present: [], message: '', history: [] }))
    expect(prompt.layers.map((one) => one.name)).toEqual(['system', 'model_identity', 'room', 'user'])
    expect(prompt.context).toBe('## The room\nName: lobby\n\nalice is asking you; their role here is owner.')
    expect(prompt.tools).toEqual([])
  })
})
