import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Prompt } from '../../../src/prompt/prompt.ts'
import { composed, recount } from '../../support/any-snapshot.ts'
import { catalogue, messages, row, sampleSnapshot, sampleTool, snapshotFor } from '../../support/snapshot.ts'
import { createWorkbench, type Workbench } from '../../support/workbench.ts'

/** What wrap() makes of the smallest and the largest; with the real Lua and the real tokenizer. */
let bench: Workbench
beforeAll(async () => {
  bench = await createWorkbench()
})
afterAll(() => bench.engine.close())

const script = (layers: string): string => `function default_wrap(t) return wrap(t)${layers} end`

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
    expect(prompt.tools.map((one) => `${one.name} ${one.form}`)).toEqual(['huge short', 'small full'])
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
    expect(prompt.budget.used).toBe(recount(prompt, bench.counter))
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
