import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createToolbox, defineTool, failed, ok, openWorkspace, type Tool } from '../../../src/index.ts'
import { builtinTools } from '../../../src/tools/builtin/index.ts'
import { forAllTests } from '../../support/for-all-tests.ts'
import { temporaryDir } from '../../support/storage.ts'
import { createStageHere } from '../../support/stage.ts'
import { bundled, callOne, fixture, rhea } from './support.ts'

const place = (await forAllTests(temporaryDir())).path
await writeFile(join(place, 'list.txt'), 'bread\nbutter\n')
const stage = await forAllTests(
  createStageHere({
    config: `[tools]\nmodules = [${JSON.stringify(fixture('module.js'))}]\n`,
    isShared: true,
  }),
)
await stage.claim('rhea')

const shelf = defineTool({
  id: 'shelf',
  description: 'Finds the shelf of a book.',
  access: 'read',
  parameters: {
    title: { type: 'string', description: 'As the cover has it.' },
    copies: { type: 'integer', description: 'How many are wanted.', optional: true },
    authors: { type: 'string[]', description: 'All of them.', optional: true },
  },
  run: ({ title, copies = 1, authors = [] }) => `${title} x${copies} by ${authors.join('+') || 'nobody'}`,
})
const tool = (id: string, run: () => Promise<string> | string | ReturnType<typeof ok>): Tool =>
  defineTool({ id, description: 'A test.', access: 'read', parameters: {}, run })
const propertiesOf = ({ schema }: Tool): object[] => Object.values(schema['properties'] ?? {}) as object[]
async function readFile(file: string): Promise<string> {
  await using workspace = openWorkspace({ directory: place, backups: `${place}-backups` })
  return await callOne(bundled('read_file'), { file_path: file }, { context: { workspace } })
}

test('the definition of a function tool has its id, its description and its parameter schema', () => {
  expect(createToolbox({ tools: [shelf] }).definitions()).toEqual([
    {
      name: 'shelf',
      description: 'Finds the shelf of a book.',
      parameters: {
        type: 'object',
        properties: {
          title: { type: 'string', description: 'As the cover has it.' },
          copies: { type: 'integer', description: 'How many are wanted.' },
          authors: { type: 'array', items: { type: 'string' }, description: 'All of them.' },
        },
        required: ['title'],
      },
    },
  ])
})

test('an omitted optional parameter takes the default of the function', async () => {
  expect(await callOne(shelf, { title: 'Emma' })).toBe('Emma x1 by nobody')
  expect(await callOne(shelf, { title: 'Emma', copies: 2, authors: ['a', 'b'] })).toBe('Emma x2 by a+b')
})

test('arguments of a wrong type are refused with every mistake', async () => {
  expect(await callOne(shelf, { copies: 'two', authors: [1] })).toBe(
    'ERROR: shelf: title is required (a string); copies must be an integer, got "two"; authors[0] must be a string, got 1',
  )
})

test('defineTool refuses a malformed tool with the reason', () => {
  const wrong = { id: 'shelf', description: 'A test.', access: 'read', parameters: {}, run: 'later' }
  expect(() => defineTool(wrong as never)).toThrow('defineTool: run must be a function, got "later"')
})

test('an explicit parameter description overrides the one of its schema', () => {
  const input = z.strictObject({ a: z.string().describe('weak'), b: z.string().describe('kept') })
  const parameters = { a: 'strong' }
  const both = defineTool({
    ...{ id: 'both', title: 'Both', description: 'A test.', access: 'read' },
    ...{ input, parameters, run: async () => ok('') },
  })
  expect(propertiesOf(both)).toMatchObject([{ description: 'strong' }, { description: 'kept' }])
})

test('a function in a module becomes a server tool under its tool id, not its function name', async () => {
  expect(await rhea(stage, 'run', 'lobby', 'spell_out', '{"word":"tea"}')).toBe('t-e-a\n')
  expect((await stage.as('rhea', ['run', 'lobby', 'spell', '{"word":"tea"}'])).exitCode).toBe(1)
})

test('a function may return a text, a promise or a result object', async () => {
  expect(await callOne(tool('now', () => 'now'))).toBe('now')
  expect(await callOne(tool('later', async () => await Promise.resolve('later')))).toBe('later')
  expect(await callOne(tool('own', () => ok('own')))).toBe('own')
})

test('a returned error and a thrown error both give an ERROR reply', async () => {
  expect(await callOne(tool('gives', () => failed('no such shelf')))).toBe('ERROR: no such shelf')
  const throws = tool('throws', () => Promise.reject(new Error('no such shelf')))
  expect(await callOne(throws)).toBe('ERROR: throws: no such shelf')
})

test('read_file resolves a path relative to the opened directory', async () => {
  expect(await readFile('list.txt')).toBe('bread\nbutter\n')
})

test('read_file names a missing file', async () => {
  expect(await readFile('gone.txt')).toMatch(/^ERROR: read_file: .*gone\.txt/)
})

test('the calculator rounds to 6 decimal places, or to a precision from 0 to 15', async () => {
  const calculate = async (args: object) =>
    await callOne(bundled('calculator'), { expression: '2/3', ...args })
  expect(await calculate({})).toBe('0.666667')
  expect(await calculate({ precision: 2 })).toBe('0.67')
  expect(await calculate({ precision: 16 })).toBe(
    'ERROR: calculator: precision must be between 0 and 15, got 16',
  )
})

test('every built-in tool has a description for each parameter', () => {
  const tools = builtinTools({ results: { find: async () => undefined } })
  const ids = ['calculator', 'read_file', 'fork', 'spawn_agent', 'read_fd', 'fd_to_file']
  expect(tools.map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
  for (const one of tools)
    for (const property of propertiesOf(one)) expect(property, one.id).toHaveProperty('description')
})

test('a tool with a hand-written schema runs beside a tool made from a function', async () => {
  const schema = { type: 'object', properties: { name: { type: 'string' } } }
  const run = async (args: unknown) => ok(JSON.stringify(args))
  const old: Tool = {
    ...{ id: 'old', title: 'Old', description: 'By hand.', access: 'read' },
    ...{ schema, run },
  }
  expect(createToolbox({ tools: [shelf, old] }).definitions()[1]!.parameters).toEqual(schema)
  expect(await callOne(old, { name: 'x' })).toBe('{"name":"x"}')
})
