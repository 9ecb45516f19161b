import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { parameterProblem, toBaseArguments } from '../../../../src/adapters/wrapped-tools/make-tool.ts'
import type { Parameter, ValueType } from '../../../../src/adapters/wrapped-tools/parameters.ts'
import { ArgumentError, checkArguments } from '../../../../src/tools/arguments.ts'
import { defineTool } from '../../../../src/tools/define-tool.ts'
import { runs } from '../../../support/runs.ts'

const input = z.strictObject({
  place: z.string(),
  days: z.int().optional(),
  height: z.number().nullable().optional(),
  inside: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
  unit: z.enum(['C', 'F']).default('C'),
})

const weather = defineTool({
  id: 'weather',
  title: 'Weather',
  description: 'Says how the weather will be.',
  access: 'read',
  input,
  run: (args) => JSON.stringify(args),
})

const text: ValueType = { type: 'string' }
const words: ValueType = { type: 'array', items: text }
const param = (name: string, type: ValueType): Parameter => ({ name, type, required: true, description: '' })
const byWords = (...given: readonly string[]) =>
  toBaseArguments({ arguments: given }, [param('arguments', words)], weather)

describe('toBaseArguments', () => {
  it('gives the words to the parameters of the base in their order, in their types', () => {
    const args = byWords('Oslo', '3', '1.5', 'true', '["a","b"]', 'F')
    const wanted = { place: 'Oslo', days: 3, height: 1.5, inside: true, tags: ['a', 'b'], unit: 'F' }
    expect(args).toEqual(wanted)
    expect(checkArguments(input, weather.schema, args)).toEqual(wanted)
  })

  it('leaves a word for a text as it is, even if it looks like a number', () => {
    expect(byWords('7')).toEqual({ place: '7' })
  })

  it('leaves a word that is no JSON to the base, which says what it must be', () => {
    expect(() => checkArguments(input, weather.schema, byWords('Oslo', 'three'))).toThrow(
      'days must be an integer, got "three"',
    )
  })

  it.each([[[]], [['Oslo', '1', '2', 'true', '[]', 'C', 'more']]])('refuses %j', (given) => {
    expect(() => byWords(...given)).toThrow(
      new ArgumentError(
        'arguments are place, days, height, inside, tags, unit, in this order: ' +
          `at least 1 and at most 6, got ${given.length}`,
      ),
    )
  })

  it('passes over the parameters that the file declares by name', () => {
    const parameters = [param('days', { type: 'integer' }), param('arguments', words)]
    expect(toBaseArguments({ days: 2, arguments: ['Oslo', '1.5'] }, parameters, weather)).toEqual({
      days: 2,
      place: 'Oslo',
      height: 1.5,
    })
  })

  it('hands a parameter called arguments on as it is if the base has one', () => {
    const base = { id: 'echo', schema: { type: 'object', properties: { arguments: { type: 'array' } } } }
    const parameters = [param('arguments', words)]
    expect(parameterProblem(parameters, base)).toBeUndefined()
    expect(toBaseArguments({ arguments: ['a', 'b'] }, parameters, base)).toEqual({ arguments: ['a', 'b'] })
  })

  it('throws nothing but an ArgumentError, whatever the words are', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.json())), (given) => {
        try {
          expect(Object.keys(byWords(...given))).toHaveLength(given.length)
        } catch (error) {
          expect(error).toBeInstanceOf(ArgumentError)
          expect(given.length === 0 || given.length > 6 || given.join('').includes('\0')).toBe(true)
        }
      }),
      { numRuns: runs(200) },
    )
  })
})

describe('parameterProblem', () => {
  it.each<[string, ValueType]>([
    ['place', text],
    ['days', { type: 'integer' }],
    ['height', { type: 'integer' }],
    ['height', { type: 'number' }],
    ['inside', { type: 'boolean' }],
    ['tags', words],
    ['unit', text],
    ['arguments', words],
  ])('finds nothing wrong with %s of type %j', (name, type) => {
    expect(parameterProblem([param(name, type)], weather)).toBeUndefined()
  })

  it.each<[string, ValueType, string]>([
    ['days', { type: 'number' }, 'days {number}'],
    ['days', text, 'days {string}'],
    ['tags', { type: 'array', items: { type: 'integer' } }, 'tags {array<integer>}'],
    ['place', { type: 'object', description: '', properties: [] }, 'place {object}'],
    ['constructor', text, 'constructor {string}'],
  ])('names %s of type %j with all that the base takes', (name, type, shown) => {
    expect(parameterProblem([param(name, type)], weather)).toBe(
      `weather cannot take @param ${shown}; it takes place {string}, days {integer}, ` +
        'height {number or null}, inside {boolean}, tags {array<string>}, unit {string}, ' +
        'or their values in this order as arguments {array<string>}',
    )
  })

  it('says that a base takes no parameters', () => {
    const clock = { id: 'clock', schema: { type: 'object', properties: {} } }
    expect(parameterProblem([param('arguments', words)], clock)).toBe(
      'clock cannot take @param arguments {array<string>}; it takes no parameters',
    )
  })
})
