import { expect, it } from 'vitest'
import { createModel } from '../../../../src/adapters/models/index.ts'
import type { JsonObject } from '../../../../src/lib/json.ts'
import { geminiWire } from '../../../support/hosted-wires.ts'
import { collect, definition, sampleConfig, sampleRequest } from '../../../support/model-request.ts'
import { startModelServer } from '../../../support/model-server.ts'

/** The parameters of a tool as Gemini receives them. */
async function sent(parameters: JsonObject): Promise<unknown> {
  await using server = await startModelServer()
  server.play(geminiWire.says('ok'))
  const config = sampleConfig({ backend: 'gemini', endpoint: server.endpoint, apiKey: 'k', model: 'm-1' })
  const request = sampleRequest({ tools: [{ ...definition('Grep'), parameters }] })
  await collect(createModel(config).stream(request, new AbortController().signal))
  const [group] = server.requests[0]!.body.tools as unknown as [
    { functionDeclarations: [{ parameters: unknown }] },
  ]
  return group.functionDeclarations[0].parameters
}

const withValue = (value: JsonObject): JsonObject => ({ type: 'object', properties: { value } })
const valueSent = async (value: JsonObject): Promise<unknown> =>
  ((await sent(withValue(value))) as { properties: { value: unknown } }).properties.value

it.each([
  [
    'numbers as texts, as the SDK does',
    { enum: [1, 2] },
    { type: 'number', format: 'enum', enum: ['1', '2'] },
  ],
  ['mixed values as texts', { enum: [1, 'auto', true] }, { type: 'string', enum: ['1', 'auto', 'true'] }],
  [
    'mixed values with null as texts that may be absent',
    { enum: [1, 'auto', null] },
    { type: 'string', nullable: true, enum: ['1', 'auto'] },
  ],
  ['values of another type than is named', { type: 'integer', enum: ['a'] }, { type: 'string', enum: ['a'] }],
  ['no empty list of values', { type: 'string', enum: [] }, { type: 'string' }],
  ['an object as a constant', { const: { a: 1 } }, { type: 'string', enum: ['{"a":1}'] }],
  ['null alone', { type: 'string', enum: [null] }, { type: 'string' }],
])('Gemini is sent %s', async (_, value, expected) => {
  expect(await valueSent(value as JsonObject)).toEqual(expected)
  expect(await valueSent({ type: 'array', items: value })).toEqual({
    type: 'array',
    items: expected,
  })
})

it('Gemini is sent a type that has itself within as an object at that place', async () => {
  const node = {
    type: 'object',
    properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node', description: 'the next one' } },
  }
  expect(await sent({ ...withValue({ $ref: '#/$defs/node' }), $defs: { node } })).toEqual({
    type: 'object',
    properties: {
      value: {
        type: 'object',
        properties: { name: { type: 'string' }, next: { type: 'object', description: 'the next one' } },
      },
    },
  })
})

it('Gemini is sent two types that have each other, and references that lead nowhere, as objects', async () => {
  const refTo = (name: string): JsonObject => ({
    type: 'object',
    properties: { other: { anyOf: [{ $ref: `#/definitions/${name}` }, { enum: [1, 'a'] }] } },
  })
  const definitions = { a: refTo('b'), b: refTo('a') }
  const values = { type: 'string', enum: ['1', 'a'] }
  const b = { type: 'object', properties: { other: { anyOf: [{ type: 'object' }, values] } } }
  const a = { type: 'object', properties: { other: { anyOf: [b, values] } } }
  expect(await sent({ ...withValue({ $ref: '#/definitions/a' }), definitions })).toEqual(withValue(a))
  for (const $ref of ['#', '#/$defs/none', '#/properties/value', 'https://example.org/x', '#/$defs/%'])
    expect(await sent(withValue({ $ref }))).toEqual(withValue({ type: 'object' }))
})

it('Gemini is sent the definition that an encoded reference names', async () => {
  const $defs = { 'a/b c': { type: 'integer' } }
  expect(await sent({ ...withValue({ $ref: '#/$defs/a~1b%20c' }), $defs })).toEqual(
    withValue({ type: 'integer' }),
  )
})
