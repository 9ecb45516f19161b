import fc from 'fast-check'
import { expect, test, it } from 'vitest'
import { z } from 'zod'
import { toInput, toSchema, type Parameter, type ValueType } from '../../../src/tools/wrapped/parameters.ts'
import { type JsonSchema, type Json, isJsonObject } from '../../../src/base/json.ts'
import { ArgumentError, checkArguments } from '../../../src/tools/arguments.ts'
import { calculator } from '../../../src/tools/builtin/calculator/calculator.ts'
import { contextFor } from './context.ts'
import { defineTool, type PlainParameters, type PlainToolSpec } from '../../../src/index.ts'
import { BUILTIN_IDS, builtinTools } from '../../../src/tools/builtin/index.ts'
import { todoTools } from '../../../src/turns/room-tools/todo.ts'
import { ROOM_TOOL_IDS, roomTools } from '../../../src/turns/room-tools/index.ts'
import { createChatParts } from '../../support/chat-parts.ts'

const parameter = (name: string, type: ValueType, required = false): Parameter => ({
  name,
  type,
  required,
  description: '',
})
const text: ValueType = { type: 'string' }
const point: ValueType = {
  type: 'object',
  description: '',
  properties: [parameter('x', { type: 'integer' }, true), parameter('label', text)],
}
const parameters = [
  parameter('name', text, true),
  parameter('count', { type: 'integer' }),
  parameter('on', { type: 'boolean' }),
  parameter('words', { type: 'array', items: text }),
  parameter('points', { type: 'array', items: point }),
  parameter('constructor', text),
]

/** What becomes of the arguments of a `.tool` file with these parameters: them, or the problem. */
function checked(args: unknown): unknown {
  try {
    return checkArguments(toInput(parameters), toSchema(parameters), args)
  } catch (error) {
    if (error instanceof ArgumentError) return error.message
    throw error
  }
}

test('a null parameter counts as absent in a .tool file at any depth', () => {
  const args = { name: 'a', count: null, words: null, points: [{ x: 1, label: null }] }
  expect(checked(args)).toEqual({ name: 'a', points: [{ x: 1 }] })
})

test('a null parameter counts as absent in a built-in tool', async () => {
  const context = contextFor({} as Parameters<typeof calculator.run>[1]['workspace'])
  const [without, withNull] = await Promise.all(
    [{ expression: '2/3' }, { expression: '2/3', precision: null }].map((args) =>
      calculator.run(args, context),
    ),
  )
  expect(withNull).toEqual(without)
  expect(await calculator.run({ expression: null }, context)).toEqual({
    content: 'ERROR: calculator: expression is required (a string)',
    isError: true,
  })
})

test('a null element of a list and a null unknown parameter are refused', () => {
  expect(checked({ name: 'a', words: ['x', null] })).toBe('words[1] must be a string, got null')
  expect(checked({ name: 'a', nix: null })).toMatch(/^unknown parameter "nix"; it takes 'name', /)
})

test.each([
  [{}, 'name is required (a string)'],
  [{ name: 5 }, 'name must be a string, got 5'],
  [{ name: 'a', count: 1.5 }, 'count must be an integer, got 1.5'],
  [JSON.parse('{"name":"a","count":1e400}'), 'count must be an integer, got a number that is too large'],
  [JSON.parse('{"name":"a","count":-1e400}'), 'count must be an integer, got a number that is too large'],
  [{ name: 'a', count: '1' }, 'count must be an integer, got "1"'],
  [{ name: 'a', on: 1 }, 'on must be a boolean, got 1'],
  [{ name: 'a', words: 'x' }, 'words must be an array of strings, got "x"'],
  [{ name: 'a', points: [{ x: 1 }, {}] }, 'points[1].x is required (an integer)'],
  [{ name: 'a', points: [7] }, 'points[0] must be an object, got 7'],
  [{ name: 'a', points: [{ x: 1, y: 2 }] }, `unknown parameter "y" in points[0]; it takes 'x', 'label'`],
  [{ name: 5, on: 1 }, 'name must be a string, got 5; on must be a boolean, got 1'],
  [[], 'arguments must be an object, got []'],
])('the arguments %j are refused with a hint', (args, problem) => {
  expect(checked(args)).toBe(problem)
})

test('arguments with many mistakes are answered with the first ones and the number of the others', () => {
  const problem = checked({ name: 'a', words: Array.from({ length: 500 }, () => 5) })
  expect(problem).toMatch(/^words\[0\] must be a string, got 5; .*; and 495 more$/)
})

