import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseToolFile } from '../../../../src/tools/wrapped/parse.ts'
import { type Parameter, type ValueType, toSchema } from '../../../../src/tools/wrapped/parameters.ts'
import { parameterProblem, toBaseArguments } from '../../../../src/tools/wrapped/make-tool.ts'
import { ArgumentError, checkArguments } from '../../../../src/tools/arguments.ts'
import { defineTool } from '../../../../src/tools/define-tool.ts'
import { checkedParts } from '../../../../src/tools/wrapped/command.ts'
import { runs } from '../../../support/runs.ts'
import { anyCharacter } from '../../../support/any-character.ts'

const glob = `Find files.

@title Glob Pattern Matching
@name Glob
@wrapped run_command
@command find {arguments} -type f
@access read
@deny -exec -delete
@param arguments {array<string>} [required] What is passed to the command
`

function definitionOf(text: string) {
  const parsed = parseToolFile(text, 'X.tool')
  if (!('definition' in parsed)) throw new Error(JSON.stringify(parsed.problems))
  return parsed.definition
}

function problemsOf(text: string): readonly string[] {
  const parsed = parseToolFile(text, 'X.tool')
  return 'problems' in parsed ? parsed.problems.map(({ line, message }) => `${line}: ${message}`) : []
}

const warningsOf = (text: string): readonly string[] =>
  parseToolFile(text, 'X.tool').warnings.map(({ line, message }) => `${line}: ${message}`)

/** A whole wrapped tool with one more line, or with one line in place of another. */
const withLine = (line: string): string => `${glob}${line}\n`
const withParam = (param: string): string => glob.replace(/@param.*\n/, `${param}\n`)

test('parseToolFile reads a wrapped tool', () => {
  expect(definitionOf(glob)).toEqual({
    file: 'X.tool',
    line: 4,
    name: 'Glob',
    wrapped: 'run_command',
    title: 'Glob Pattern Matching',
    description: 'Find files.',
    bare: false,
    wrapper: {
      words: ['find', '{arguments}', '-type', 'f'],
      access: 'read',
      deny: ['-exec', '-delete'],
      positions: { values: [] },
      parameters: [
        {
          name: 'arguments',
          type: { type: 'array', items: { type: 'string' } },
          required: true,
          description: 'What is passed to the command',
        },
      ],
    },
  })
})

test('parseToolFile reads the options with a value from @value and @pattern', () => {
  const parsed = definitionOf(withLine('@value -A --after-context\n  -m\n@pattern -e --regexp'))
  expect(parsed.wrapper?.positions).toEqual({
    values: ['-A', '--after-context', '-m', '-e', '--regexp'],
    pattern: ['-e', '--regexp'],
  })
  expect(definitionOf(withLine('@pattern')).wrapper?.positions).toEqual({ values: [], pattern: [] })
})

test('parseToolFile reads an alias with only a name and a base', () => {
  expect(definitionOf('@name webFetch\n@wrapped web_fetch\n')).toEqual({
    file: 'X.tool',
    line: 1,
    name: 'webFetch',
    wrapped: 'web_fetch',
    bare: true,
    title: '',
    description: '',
  })
})

test.each([
  ['CRLF line ends', glob.replaceAll('\n', '\r\n')],
  ['lone CR line ends', glob.replaceAll('\n', '\r')],
  ['a byte order mark', `\uFEFF${glob}`],
  ['tabs and double spaces', glob.replaceAll(/(@\w+) /g, '  $1 \t ')],
  ['no final newline', glob.trimEnd()],
  ['blank lines between annotations', glob.replaceAll(/\n@/g, '\n\n@')],
  ['annotations in another order', `Find files.\n\n${glob.split('\n').slice(2).toReversed().join('\n')}`],
  ['a continued line', glob.replace('What is', 'What\n   is')],
])('parseToolFile gives the same result for a file with %s', (_, text) => {
  const { line: _line, ...same } = definitionOf(glob)
  expect(definitionOf(text)).toMatchObject(same)
})

test('parseToolFile keeps blank lines inside the description and drops those around it', () => {
  expect(definitionOf(`\n\n  One.\n\nTwo.  \n\n\n${glob.slice(glob.indexOf('@'))}`).description).toBe(
    'One.\n\nTwo.',
  )
})

