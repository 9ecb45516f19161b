import { expect, test, afterAll } from 'vitest'
import { defineCommand } from '../../../src/commands/command.ts'
import {
  checkChoices,
  parseArguments,
  usage,
  type Invocation,
  parsedInvocation,
} from '../../../src/commands/parse.ts'
import { createCommandWorld } from '../../support/commands/command-world.ts'

const named = { summary: '', example: '', run: async () => {} }
const json = { name: 'json', about: '' }
const number = { name: 'n', about: '', value: 'N' }
const allow = { name: 'allow', about: '', value: 'TOOL', repeats: true } as const

const ask = defineCommand({
  ...named,
  name: 'ask',
  room: 'here',
  flags: [json, number, allow],
  arguments: [
    { name: 'model', about: '' },
    { name: 'text', about: '', optional: true, takes: 'rest' },
  ],
})
const tools = defineCommand({
  ...named,
  name: 'tools',
  room: 'here',
  flags: [json],
  arguments: [{ name: 'scope', about: '', optional: true, takes: 'words' }],
})
const sum = defineCommand({ ...named, name: 'usage', room: 'optional' })
const noFlags = { json: false, n: undefined, allow: [] }

test('a repeatable flag collects all its values, any other flag keeps the last one', () => {
  const line = '--allow a lobby --allow b -n 1 @qwen -n 2 hi --allow c'
  expect(parseArguments(ask, line, 'script')).toEqual({
    roomName: 'lobby',
    flags: { json: false, n: '2', allow: ['a', 'b'] },
    args: { model: '@qwen', text: 'hi --allow c' },
  })
  expect(() => parseArguments(ask, '--allow', 'script')).toThrow('ask: --allow needs TOOL')
})

test('a word that looks like a flag is refused at the start or if it resembles a flag', () => {
  const topic = defineCommand({
    ...named,
    name: 'topic',
    room: 'here',
    flags: [json],
    arguments: [{ name: 'text', about: '', optional: true, takes: 'rest' }],
  })
  for (const [line, kind] of [
    ['--jsno', 'session'],
    ['lobby --jsno', 'script'],
  ] as const)
    expect(() => parseArguments(topic, line, kind)).toThrow(
      'topic: unknown flag --jsno; did you mean --json?',
    )
  expect(() => parseArguments(topic, '--yaml x', 'session')).toThrow(
    'topic: unknown flag --yaml; before a text that begins so, write --, as in -- --yaml',
  )
  expect(parseArguments(topic, '-- --jsno', 'session').args).toEqual({ text: '--jsno' })
  for (const text of ['a --jsno', '-- ', '-1', '---', '-- > x'])
    expect(parseArguments(topic, text, 'session').args['text'] ?? '').toBe(text.replace(/^-- /, ''))
  expect(parseArguments(ask, '@qwen --verbose is what?', 'session').args['text']).toBe('--verbose is what?')
  expect(() => parseArguments(ask, '@qwen --jason is who?', 'session')).toThrow('did you mean --json?')
})

test('a script line names the room before a text, which keeps its spaces and quotes', () => {
  expect(parseArguments(ask, 'lobby @qwen  why   "this"  ', 'script')).toEqual({
    roomName: 'lobby',
    args: { model: '@qwen', text: 'why   "this"  ' },
    flags: noFlags,
  })
})

test('a session line names no room', () => {
  const parsed = parseArguments(ask, '@qwen why', 'session')
  expect(parsed).toEqual({ args: { model: '@qwen', text: 'why' }, flags: noFlags })
})

test('a command with an optional room accepts it in a script and rejects it in a session', () => {
  expect(parseArguments(sum, '', 'script').roomName).toBeUndefined()
  expect(parseArguments(sum, 'lobby', 'script').roomName).toBe('lobby')
  expect(() => parseArguments(sum, 'lobby', 'session')).toThrow('usage: "lobby" is one word too many')
})

test.each([
  ['--json lobby @qwen hi', { json: true }, 'hi'],
  ['lobby --json @qwen -n 5 hi', { json: true, n: '5' }, 'hi'],
  ['lobby @qwen --json hi', { json: true }, 'hi'],
  ['lobby @qwen hi --json', {}, 'hi --json'],
  ['lobby @qwen -- --json', {}, '--json'],
  ['lobby @qwen --verbose is a word', {}, '--verbose is a word'],
])('the line %s is split into its flags and its text', (line, flags, text) => {
  const parsed = parseArguments(ask, line, 'script')
  expect(parsed.flags).toEqual({ ...noFlags, ...flags })
  expect(parsed.args['text']).toBe(text)
})

test('a list argument ends at a flag and is an empty array if it is absent', () => {
  expect(parseArguments(tools, 'lobby Gr* !Grep --json', 'script')).toEqual({
    roomName: 'lobby',
    args: { scope: ['Gr*', '!Grep'] },
    flags: { json: true },
  })
  expect(parseArguments(tools, 'lobby', 'script').args['scope']).toEqual([])
})

test('a line break separates words but is kept in a text', () => {
  expect(parseArguments(tools, 'a\n\n b\n', 'session').args['scope']).toEqual(['a', 'b'])
  expect(parseArguments(ask, '@qwen \n one\ntwo\n', 'session').args['text']).toBe('\n one\ntwo\n')
})

