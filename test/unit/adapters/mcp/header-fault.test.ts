import { expect, test } from 'vitest'
import { headerFault } from '../../../../src/adapters/mcp/client/tool-list.ts'
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
  expect(headerFault(schema)).toBeUndefined()
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
])('the marks of %j are wrong', (schema, why) => {
  expect(headerFault(schema)).toContain(why)
})
