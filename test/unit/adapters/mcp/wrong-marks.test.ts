import { expect, test } from 'vitest'
import { hasWrongMarks } from '../../../../src/adapters/mcp/client/tool-list.ts'
import type { JsonObject } from '../../../../src/lib/json.ts'

const marked = (name: string | number, type: string | string[] = 'string'): JsonObject => ({
  type,
  'x-mcp-header': name,
})
const withProperties = (properties: JsonObject): JsonObject => ({ type: 'object', properties })

test('a schema may mark its arguments in whatever depth, and have an argument that is called like the mark', () => {
  const schema = withProperties({
    a: marked('A'),
    'x-mcp-header': { type: 'string' },
    b: withProperties({ c: marked('C-d', 'boolean') }),
    d: { type: 'object', default: { 'x-mcp-header': 1 } },
  })
  expect(hasWrongMarks(schema)).toBe(false)
})

test.each([
  withProperties({ a: marked('') }),
  withProperties({ a: marked('A: x\r\nB') }),
  withProperties({ a: marked(7) }),
  withProperties({ a: marked('A', 'number') }),
  withProperties({ a: marked('A', ['string']) }),
  withProperties({ a: marked('A'), b: marked('a') }),
  withProperties({ a: { type: 'array', items: marked('A') } }),
  { ...withProperties({}), anyOf: [withProperties({ a: marked('A') })] },
  { ...withProperties({}), ...marked('A', 'object') },
])('the marks of %j are wrong', (schema) => {
  expect(hasWrongMarks(schema)).toBe(true)
})
