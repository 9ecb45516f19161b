import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/lib/json.ts'
import { mistakeIn, schemasIn, completeSchema } from '../../../src/lib/json-schema.ts'

describe('a schema that the draft does not allow', () => {
  it.each<[JsonObject, string]>([
    [{ properties: { n: { minimum: 'one' } } }, 'properties.n.minimum must be a number'],
    [{ properties: { n: { exclusiveMinimum: true } } }, 'properties.n.exclusiveMinimum must be a number'],
    [{ items: [{ type: 'string' }] }, 'items must be a schema'],
    [{ properties: { a: { required: true } } }, 'properties.a.required must be a list of texts'],
    [{ anyOf: [] }, 'anyOf must be a list of schemas'],
    [{ anyOf: [{ type: 'text' }] }, 'anyOf.0.type must be a type of JSON, or a list of them'],
    [{ $defs: { a: { enum: 'x' } } }, '$defs.a.enum must be a list'],
    [{ properties: [] }, 'properties must be an object of schemas'],
    [{ items: { maxLength: -1 } }, 'items.maxLength must be a whole number, 0 or more'],
    [{ uniqueItems: 'yes' }, 'uniqueItems must be true or false'],
    [{ description: 5 }, 'description must be a text'],
  ])('%j is told: %s', (schema, mistake) => {
    expect(mistakeIn(schema)).toBe(mistake)
  })

  it('is none of those that say the same in data, or in words that the draft does not know', () => {
    const schema = {
      type: ['object', 'null'],
      properties: {
        minimum: { default: { minimum: 'x' }, const: { type: 5 } },
        type: true,
        $ref: { type: 'string' },
      },
      'x-note': { items: 5 },
      additionalProperties: false,
    }
    expect(mistakeIn(schema)).toBeUndefined()
  })

  it('does not break the check, whatever stands in it', () => {
    const key = fc.constantFrom('properties', 'items', 'anyOf', 'type', 'required', '$defs', '__proto__', 'x')
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 5 }, fc.jsonValue(), fc.dictionary(key, tie('value'), { maxKeys: 4 })),
    }))
    fc.assert(
      fc.property(fc.dictionary(key, value), (given) => {
        const schema = JSON.parse(JSON.stringify(given)) as JsonObject
        const mistake = mistakeIn(schema)
        expect(typeof mistake === 'string' || mistake === undefined).toBe(true)
        expect(mistakeIn(completeSchema(schema))).toBe(mistake)
        expect([...schemasIn(schema)][0]).toEqual({ at: '', schema })
      }),
    )
  })
})

it('each list gets items and each object properties, and data that looks like one stays as it is', () => {
  const list = { type: 'array' }
  expect(
    completeSchema({
      properties: {
        a: list,
        b: { type: ['array', 'null'], items: { type: 'array' } },
        type: { const: list },
      },
      anyOf: [list, { type: ['object', 'null'] }],
      default: list,
      type: 'object',
    }),
  ).toEqual({
    type: 'object',
    properties: {
      a: { type: 'array', items: {} },
      b: { type: ['array', 'null'], items: { type: 'array', items: {} } },
      type: { const: list },
    },
    anyOf: [
      { type: 'array', items: {} },
      { type: ['object', 'null'], properties: {} },
    ],
    default: list,
  })
})