test('parseToolFile warns of unknown annotations, stray text and unused parameters', () => {
  expect(warningsOf(withLine('@colour blue'))).toEqual(['10: unknown @colour; it is ignored'])
  expect(warningsOf(withLine('@titel X'))).toEqual([
    '10: unknown @titel (did you mean @title?); it is ignored',
  ])
  expect(warningsOf(withLine('\nand so on'))).toEqual([
    '11: this line belongs to nothing: a blank line ended what was above it',
  ])
  expect(warningsOf(withLine('@param more {string} unused'))).toEqual(['6: @command does not use {more}'])
})

test.each([
  ['', '1: @name is missing: @name and the name of a tool'],
  ['@name X', '1: @wrapped is missing: @wrapped and the name of a tool'],
  ['@wrapped read_file', '1: @name is missing: @name and the name of a tool'],
  ['@name a b\n@wrapped read_file', "1: @name must be one name of 1-64 letters, digits, _ and -, not 'a b'"],
  ['@name sshawl_look\n@wrapped read_file', '1: the name sshawl_look is reserved'],
  ['@name mcp\n@wrapped read_file', '1: the name mcp is reserved'],
  ['@name module\n@wrapped read_file', '1: the name module is reserved'],
  ['@name __proto__\n@wrapped read_file', '1: the name __proto__ is reserved'],
  [withLine('@name Other'), '10: @name is given twice'],
  [glob.replace(/@title.*\n/, ''), '1: a wrapped tool needs a @title'],
  [glob.replace('Find files.', ''), '1: a wrapped tool needs a description before its first @ line'],
  [glob.replace(/@param.*\n/, '').replace('{arguments}', '.'), '1: a wrapped tool needs at least one @param'],
  [
    glob.replace('find {arguments}', 'find x{arguments}'),
    '6: @command: {arguments} must be a word of its own, not a part of x{arguments}',
  ],
  [glob.replace('{arguments}', '{other}'), '6: @command uses {other}, but there is no @param other'],
  [glob.replace('find {arguments}', '{arguments}'), '6: @command must begin with the name of a program'],
  [glob.replace('-type f', '| head'), '6: @command: there is no shell, so | would mean nothing'],
  [
    glob.replace('-type f', "-name 'x"),
    '6: @command: a quoted word must stand alone, from \' to \' or from " to "',
  ],
  [glob.replace(/@command.*/, '@command'), '6: @command is empty'],
  [glob.replace(/@deny.*\n/, ''), '7: @access needs a @deny line (or the words @deny none)'],
  [
    glob.replace('@access read', '@access all'),
    "7: @access must be one of read, write, execute, network, not 'all'",
  ],
  [glob.replace(/@deny.*/, '@deny none -x'), '8: @deny none stands alone'],
  [withLine('@value'), '10: @value needs options, such as -e or --regexp'],
  [withLine('@value -e expression'), "10: @value takes options, such as -e or --regexp, not 'expression'"],
  [withLine('@pattern first'), "10: @pattern takes options, such as -e or --regexp, not 'first'"],
  [glob.replace(/@deny.*/, '@deny'), '8: @deny needs patterns, or the word none'],
  [
    withParam('@param arguments {list} x'),
    '9: unknown type {list}; there are string, number, integer, boolean, array<T>',
  ],
  [
    withParam('@param arguments {array<blob>} x'),
    '9: unknown type {blob}; there are string, number, integer, boolean, array<T>',
  ],
  [
    withParam('@param arguments {array<array<string>>} x'),
    '6: @command: {arguments} is not text, numbers or a list of those',
  ],
  [
    withParam('@param arguments {string} [maybe] x'),
    '9: @param must be written as: @param name {type} [required] what it is',
  ],
  [
    withParam('@param arguments {string'),
    '9: @param must be written as: @param name {type} [required] what it is',
  ],
  [
    withParam('@param arguments all of them'),
    '9: @param must be written as: @param name {type} [required] what it is',
  ],
  [withParam('@param arguments'), '9: @param must be written as: @param name {type} [required] what it is'],
  [withParam('@param'), '9: @param must be written as: @param name {type} [required] what it is'],
  [
    withParam('@param 9lives {string} x'),
    "9: '9lives' cannot be a parameter's name: use letters, digits and _",
  ],
  [
    withParam('@param __proto__ {string} x'),
    "9: '__proto__' cannot be a parameter's name: use letters, digits and _",
  ],
  [withLine('@param arguments {string} again'), "10: 'arguments' is declared twice"],
  [withLine('@type Point'), '10: @type must be written as: @type Name {object} what it is'],
  [withLine('@property Point.x {number} x'), '10: there is no @type Point for this property'],
  [withLine('@property x'), '10: @property must be written as: @property Type.name {type} what it is'],
  [
    withLine('@type T {object}\n@property T.t {T} itself\n@param t {T}'),
    '11: types nest too deeply (at most 8 levels); does one hold itself?',
  ],
])('parseToolFile refuses %j with the line and a hint', (text, problem) => {
  expect(problemsOf(text)).toContain(problem)
})

