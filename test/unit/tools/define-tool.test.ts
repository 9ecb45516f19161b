import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool, type PlainParameters, type PlainToolSpec } from '../../../src/index.ts'

const plain = {
  id: 'shout',
  description: 'Says a text loudly.',
  access: 'read',
  parameters: { text: { type: 'string', description: 'What to say.' } },
  run: () => 'x',
}

/** Defines a tool as a program without types may. */
const define = (spec: unknown) => () => defineTool(spec as PlainToolSpec<PlainParameters>)

describe('defineTool', () => {
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
  ])('names the wrong field of %j', (change, message) => {
    expect(define({ ...plain, ...change })).toThrow(new Error(message))
  })

  it.each([null, undefined, 'shout', 7])('refuses %j, which is no object', (spec) => {
    expect(define(spec)).toThrow(/^defineTool: it must be an object, got /)
  })

  it('refuses an input that is no zod object', () => {
    expect(define({ ...plain, title: 'Shout', input: { type: 'object' }, parameters: {} })).toThrow(
      new Error(
        'defineTool: input must be an object of zod 4, such as z.strictObject({}), got {"type":"object"}',
      ),
    )
  })

  it('takes what has the right form', async () => {
    expect(define(plain)().schema).toMatchObject({ required: ['text'] })
    const withZod = { ...plain, title: 'Shout', input: z.strictObject({ n: z.int() }), parameters: {} }
    expect(define(withZod)().schema).toMatchObject({ required: ['n'] })
  })
})
