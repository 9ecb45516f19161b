import fc from 'fast-check'
import * as luaparse from 'luaparse'
import { describe, expect, test } from 'vitest'
import { createNodes, rewriteLua } from '../../../../../src/adapters/lua/lua-in-js/rewrite.ts'
import { readSnippets } from '../../../../support/lua-snippets/corpus.ts'
import { runs } from '../../../../support/runs.ts'
import { anyCharacter } from '../../../../support/any-character.ts'

const bytes = (text: string): string => Buffer.from(text).toString('latin1')
const rewrite = (source: string): object => rewriteLua(luaparse, source, createNodes())

/** All that lua-in-js writes into JavaScript as it is: the names and the numbers of a tree. */
function written(tree: unknown): readonly string[] {
  const found: string[] = []
  JSON.stringify(tree, (key, value: unknown) => {
    if (typeof value === 'object' && value !== null && 'type' in value && 'value' in value) {
      if (value.type === 'NumericLiteral') found.push(`js ${String(value.value)}`)
    }
    if (key === 'name') found.push(`name ${String(value)}`)
    return value
  })
  return found
}

/** A name; or, in place of a number, a number, a text as JSON, the start or end of a block, a line, or one of our words. */
const OURS =
  /^(?:name [A-Za-z_]\w*|js (?:\((?:[\d.]+(?:e[+-]\d+)?|Infinity)\)|"(?:[^"\\\n\r]|\\["\\bfnrt]|\\u[\da-f]{4})*"|B\d+: \{|\}|break B\d+|\/\*\d+\*\/|true|__lua\.method|var vars, vals))$/

describe('the tree from which lua-in-js makes JavaScript', () => {
  test('has of a script only names, numbers, and texts as JSON', () => {
    let rewritten = 0
    for (const { source } of readSnippets()) {
      try {
        for (const part of written(rewrite(bytes(source)))) expect(part).toMatch(OURS)
        rewritten += 1
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error
      }
    }
    expect(rewritten).toBeGreaterThan(450)
  })

  test('keeps any text as it is, byte for byte', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 40 }), (text) => {
        const source = bytes(text)
        const escapes = Array.from(source, (sign) => `\\${String(sign.charCodeAt(0)).padStart(3, '0')}`)
        const parts = written(rewrite(`return "${escapes.join('')}"`))
        for (const part of parts) expect(part).toMatch(OURS)
        expect(parts).toContain(`js ${JSON.stringify(source)}`)
      }),
    )
  })

  test('names no variable as JavaScript names one of its own', () => {
    const source = 'local constructor, __proto__ = 1 for new = 1, 2 do step = new end return toString, _ENV'
    const names = written(rewrite(source)).filter((part) => part.startsWith('name '))
    expect(new Set(names)).toEqual(
      new Set(
        ['v_constructor', 'v___proto__', 'v_new', 'step', 'toString', 'v__ENV'].map((name) => `name ${name}`),
      ),
    )
  })

  test('is made of any text, or the text is refused as wrong Lua, and nothing else is thrown', () => {
    const words = fc.constantFrom(
      ...['local', 'x', '=', 'end', 'if', 'then', '(', ')', '{', '}', '"', '1', '..', '...', 'function', ':'],
      ...[
        '<const>',
        '::a::',
        'goto',
        '\n',
        '--',
        '[[',
        ']]',
        'return',
        'é',
        'repeat',
        'until',
        'break',
        'for',
      ],
    )
    fc.assert(
      fc.property(fc.array(words, { maxLength: 20 }), (parts) => {
        try {
          for (const part of written(rewrite(bytes(parts.join(' '))))) expect(part).toMatch(OURS)
        } catch (error) {
          if (!(error instanceof SyntaxError)) throw error
          expect(error.message).toMatch(/^\[\d+:\d+\] /)
        }
      }),
      { numRuns: runs(1000) },
    )
  })
})