test('parseToolFile keeps quoted words of a template together', () => {
  const words = definitionOf(glob.replace('-type f', `-name '* *' "a 'b'"`)).wrapper?.words
  expect(words).toEqual(['find', '{arguments}', '-name', '* *', "a 'b'"])
})

test('parseToolFile reads a parameter without [required] as optional', () => {
  const [parameter] = definitionOf(withParam('@param arguments {string} all of them')).wrapper!.parameters
  expect(parameter).toEqual({
    name: 'arguments',
    type: { type: 'string' },
    required: false,
    description: 'all of them',
  })
})

test('parseToolFile builds nested objects from @type and @property in any order', () => {
  const { wrapper } = definitionOf(`Move.

@property Line.points {array<Point>} corners
@param line {Line} [required] what to draw
@type Point {object} a place
@property Point.x {number} across
@property Point.label {string} [optional] its name
@type Line {object}
@title Draw
@name Draw
@wrapped web_fetch
`)
  expect(toSchema(wrapper!.parameters)).toEqual({
    type: 'object',
    required: ['line'],
    properties: {
      line: {
        type: 'object',
        description: 'what to draw',
        required: ['points'],
        properties: {
          points: {
            type: 'array',
            description: 'corners',
            items: {
              type: 'object',
              description: 'a place',
              required: ['x'],
              properties: {
                x: { type: 'number', description: 'across' },
                label: { type: 'string', description: 'its name' },
              },
            },
          },
        },
      },
    },
  })
})

test('parseToolFile gives every problem of any text a file and a line', () => {
  const line = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc
      .tuple(
        fc.constantFrom(
          ...'@name @wrapped @title @command @param @type @property @access @deny @x'.split(' '),
        ),
        fc.oneof(
          fc.string(),
          fc.constantFrom('X', 'read', 'a {array<string>} [required] b', 'T {object}', 'T.a {T}', 'ls {a}'),
        ),
      )
      .map((parts) => parts.join(' ')),
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), fc.constantFrom('\n', '\r\n', '\n\n'), (lines, end) => {
      const parsed = parseToolFile(lines.join(end), 'X.tool')
      if ('problems' in parsed) expect(parsed.problems.length).toBeGreaterThan(0)
      for (const problem of ['problems' in parsed ? parsed.problems : [], parsed.warnings].flat()) {
        expect(problem.file).toBe('X.tool')
        expect(problem.line).toBeGreaterThan(0)
        expect(problem.message).not.toBe('')
      }
    }),
    { numRuns: runs(2000) },
  )
})

test('parseToolFile refuses hostile long lines without stalling', () => {
  const blanks = ' '.repeat(60_000)
  expect(problemsOf(withLine(`@param a {${blanks}`))).toHaveLength(1)
  expect(problemsOf(withLine(`@type T${blanks}{object`))).toHaveLength(1)
  expect(problemsOf(glob.replace(/@command.*/, `@command ${'"'.repeat(60_001)}`))).toHaveLength(1)
})

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

test("toBaseArguments assigns the words to the base's parameters in order and converts their types", () => {
  const args = byWords('Oslo', '3', '1.5', 'true', '["a","b"]', 'F')
  const wanted = { place: 'Oslo', days: 3, height: 1.5, inside: true, tags: ['a', 'b'], unit: 'F' }
  expect(args).toEqual(wanted)
  expect(checkArguments(input, weather.schema, args)).toEqual(wanted)
})

test('toBaseArguments keeps a number-like word for a text parameter as text', () => {
  expect(byWords('7')).toEqual({ place: '7' })
})

test('toBaseArguments passes a word that is not JSON to the base, whose check names the expected type', () => {
  expect(() => checkArguments(input, weather.schema, byWords('Oslo', 'three'))).toThrow(
    'days must be an integer, got "three"',
  )
})

test.each([[[]], [['Oslo', '1', '2', 'true', '[]', 'C', 'more']]])(
  'toBaseArguments refuses the words %j',
  (given) => {
    expect(() => byWords(...given)).toThrow(
      new ArgumentError(
        'arguments are place, days, height, inside, tags, unit, in this order: ' +
          `at least 1 and at most 6, got ${given.length}`,
      ),
    )
  },
)

