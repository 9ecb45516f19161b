import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/lib/json.ts'
import {
  headersFor,
  readHeaderArguments,
} from '../../../../src/adapters/mcp/client/revisions/header-arguments.ts'
import { anyCharacter } from '../../../support/any-character.ts'

const marked = (name: string | number, type: string | string[] = 'string'): JsonObject => ({
  type,
  'x-mcp-header': name,
})
const withProperties = (properties: JsonObject): JsonObject => ({ type: 'object', properties })

describe('arguments that are sent as headers', () => {
  test('are those that the schema marks, in whatever depth', () => {
    const schema = withProperties({
      a: marked('A'),
      'x-mcp-header': { type: 'string' },
      b: withProperties({ c: marked('C-d', 'boolean') }),
      d: { type: 'object', default: { 'x-mcp-header': 1 } },
    })
    expect(readHeaderArguments(schema)).toEqual([
      { path: ['a'], name: 'A' },
      { path: ['b', 'c'], name: 'C-d' },
    ])
    expect(headersFor(schema, { a: 'x', b: { c: false } })).toEqual({
      'Mcp-Param-A': 'x',
      'Mcp-Param-C-d': 'false',
    })
    expect(headersFor(schema, { a: null, b: 'no object' })).toEqual({})
  })

  test.each([
    [withProperties({ a: marked('') }), 'that no header can be called'],
    [withProperties({ a: marked('A: x\r\nB') }), 'that no header can be called'],
    [withProperties({ a: marked(7) }), 'that no header can be called'],
    [withProperties({ a: marked('A', 'number') }), 'no string, integer or boolean'],
    [withProperties({ a: marked('A', ['string']) }), 'no string, integer or boolean'],
    [withProperties({ a: marked('A'), b: marked('a') }), 'twice'],
    [withProperties({ a: { type: 'array', items: marked('A') } }), 'where no argument always is'],
    [{ ...withProperties({}), anyOf: [withProperties({ a: marked('A') })] }, 'where no argument always is'],
    [{ ...withProperties({}), ...marked('A', 'object') }, 'where no argument always is'],
  ])('make a tool unusable where the mark is wrong: %j', (schema, why) => {
    expect(readHeaderArguments(schema)).toEqual({ why: expect.stringContaining(why) })
    expect(headersFor(schema, { a: 'x' })).toEqual({})
  })

  test('carry any text, and no line of their own', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const value = headersFor(withProperties({ a: marked('A') }), { a: text })['Mcp-Param-A'] ?? ''
        expect(new Headers({ value }).get('value')).toBe(value)
        const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value) ?? []
        expect(base64 === undefined ? value : Buffer.from(base64, 'base64').toString()).toBe(
          text.toWellFormed(),
        )
      }),
    )
  })
})
