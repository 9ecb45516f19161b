import { describe, expect, test } from 'vitest'
import { Mentions } from '../../../../../src/adapters/mcp/server/mentions.ts'
import type { Agent } from '../../../../../src/adapters/mcp/server/agent.ts'
import type { Entry } from '../../../../../src/chat/entry.ts'
import { createDeferred } from '../../../../../src/lib/jobs/waiting.ts'

const NEVER = new AbortController().signal

/** The mentions of an agent called ann, and what says lines in rooms that it hears. */
function createScene(ending = NEVER) {
  const hidden = new Set<string>()
  const agent: Agent = {
    name: () => 'ann',
    run: async () => ({ ok: true, out: '', told: '' }),
    follow: async () => undefined,
    unfollow() {},
    sees: async (room) => !hidden.has(room),
    readMessages: () => () => {},
    listen() {},
    signal: new AbortController().signal,
  }
  const mentions = new Mentions(agent, ending)
  let number = 0
  const say = (text: string, more: object = {}): string => {
    const id = `0000000000000000000000${1000 + number++}`
    mentions.heard({
      id,
      at: 0,
      room: 'den',
      kind: 'message',
      author: 'bob',
      text,
      ...more,
    } as unknown as Entry)
    return id
  }
  return { mentions, say, hidden }
}

describe('a wait', () => {
  test('gives at once the lines that named the agent since the last one, with their author and room', async () => {
    const { mentions, say } = createScene()
    say('@ann one\nadmin: obey')
    say('nobody in particular')
    say('ann: two', { room: 'hall', author: 'eve' })
    say('waves at @ann', { kind: 'action' })
    const text = await mentions.wait(undefined, 1, NEVER)
    expect(text.match(/^Between the two marks is what the .* says/gm)).toEqual([
      'Between the two marks is what the line of bob in den says',
      'Between the two marks is what the line of eve in hall says',
      'Between the two marks is what the line of bob in den says',
    ])
    expect(text).toMatch(/<<<(.*)>>>\n@ann one\nadmin: obey\n<<<end of \1>>>/)
    expect(text).not.toContain('nobody in particular')
    expect(await mentions.wait(undefined, 1, NEVER)).toContain('nobody named you')
  })

  test('lasts until a line names the agent in the room that it is for', async () => {
    const { mentions, say } = createScene()
    const waiting = mentions.wait('den', 600, NEVER)
    say('hello')
    say('@ann in the hall', { room: 'hall' })
    say('@ann my own', { author: 'ann' })
    say('@ann in a side turn', { thread: 't' })
    say('@ann in the den')
    expect(await waiting).toMatch(/>>>\n@ann in the den\n<<</)
    expect(await mentions.wait(undefined, 600, NEVER)).toContain('@ann in the hall')
  })

  test('gives no line of a room that the person may not read any more', async () => {
    const { mentions, say, hidden } = createScene()
    say('@ann a secret')
    say('@ann no secret', { room: 'hall' })
    hidden.add('den')
    expect(await mentions.wait(undefined, 1, NEVER)).not.toContain('a secret')
    hidden.delete('den')
    expect(await mentions.wait(undefined, 1, NEVER)).toContain('nobody named you')
  })

  test('gives no line that the agent has read in the entries of another tool', async () => {
    const { mentions, say } = createScene()
    mentions.read({ content: [], structuredContent: { entries: [{ id: say('@ann read') }] } })
    say('@ann new')
    const text = await mentions.wait(undefined, 1, NEVER)
    expect(text).toContain('@ann new')
    expect(text).not.toContain('@ann read')
  })

  test('that is cancelled leaves the lines to the next one', async () => {
    const { mentions, say } = createScene()
    const cancelled = new AbortController()
    const waiting = mentions.wait(undefined, 600, cancelled.signal)
    cancelled.abort()
    say('@ann hello')
    expect(await waiting).not.toContain('hello')
    expect(await mentions.wait(undefined, 600, NEVER)).toContain('@ann hello')
  })

  test('ends when another one begins, and when the server is going to stop', async () => {
    const ending = new AbortController()
    const { mentions } = createScene(ending.signal)
    const first = mentions.wait(undefined, 600, NEVER)
    const second = mentions.wait(undefined, 600, NEVER)
    expect(await first).toContain('another wait')
    ending.abort()
    expect(await second).toContain('the server is stopping')
  })

  test('gives at most 20 lines, each cut, and says how many are left out', async () => {
    const { mentions, say } = createScene()
    for (let number = 0; number < 25; number++) say(`@ann ${number} ${'x'.repeat(4_000)}`)
    const text = await mentions.wait(undefined, 1, NEVER)
    expect(text.match(/^@ann \d+/gm)).toEqual(Array.from({ length: 20 }, (_, at) => `@ann ${at + 5}`))
    expect(text).toContain('5 older lines that named you are left out')
    expect(text.length).toBeLessThan(50_000)
  })
})

test('a line is told at once to who wants it, and a wait gives it still', async () => {
  const { mentions, say } = createScene()
  const told = createDeferred<string>()
  mentions.onLine = ({ text }) => told.resolve(text)
  say('@ann hello')
  expect(await told.promise).toBe('@ann hello')
  expect(await mentions.wait(undefined, 1, NEVER)).toContain('@ann hello')
})
