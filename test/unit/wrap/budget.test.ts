import fc from 'fast-check'
import { expect, test, afterAll } from 'vitest'
import { type FilledBudget, fillBudget } from '../../../src/wrap/budget.ts'
import { EXACT_FRAMING } from '../../../src/wrap/model-settings.ts'
import type { Layer } from '../../../src/wrap/layers.ts'
import { userContent } from '../../../src/wrap/prompt.ts'
import type { PricedTools } from '../../../src/wrap/scope/rungs.ts'
import { fullText } from '../../../src/wrap/trim.ts'
import { tokenCounters } from '../../support/token-counters.ts'
import { runs } from '../../support/runs.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { composed, recount } from '../../support/any-snapshot.ts'
import { catalogue, messages, row, sampleSnapshot, sampleTool, snapshotFor } from '../../support/snapshot.ts'
import { createWorkbench } from '../../support/workbench.ts'

const counter = tokenCounters.of('o200k_base')

/** Texts whose counts change where they meet others, and texts that are cut in awkward places. */
const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 150, unit: anyCharacter }),
  fc.constantFrom('x', '/x\n/y\n', '\n \n', ' ', ')\n', '漢字'.repeat(40), '👩‍👩‍👧'.repeat(20), 'a'.repeat(700)),
  fc
    .array(fc.constantFrom('one: word', 'two: a few more words', '  indented', ''), {
      minLength: 1,
      maxLength: 25,
    })
    .map((lines) => lines.join('\n')),
)
const layer: fc.Arbitrary<Omit<Layer, 'name'>> = fc.record({
  priority: fc.oneof(fc.integer({ min: -2, max: 4 }), fc.double({ noNaN: true, min: -2, max: 4 })),
  text,
  system: fc.boolean(),
  required: fc.constant(false),
  trim: fc.constantFrom('none' as const, 'head' as const, 'tail' as const, 'oldest' as const),
  heading: fc.constantFrom('', '## Heading'),
})
const layers = fc
  .array(layer, { maxLength: 6 })
  .map((list) => list.map((one, index): Layer => ({ ...one, name: `l${index}` })))
const target = fc.integer({ min: 0, max: 400 })

const framing = EXACT_FRAMING

const fill = (list: readonly Layer[], tokens: number, message = '', offer?: PricedTools): FilledBudget => {
  const filled = fillBudget(list, offer, { target: tokens, message, framing, counter })
  if ('toolTokens' in filled) throw new Error('there are no tools here')
  return filled
}
const used = ({ sums }: FilledBudget): number =>
  sums.system + sums.context + sums.message + sums.tools + sums.framing

test('a filled budget counts the sent tokens within the target, and no kept layer is cut', () => {
  fc.assert(
    fc.property(layers, target, (list, tokens) => {
      const filled = fill(list, tokens)
      expect(used(filled)).toBe(
        counter.count(filled.system) + counter.count(userContent({ ...filled, message: '' })),
      )
      expect(used(filled)).toBeLessThanOrEqual(tokens)
      for (const [index, report] of filled.layers.entries()) {
        const where = list[index]!.system ? filled.system : filled.context
        if (report.status === 'kept') expect(where).toContain(fullText(list[index]!))
        if (report.status === 'dropped')
          expect(report).toMatchObject({ tokens: 0, note: expect.stringContaining('needs') })
      }
    }),
    { numRuns: runs(1000) },
  )
})

test('the most important layer gets the tokens first, and the earlier one of two equal layers', () => {
  const named = (name: string, priority: number): Layer => ({
    name,
    priority,
    text: 'ten words that are always worth the same ten tokens',
    system: false,
    required: false,
    trim: 'none',
    heading: '',
  })
  const status = (list: readonly Layer[]): readonly string[] =>
    fill(list, 15).layers.map((one) => `${one.name} ${one.status}`)
  expect(status([named('a', 2), named('b', 1)])).toEqual(['a dropped', 'b kept'])
  expect(status([named('a', 1), named('b', 1)])).toEqual(['a kept', 'b dropped'])
  expect(status([named('a', 0.5), named('b', -0.5)])).toEqual(['a dropped', 'b kept'])
})

const tools: Layer = {
  name: 'tools',
  priority: 1,
  text: 'text',
  system: true,
  required: false,
  trim: 'head',
  heading: '',
  tools: { chosen: { full: ['a'], short: [], deferred: [] }, text: 'text', cheapest: false, findable: 0 },
}
const offer = (tokens: number, last: boolean): PricedTools => ({
  tools: [{ id: 'a', name: 'a', form: 'full', tokens }],
  tokens,
  cap: 50,
  share: 50,
  last,
})

test('the budget asks for fewer tools if they exceed their share, or else drops all', () => {
  const terms = { target: 100, message: '', framing, counter }
  expect(fillBudget([tools], offer(60, false), terms)).toEqual({ toolTokens: 50 })
  expect(fillBudget([tools], offer(60, true), terms)).toMatchObject({
    tools: [],
    layers: [{ status: 'dropped', note: 'needs 61 tokens, 100 of 100 are left; tools may have 50' }],
  })
  expect(fillBudget([tools], offer(40, false), terms)).toMatchObject({
    sums: { tools: 40 },
    layers: [{ tokens: 41 }],
  })
})

test('the budget asks for fewer tools if a later required layer needs the space', () => {
  const must: Layer = {
    name: 'must',
    priority: 2,
    text: 'ten words that are always worth the same ten tokens',
    system: false,
    required: true,
    trim: 'none',
    heading: '',
  }
  const terms = { target: 45, message: '', framing, counter }
  expect(fillBudget([tools, must], offer(40, false), terms)).toEqual({ toolTokens: 35 })
  expect(() => fillBudget([must], undefined, { ...terms, target: 9 })).toThrow(
    'wrap: layer "must" needs 10 tokens, 9 of 9 are left',
  )
})

const bench = await createWorkbench()
afterAll(() => bench.engine.close())

test('a larger target keeps at least as many layers, and a target that is too small is refused', () => {
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

test('schemas that refer to themselves and to each other are sent unchanged', () => {
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
  expect(prompt.budget.used).toBe(recount(prompt, bench.counter))
})

test("a history of few tokens and many bytes fits into the size limit of Lua's result", () => {
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

test('an empty room without people and message has only the system, model, room and user layers', () => {
  const prompt = bench.compose(sampleSnapshot({ present: [], message: '', history: [] }))
  expect(prompt.layers.map((one) => one.name)).toEqual(['system', 'model_identity', 'room', 'user'])
  expect(prompt.context).toBe('## The room\nName: lobby\n\nalice is asking you; their role here is owner.')
  expect(prompt.tools).toEqual([])
})
