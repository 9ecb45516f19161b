import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseArguments } from '../../../src/toolbox/tool-call.ts'

describe('the arguments of a call', () => {
  it('are either an object or an error sentence, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const parsed = parseArguments(text)
        if (parsed.ok) expect(Array.isArray(parsed.value) || typeof parsed.value !== 'object').toBe(false)
        else expect(parsed.error).toMatch(/^the arguments /)
      }),
      { numRuns: 1000 },
    )
  })

  it('come back as they were written, for any JSON object', () => {
    const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 }))
    fc.assert(
      fc.property(objects, (value) => {
        const text = JSON.stringify(value)
        expect(parseArguments(text)).toEqual({ ok: true, value: JSON.parse(text) })
        expect(parseArguments(JSON.stringify(text))).toEqual({ ok: true, value: JSON.parse(text) })
      }),
    )
  })

  it('are refused, not overflowed on, when they nest a hundred thousand deep', () => {
    const text = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    expect(parseArguments(text)).toEqual({ ok: false, error: 'the arguments are nested more than 64 deep' })
  })
})