test('a parameter may be called constructor, and an unknown __proto__ is refused', () => {
  expect(checked({ name: 'a' })).toEqual({ name: 'a' })
  expect(checked({ name: 'a', constructor: 'b' })).toEqual({ name: 'a', constructor: 'b' })
  expect(checked(JSON.parse('{"name":"a","__proto__":{"count":1}}'))).toMatch(
    /^unknown parameter "__proto__"/,
  )
})

test('checkArguments returns valid arguments or throws an ArgumentError for any JSON', () => {
  const input = z.strictObject({ a: z.string().optional(), b: z.array(z.int()).max(2).default([]) })
  const schema = z.toJSONSchema(input, { io: 'input' }) as JsonSchema
  fc.assert(
    fc.property(fc.jsonValue(), (args) => {
      try {
        expect(input.safeParse(checkArguments(input, schema, args)).success).toBe(true)
      } catch (error) {
        expect(error).toBeInstanceOf(ArgumentError)
      }
    }),
  )
})

const plain = {
  id: 'shout',
  description: 'Says a text loudly.',
  access: 'read',
  parameters: { text: { type: 'string', description: 'What to say.' } },
  run: () => 'x',
}

/** Defines a tool as a program without types may. */
const define = (spec: unknown) => () => defineTool(spec as PlainToolSpec<PlainParameters>)

it.each([
  [{ id: 'not an id' }, 'defineTool: id must be 1-64 letters, digits, _ and -, got "not an id"'],
  [{ id: undefined }, 'defineTool: id must be a string, got nothing'],
  [{ description: ' ' }, 'defineTool: description must say what it is for, got " "'],
  [
    { access: 'admin' },
    `defineTool: access must be one of 'read', 'write', 'execute', 'network', got "admin"`,
  ],
  [{ parameters: undefined }, 'defineTool: parameters must be an object, got nothing'],
  [
    { parameters: { p: { type: 'text', description: 'P.' } } },
    "defineTool: parameters.p.type must be one of 'string', 'number', 'integer', 'boolean', 'string[]', " +
      `'number[]', got "text"`,
  ],
  [
    { parameters: { p: { type: 'string' } } },
    'defineTool: parameters.p.description must be a string, got nothing',
  ],
  [{ run: 'x' }, 'defineTool: run must be a function, got "x"'],
  [{ asks: 'me' }, `defineTool: asks must be 'arguments' or a function, got "me"`],
  [{ verbatim: 'text' }, 'defineTool: verbatim must be an array, got "text"'],
  [{ id: 3, run: 4 }, 'defineTool: id must be a string, got 3; run must be a function, got 4'],
])('defineTool names the wrong field of %j', (change, message) => {
  expect(define({ ...plain, ...change })).toThrow(new Error(message))
})

it.each([null, undefined, 'shout', 7])('defineTool refuses %j because it is not an object', (spec) => {
  expect(define(spec)).toThrow(/^defineTool: it must be an object, got /)
})

it('defineTool refuses an input that is not a zod object', () => {
  expect(define({ ...plain, title: 'Shout', input: { type: 'object' }, parameters: {} })).toThrow(
    new Error(
      'defineTool: input must be an object of zod 4, such as z.strictObject({}), got {"type":"object"}',
    ),
  )
})

it('defineTool accepts plain parameters and a zod object', async () => {
  expect(define(plain)().schema).toMatchObject({ required: ['text'] })
  const withZod = { ...plain, title: 'Shout', input: z.strictObject({ n: z.int() }), parameters: {} }
  expect(define(withZod)().schema).toMatchObject({ required: ['n'] })
})

/** The paths of all parameters of a schema that have no text. */
function silent(schema: Json | undefined, path = ''): readonly string[] {
  if (!isJsonObject(schema)) return []
  const { properties, items } = schema
  const named = isJsonObject(properties) ? Object.entries(properties) : []
  return [
    ...silent(items, `${path}[]`),
    ...named.flatMap(([name, inner]) => {
      const here = path === '' ? name : `${path}.${name}`
      const isTold =
        isJsonObject(inner) && typeof inner['description'] === 'string' && inner['description'].trim() !== ''
      return [...(isTold ? [] : [here]), ...silent(inner, here)]
    }),
  ]
}

test('every parameter of every built-in and room tool has a description', async () => {
  const { rooms, storage } = await createChatParts()
  const tools = [
    ...builtinTools({ todo: todoTools(storage.chat.rooms), results: storage.tools.results }),
    ...roomTools({ rooms, log: storage.chat.entries, store: storage.chat.rooms }),
  ]
  expect(tools.map(({ id }) => id)).toEqual([...BUILTIN_IDS, ...ROOM_TOOL_IDS])
  expect(tools.flatMap(({ id, schema }) => silent(schema).map((name) => `${id}: ${name}`))).toEqual([])
})
