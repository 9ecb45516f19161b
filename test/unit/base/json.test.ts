import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type JsonObject, MAX_JSON_VALUES, hasTooManyValues, safeJson } from '../../../src/base/json.ts'
import { completeSchema, mistakeIn, schemasIn } from '../../../src/base/json-schema.ts'
import { anyCharacter } from '../../support/any-character.ts'

test('safeJson gives JSON without control characters that parses to the same value', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const json = safeJson({ [text]: [text] })
      expect(json).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      expect(JSON.parse(json)).toEqual({ [text]: [text] })
    }),
  )
  expect(safeJson('\u009b2J\u202e\u{e0041}\u2028x')).toBe('"\\u009b2J\\u202e\\udb40\\udc41\\u2028x"')
})

const MOST = MAX_JSON_VALUES

test.each([
  ['a list of all that is allowed', `[${Array.from({ length: MOST - 1 }, () => 0).join()}]`, false],
  ['a list of one more', `[${Array.from({ length: MOST }, () => 0).join()}]`, true],
  ['an object with half as many keys', `{${Array.from({ length: MOST / 2 }, () => '"a":1').join()}}`, true],
  ['many nested empty lists', '['.repeat(MOST), true],
  ['a long text of commas', JSON.stringify(',:[{'.repeat(MOST)), false],
  ['texts with quotes and backslashes', JSON.stringify({ a: '\\"'.repeat(MOST), b: '\\' }), false],
  ['a text without an end', `"${','.repeat(MOST)}\\`, false],
  ['values after a text that ends in a backslash', `["\\\\"${',1'.repeat(MOST)}]`, true],
])('hasTooManyValues counts the keys and values of %s', (_what, text, isTooMany) => {
  expect(hasTooManyValues(text)).toBe(isTooMany)
})

test.each<[JsonObject, string]>([
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
])('the invalid schema %j is reported with: %s', (schema, mistake) => {
  expect(mistakeIn(schema)).toBe(mistake)
})

test('the schema check ignores data and unknown keywords that look like mistakes', () => {
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

test('no schema makes the check or the completion throw', () => {
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

test('completeSchema adds items to arrays and properties to objects, but not inside data', () => {
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
