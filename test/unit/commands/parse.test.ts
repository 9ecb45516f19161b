import { describe, expect, test } from 'vitest'
import { UsageError } from '../../../src/chat/errors.ts'
import { usage, type Command } from '../../../src/commands/command.ts'
import { parse } from '../../../src/commands/parse.ts'

const ask: Command = {
  name: 'ask',
  summary: '',
  room: 'here',
  flags: [{ name: 'json' }, { name: 'n', value: 'N' }],
  parameters: [{ name: 'model' }, { name: 'text', optional: true, takes: 'rest' }],
  run: async () => {},
}
const tools: Command = {
  name: 'tools',
  summary: '',
  room: 'here',
  flags: [{ name: 'json' }],
  parameters: [{ name: 'scope', optional: true, takes: 'words' }],
  run: async () => {},
}

describe('splitting a line', () => {
  test('a flag that may be given again joins its values, another takes the last one', () => {
    const flags = [
      { name: 'allow', value: 'TOOL', repeats: true as const },
      { name: 'n', value: 'N' },
    ]
    const line = '--allow a lobby --allow b -n 1 @qwen -n 2 hi --allow c'
    expect(parse({ ...ask, flags }, line, 'script')).toMatchObject({
      flags: { allow: 'a b', n: '2' },
      args: { text: 'hi --allow c' },
    })
    expect(() => parse({ ...ask, flags }, '--allow', 'script')).toThrow('ask: --allow needs TOOL')
  })

  test('a script names the room first and the text keeps its spaces and quotes as they are', () => {
    expect(parse(ask, 'lobby @qwen  why   "this"  ', 'script')).toEqual({
      roomName: 'lobby',
      args: { model: '@qwen', text: 'why   "this"  ' },
      flags: {},
    })
  })

  test('in a session there is no room to name', () => {
    expect(parse(ask, '@qwen why', 'session')).toEqual({ args: { model: '@qwen', text: 'why' }, flags: {} })
  })

  test.each([
    ['--json lobby @qwen hi', { json: true }, 'hi'],
    ['lobby --json @qwen -n 5 hi', { json: true, n: '5' }, 'hi'],
    ['lobby @qwen --json hi', { json: true }, 'hi'],
    ['lobby @qwen hi --json', {}, 'hi --json'],
    ['lobby @qwen -- --json', {}, '--json'],
    ['lobby @qwen --verbose is a word', {}, '--verbose is a word'],
  ])('%s', (line, flags, text) => {
    const parsed = parse(ask, line, 'script')
    expect(parsed.flags).toEqual(flags)
    expect(parsed.args['text']).toBe(text)
  })

  test('a list of words takes flags on either side', () => {
    expect(parse(tools, 'lobby Gr* !Grep --json', 'script')).toEqual({
      roomName: 'lobby',
      args: { scope: 'Gr* !Grep' },
      flags: { json: true },
    })
  })

  test('a line end parts words, and belongs to a text', () => {
    expect(parse(tools, 'a\n\n b\n', 'session').args['scope']).toBe('a b')
    expect(parse(ask, '@qwen \n one\ntwo\n', 'session').args['text']).toBe('\n one\ntwo\n')
  })

  test.each([
    ['', /ROOM is missing/],
    ['lobby', /MODEL is missing/],
    ['lobby --jsn @qwen', /unknown flag --jsn/],
    ['lobby -n', /-n needs N/],
  ])('"%s" is a usage error that shows the right form', (line, message) => {
    const wrong = () => parse(ask, line, 'script')
    expect(wrong).toThrow(message)
    expect(wrong).toThrow(UsageError)
  })

  test('a word too many is refused and not ignored', () => {
    const who: Command = { name: 'who', summary: '', room: 'here', run: async () => {} }
    expect(() => parse(who, 'lobby extra', 'script')).toThrow(/"extra" is one word too many/)
  })

  test('the usage line tells what stands where', () => {
    expect(usage(ask, 'script')).toBe('ask ROOM [--json] [-n N] MODEL [TEXT…]')
    expect(usage(tools, 'session')).toBe('/tools [--json] [SCOPE…]')
  })
})