test.each([
  ['', /ROOM is missing/],
  ['lobby', /MODEL is missing/],
  ['lobby --jsn @qwen', /unknown flag --jsn/],
  ['lobby -n', /-n needs N/],
])('the line "%s" is a usage error that shows the right form', (line, message) => {
  const wrong = () => parseArguments(ask, line, 'script')
  expect(wrong).toThrow(message)
  expect(wrong).toThrow(
    expect.objectContaining({ usage: 'ask ROOM [--json] [-n N] [--allow TOOL] MODEL [TEXT…]' }),
  )
})

test('an extra word is rejected', () => {
  const who = defineCommand({ ...named, name: 'who', room: 'here' })
  expect(() => parseArguments(who, 'lobby extra', 'script')).toThrow(/"extra" is one word too many/)
})

test('an argument with choices rejects every other word', () => {
  const about = ''
  const command = defineCommand({
    ...named,
    name: 'light',
    room: 'none',
    arguments: [
      { name: 'state', about, oneOf: ['on', 'off', 'dim'] },
      { name: 'lamp', about, optional: true, oneOf: ['a'] },
    ],
  })
  const check = (line: string) =>
    checkChoices(command, parseArguments(command, line, 'session').args, 'session')
  for (const line of ['on', 'dim', 'off a']) expect(() => check(line)).not.toThrow()
  const usageLine = { usage: '/light STATE [LAMP]' }
  expect(() => check('ON')).toThrow(
    expect.objectContaining({ message: 'light: on, off or dim, not ON', ...usageLine }),
  )
  expect(() => check('constructor')).toThrow('light: on, off or dim, not constructor')
  expect(() => check('x'.repeat(100))).toThrow(`not ${'x'.repeat(40)}`)
  expect(() => check('on c')).toThrow('light: a, not c')
})

test('a usage line shows the room, flags and arguments of a command', () => {
  expect(usage(ask, 'script')).toBe('ask ROOM [--json] [-n N] [--allow TOOL] MODEL [TEXT…]')
  expect(usage(tools, 'session')).toBe('/tools [--json] [SCOPE…]')
  expect(usage(sum, 'script')).toBe('usage [ROOM]')
  expect(usage(sum, 'session')).toBe('/usage')
})

const world = await createCommandWorld()
afterAll(() => world[Symbol.asyncDispose]())

const commandCalled = (name: string) => world.commands.find((one) => one.name === name)!

const lines: readonly (readonly [line: string, use: Omit<Invocation, 'verb'> & { verb: string }])[] = [
  ['rooms --json', { verb: 'rooms', flags: { json: true } }],
  ['join den', { verb: 'join', args: { name: 'den' } }],
  ['history den -n 5', { verb: 'history', room: 'den', flags: { n: '5' } }],
  ['search - some words', { verb: 'search', room: '-', args: { words: 'some words' } }],
  ['tools den read', { verb: 'tools', room: 'den', args: { scope: ['read'] } }],
  ['tools den', { verb: 'tools', room: 'den' }],
  [
    'ask --allow a --allow b den @qwen why',
    { verb: 'ask', room: 'den', args: { model: '@qwen', text: 'why' }, flags: { allow: ['a', 'b'] } },
  ],
  ['say den hello', { verb: 'say', room: 'den', args: { text: 'hello' } }],
  ['fork den other', { verb: 'fork', room: 'den', args: { name: 'other' } }],
]

test.each(lines)('an invocation without a line gets the same arguments as the line %s', (line, use) => {
  const command = commandCalled(use.verb)
  expect(parsedInvocation(command, use)).toEqual(
    parseArguments(command, line.slice(use.verb.length), 'script'),
  )
})

test('an invocation keeps words that a line would parse as flags or several arguments', () => {
  const say = commandCalled('say')
  expect(parsedInvocation(say, { verb: 'say', room: 'den', args: { text: '--json - -- x' } })).toMatchObject({
    args: { text: '--json - -- x' },
  })
  expect(
    parsedInvocation(commandCalled('run'), { verb: 'run', room: 'den', args: { tool: 'a b' } }),
  ).toMatchObject({ args: { tool: 'a b' } })
})

test('an invocation rejects undeclared arguments and missing required ones', () => {
  const join = commandCalled('join')
  expect(() => parsedInvocation(join, { verb: 'join', args: { name: 'den', as: 'root' } })).toThrow(
    'join has no as',
  )
  expect(() => parsedInvocation(join, { verb: 'join' })).toThrow('join needs name')
})

test('a failing invocation returns status 1 and prints its error', async () => {
  const told: string[] = []
  const caller = {
    person: world.bob,
    out: {
      line: () => undefined,
      write: () => undefined,
      warn: (text: string) => void told.push(text),
      ready: async () => undefined,
      columns: 80,
    },
    signal: new AbortController().signal,
  }
  expect(await world.runner.use({ verb: 'vibe', room: 'hall', args: { text: 'mine' } }, caller)).toBe(1)
  expect(await world.runner.use({ verb: 'who', room: 'den' }, caller)).toBe(1)
  expect(await world.runner.use({ verb: 'nothing' }, caller)).toBe(1)
  expect(told).toEqual([
    'only the owner of hall, an op or an admin can change its vibe',
    'there is no room called den; see rooms, or make it with create',
    'something went wrong on the server; it was logged',
  ])
})