test('toBaseArguments skips the parameters that the file declares by name', () => {
  const parameters = [param('days', { type: 'integer' }), param('arguments', words)]
  expect(toBaseArguments({ days: 2, arguments: ['Oslo', '1.5'] }, parameters, weather)).toEqual({
    days: 2,
    place: 'Oslo',
    height: 1.5,
  })
})

test('toBaseArguments passes a parameter called arguments unchanged if the base has one', () => {
  const base = { id: 'echo', schema: { type: 'object', properties: { arguments: { type: 'array' } } } }
  const parameters = [param('arguments', words)]
  expect(parameterProblem(parameters, base)).toBeUndefined()
  expect(toBaseArguments({ arguments: ['a', 'b'] }, parameters, base)).toEqual({ arguments: ['a', 'b'] })
})

test('toBaseArguments throws only an ArgumentError for any words', () => {
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

test.each<[string, ValueType]>([
  ['place', text],
  ['days', { type: 'integer' }],
  ['height', { type: 'integer' }],
  ['height', { type: 'number' }],
  ['inside', { type: 'boolean' }],
  ['tags', words],
  ['unit', text],
  ['arguments', words],
])('parameterProblem accepts %s of type %j', (name, type) => {
  expect(parameterProblem([param(name, type)], weather)).toBeUndefined()
})

test.each<[string, ValueType, string]>([
  ['days', { type: 'number' }, 'days {number}'],
  ['days', text, 'days {string}'],
  ['tags', { type: 'array', items: { type: 'integer' } }, 'tags {array<integer>}'],
  ['place', { type: 'object', description: '', properties: [] }, 'place {object}'],
  ['constructor', text, 'constructor {string}'],
])('parameterProblem refuses %s of type %j with all parameters of the base', (name, type, shown) => {
  expect(parameterProblem([param(name, type)], weather)).toBe(
    `weather cannot take @param ${shown}; it takes place {string}, days {integer}, ` +
      'height {number or null}, inside {boolean}, tags {array<string>}, unit {string}, ' +
      'or their values in this order as arguments {array<string>}',
  )
})

test('parameterProblem says that a base takes no parameters', () => {
  const clock = { id: 'clock', schema: { type: 'object', properties: {} } }
  expect(parameterProblem([param('arguments', words)], clock)).toBe(
    'clock cannot take @param arguments {array<string>}; it takes no parameters',
  )
})

const grep = { values: ['-A', '--include', '-e', '--regexp'], pattern: ['-e', '--regexp'] }
const find = { values: ['-name', '-path'] }

test.each([
  [grep, ['-rn', '/x', '/y'], ['-rn', undefined, '/y']],
  [grep, ['/x', '-rn', '/y'], [undefined, '-rn', '/y']],
  [grep, ['-A', '/x', '/y', '/z'], ['-A', undefined, undefined, '/z']],
  [grep, ['-A3', '/x', '/y'], ['-A', undefined, '/y']],
  [grep, ['-Ae', '/x', '/y'], ['-A', undefined, '/y']],
  [grep, ['-rnA', '3', '/x'], ['-rnA', undefined, undefined]],
  [grep, ['-e', '-foo', '/y'], ['-e', undefined, '/y']],
  [grep, ['/y', '-e', '--'], ['/y', '-e', undefined]],
  [grep, ['-rne/x', '/y'], ['-rne', '/y']],
  [grep, ['--regexp=/x', '/y'], ['--regexp', '/y']],
  [grep, ['--reg', '/x', '/y'], ['--reg', '/x', '/y']],
  [grep, ['--reg=/x', '/y'], ['--reg=/x', '/y']],
  [grep, ['-e', 'x', '--inc', '/y'], ['-e', undefined, '--inc', '/y']],
  [grep, ['--include=/x', '/y', '/z'], ['--include', undefined, '/z']],
  [grep, ['--other=/x', '/y'], ['--other=/x', undefined]],
  [grep, ['--', '-foo', '-e', '/y'], ['--', undefined, '-e', '/y']],
  [grep, ['-', '/y'], [undefined, '/y']],
  [grep, ['-r/e', '/y'], ['-r/e', undefined]],
  [grep, ['-e'], ['-e']],
  [grep, [], []],
  [find, ['/x', '-name', '-delete', '-delete'], ['/x', '-name', undefined, '-delete']],
  [find, ['-names', '/x'], ['-names', '/x']],
])('the checked parts of a command with %j and %j are %j', (positions, words, parts) => {
  expect(checkedParts(words, positions)).toEqual(parts)
})
