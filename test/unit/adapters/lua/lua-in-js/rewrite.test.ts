import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LuaSyntaxError } from '../../../../../src/adapters/lua/lua-in-js/rewrite/parse.ts'
import { rewriteLua } from '../../../../../src/adapters/lua/lua-in-js/rewrite/rewrite.ts'
import { readSnippets } from '../../../../support/lua-snippets/corpus.ts'

/** All that may be in a rewritten chunk: our own names, whole numbers, a few words of Lua and signs. */
const ours =
  /^(?:v\d+|k\d+|h_[a-z_]+|\d+|\.\.\.|[(),=]|and|do|else|elseif|end|false|for|function|if|in|local|nil|not|return|then|true|while|break|\s+)*$/
const bytes = (text: string): string => Buffer.from(text).toString('latin1')

describe('rewritten Lua', () => {
  test('has nothing of the source in it, whatever the source says', () => {
    let rewritten = 0
    for (const { source } of readSnippets()) {
      try {
        expect(rewriteLua(bytes(source), 'x').text).toMatch(ours)
        rewritten += 1
      } catch (error) {
        if (!(error instanceof LuaSyntaxError)) throw error
      }
    }
    expect(rewritten).toBeGreaterThan(400)
  })

  test('keeps any text in its constants, byte for byte', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        const source = bytes(text)
        const quoted = [...source]
          .map((sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)
          .join('')
        const { text: made, constants } = rewriteLua(`return "${quoted}"`, 'x')
        expect(made).toMatch(ours)
        expect(constants).toContain(source)
      }),
    )
  })

  test('takes or refuses any text, and throws nothing else', () => {
    const words = fc.constantFrom(
      'local',
      'x',
      '=',
      'end',
      'if',
      'then',
      '(',
      ')',
      '{',
      '}',
      '"',
      '1',
      '..',
      '...',
      'function',
      '<const>',
      '::a::',
      'goto',
      '\n',
      '--',
      '[[',
      ']]',
      'return',
      'é',
    )
    fc.assert(
      fc.property(fc.array(words, { maxLength: 20 }), (parts) => {
        try {
          expect(rewriteLua(bytes(parts.join(' ')), 'x').text).toMatch(ours)
        } catch (error) {
          expect(error).toBeInstanceOf(LuaSyntaxError)
          expect((error as Error).message).toMatch(/^x:\d+: /)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test.each([
    ['parentheses', `return ${'('.repeat(50_000)}1${')'.repeat(50_000)}`],
    ['tables', `return ${'{'.repeat(50_000)}${'}'.repeat(50_000)}`],
    ['functions', `${'return function() '.repeat(20_000)}${'end '.repeat(20_000)}`],
    ['concatenations', `return 1${' .. 1'.repeat(50_000)}`],
  ])('refuses %s that are nested too deep', (_what, source) => {
    expect(() => rewriteLua(source, 'script')).toThrow('script:1: the chunk has too many syntax levels')
  })

  test('numbers its places from where it is told to', () => {
    const { text, sites } = rewriteLua('f()', 'x', 100)
    expect(sites.length).toBeGreaterThan(1)
    expect(text).toContain('h_call(100, ')
  })
})
