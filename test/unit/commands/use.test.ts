import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCommandWorld, type CommandWorld } from '../../support/commands/command-world.ts'
import { type Invocation, parseArguments, parsedInvocation } from '../../../src/commands/parse.ts'

let world: CommandWorld
beforeAll(async () => {
  world = await createCommandWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const commandCalled = (name: string) => world.commands.find((one) => one.name === name)!

describe('a command that is used without a line', () => {
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

  test.each(lines)('gets what the line %s would give it', (line, use) => {
    const command = commandCalled(use.verb)
    expect(parsedInvocation(command, use)).toEqual(
      parseArguments(command, line.slice(use.verb.length), 'script'),
    )
  })

  test('takes words as they are, that a line would make flags or several arguments', () => {
    const say = commandCalled('say')
    expect(
      parsedInvocation(say, { verb: 'say', room: 'den', args: { text: '--json - -- x' } }),
    ).toMatchObject({
      args: { text: '--json - -- x' },
    })
    expect(
      parsedInvocation(commandCalled('run'), { verb: 'run', room: 'den', args: { tool: 'a b' } }),
    ).toMatchObject({
      args: { tool: 'a b' },
    })
  })

  test('refuses words that it did not declare, and a use without those it needs', () => {
    const join = commandCalled('join')
    expect(() => parsedInvocation(join, { verb: 'join', args: { name: 'den', as: 'root' } })).toThrow(
      'join has no as',
    )
    expect(() => parsedInvocation(join, { verb: 'join' })).toThrow('join needs name')
  })

  test('is told of like one with a line, and charged and paced like it', async () => {
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
})
