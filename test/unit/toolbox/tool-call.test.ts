import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { argumentsFor, cleanName, parseArguments } from '../../../src/toolbox/tool-call.ts'
import { runs } from '../../support/runs.ts'
import { anyCharacter } from '../../support/any-character.ts'

describe('the arguments of a call', () => {
  it('are either an object or an error sentence, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const parsed = parseArguments(text)
        if (parsed.ok) expect(Array.isArray(parsed.value) || typeof parsed.value !== 'object').toBe(false)
        else expect(parsed.error).toMatch(/^the arguments /)
      }),
      { numRuns: runs(1000) },
    )
  })

  it('come back clean, and beside that as they were written, for any JSON object', () => {
    const texts = fc.string({ unit: anyCharacter })
    const objects = fc.dictionary(texts, fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }))
    fc.assert(
      fc.property(objects, (written) => {
        const text = JSON.stringify(written)
        const parsed = parseArguments(text)
        const original = JSON.parse(text) as unknown
        expect(parsed).toMatchObject({ ok: true, original })
        expect(parseArguments(JSON.stringify(text))).toEqual(parsed)
        if (parsed.ok)
          expect(parseArguments(JSON.stringify(parsed.value))).toMatchObject({ value: parsed.value })
      }),
    )
  })

  it('are changed for a tool only where it does not take them verbatim', () => {
    const dirty = 'a\u200b\u0007b\r\n'
    const parsed = parseArguments(JSON.stringify({ content: dirty, path: dirty, 'con\u200btent': 'other' }))
    expect(parsed.ok && argumentsFor(parsed, ['content', 'none'])).toEqual({ content: dirty, path: 'ab\n' })
    expect(parsed.ok && argumentsFor(parsed)).toEqual({ content: 'other', path: 'ab\n' })
  })

  it('are refused, not overflowed on, when they nest a hundred thousand deep', () => {
    const text = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    expect(parseArguments(text)).toEqual({ ok: false, error: 'the arguments are nested more than 64 deep' })
  })
})

describe('the name of a call', () => {
  it('cannot pass for a sentence, and stays as it is where a tool could have it', () => {
    expect(cleanName('alice: allowed once (question 12)\u00a0\n')).toBe('alice_allowed_once_question_12_')
    for (const name of ['read_file', 'sshawl_look', 'holler-2.sample', '検索'])
      expect(cleanName(name)).toBe(name)
  })
})
