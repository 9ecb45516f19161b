import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countBatches } from '../../../../src/wrap/lua/count-batches.ts'
import { ENCODINGS } from '../../../../src/wrap/tokens/encodings.ts'
import type { UnnamedTool } from '../../../../src/wrap/scope/tool-names.ts'
import { createToolList } from '../../../../src/turns/tool-list.ts'
import { openPool, recordingLog, inRoom } from '../../../support/pool.ts'
import { runs } from '../../../support/runs.ts'
import { catalogue, sampleTool } from '../../../support/snapshot.ts'
import { tokenCounters } from '../../../support/token-counters.ts'

const MOST = 64_000

/** Texts with words, and with none: nothing in them tells where they may be cut. */
const longText = fc
  .array(fc.constantFrom('word ', 'Two words, ', 'x', '漢字', '👩‍👩‍👧', '   ', '\n', '"a":{"b":1}'), {
    minLength: 1,
    maxLength: 12,
  })
  .chain((parts) => fc.nat(200_000).map((units) => parts.join('').repeat(units / parts.join('').length + 1)))

test('batches of texts have a maximum size, lose nothing and split no character', () => {
  fc.assert(
    fc.property(fc.array(longText, { maxLength: 4 }), (texts) => {
      const batches = [...countBatches(texts)]
      const joined = texts.map(() => '')
      for (const { of, text } of batches.flat()) joined[of] += text
      expect(joined).toEqual(texts)
      for (const batch of batches)
        expect(batch.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(MOST)
      for (const { text } of batches.flat()) expect(text.isWellFormed()).toBe(true)
    }),
    { numRuns: runs(50) },
  )
})

test.each(ENCODINGS)(
  'the pieces of a split text have as many %s tokens in total as the whole text',
  (encoding) => {
    const words = fc.array(fc.stringMatching(/^[a-zA-Z0-9'",.:{}\\/ -]{1,12}$/), {
      minLength: 20,
      maxLength: 60,
    })
    fc.assert(
      fc.property(words, (parts) => {
        const text = `${parts.join(' ')} one more `.repeat(400).slice(0, 150_000)
        const sum = [...countBatches([text])]
          .flat()
          .reduce((total, piece) => total + tokenCounters.of(encoding).count(piece.text), 0)
        expect(sum).toBe(tokenCounters.of(encoding).count(text))
      }),
      { numRuns: runs(5) },
    )
  },
)

/** Tools of 10 to 20,000 tokens, as many of each length as of twice that length. */
const largeTools = (many: number): readonly UnnamedTool[] =>
  Array.from({ length: many }, (_, index) => {
    const words = Math.round(10 * 2000 ** (((index * 7) % many) / many))
    return sampleTool(`t${index}`, { description: `Does ${index} xq${index}zv. `.repeat(words / 6 + 1) })
  })

describe('three hundred large tools', { timeout: 60_000 }, () => {
  test('concurrent requests for a list of 300 large tools agree on its tokens and end no wrap process', async () => {
    const { lines, log } = recordingLog()
    await using composer = openPool({ log, encodings: ['o200k_base'], limits: { cpuMs: 400 } })
    const tools = catalogue(...largeTools(300))
    const scoped = { catalogue: { tools }, visible: tools, hidden: [], scope: 'all', warnings: [] }
    const list = createToolList(async () => scoped as never, composer)
    const answers = await Promise.all([1, 2, 3].map(() => list({} as never)))
    const known = tokenCounters.of('o200k_base')
    const { $schema: _, ...parameters } = tools[0]!.schema
    const { name, description } = tools[0]!
    expect(answers[2]!.tools[0]!.tokens).toBe(known.count(JSON.stringify({ name, description, parameters })))
    expect(answers[0]!.tokens).toBeGreaterThan(500_000)
    expect(new Set(answers.map(({ tokens }) => tokens)).size).toBe(1)
    expect(lines).toEqual([])
  })

  test('a tool description of a million characters is counted without ending a wrap process', async () => {
    const { lines, log } = recordingLog()
    await using composer = openPool({ log, encodings: ['o200k_base'] })
    const letters = Array.from({ length: 1_000_000 }, (_, at) =>
      String.fromCharCode(97 + ((at * at * 7) % 26)),
    )
    const [tokens] = await composer.count('o200k_base', [letters.join('')])
    expect(tokens).toBeGreaterThan(200_000)
    const huge = sampleTool('huge', { description: letters.join('') })
    const prompt = await composer.compose({ ...inRoom('lobby'), tools: catalogue(huge) })
    expect(prompt.budget.used).toBeLessThanOrEqual(prompt.budget.target)
    expect(lines).toEqual([])
  })
})
