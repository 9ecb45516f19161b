import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type FilledBudget, fillBudget } from '../../../src/prompt/budget.ts'
import { EXACT_FRAMING } from '../../../src/prompt/model-settings.ts'
import type { Layer } from '../../../src/prompt/layers.ts'
import { userContent } from '../../../src/prompt/prompt.ts'
import type { PricedTools } from '../../../src/prompt/rungs.ts'
import { fullText } from '../../../src/prompt/trim.ts'
import { tokenCounters } from '../../support/token-counters.ts'
import { runs } from '../../support/runs.ts'
import { anyCharacter } from '../../support/any-character.ts'

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

describe('filling a budget', () => {
  test('counts what is sent, never goes over the target, and keeps whole what it says it keeps', () => {
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

  test('gives no layer a token less because of one of lower priority', () => {
    fc.assert(
      fc.property(layers, layer, target, (list, extra, tokens) => {
        const more = [...list, { ...extra, priority: 10, name: 'extra' }]
        expect(fill(more, tokens).layers.slice(0, -1)).toEqual(fill(list, tokens).layers)
      }),
      { numRuns: runs(1000) },
    )
  })

  test('keeps the order in which layers were named, whatever their priorities', () => {
    fc.assert(
      fc.property(layers, fc.array(fc.integer(), { minLength: 6, maxLength: 6 }), (list, priorities) => {
        const other = list.map((one, index) => ({ ...one, priority: priorities[index]! }))
        const [a, b] = [fill(list, 100_000), fill(other, 100_000)]
        expect([b.system, b.context]).toEqual([a.system, a.context])
      }),
      { numRuns: runs(500) },
    )
  })

  test('gives the same tokens first to what is more important, and to the earlier one of equals', () => {
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
    tools: {
      chosen: { full: ['a'], short: [], deferred: [] },
      text: 'text',
      cheapest: false,
      findable: 0,
    },
  }
  const offer = (tokens: number, last: boolean): PricedTools => ({
    tools: [{ id: 'a', name: 'a', form: 'full', tokens }],
    tokens,
    cap: 50,
    share: 50,
    last,
  })

  test('asks for fewer tools where theirs are too many, and drops them where there is nothing cheaper', () => {
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

  test('asks for fewer tools where a layer that must be there comes after them', () => {
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
})
