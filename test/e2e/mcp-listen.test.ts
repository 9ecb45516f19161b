import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AgentClient } from '../support/mcp/agent-client.ts'
import { openAgent } from '../support/mcp/agent.ts'
import { openHttpAgent } from '../support/mcp/http-agent.ts'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

/** As many as an agent may follow, and one more. */
const ROOMS = Array.from({ length: 33 }, (_, number) => `r${number}`)
const GHOSTS = Array.from({ length: 20 }, (_, number) => `ghost${number}`)

let stage: Stage<AnyServer>
let speaker: AgentClient
beforeAll(async () => {
  stage = await createStageHere({
    isShared: true,
    config: '[limits]\nrate_burst = 1000\nrate_per_s = 1000\nrooms_per_person = 40\n',
    http: true,
  })
  speaker = await openAgent(stage, 'alice')
  for (const room of ROOMS) await speaker.call('create_room', { room })
  await speaker.call('create_room', { room: 'den', private: true })
})
afterAll(async () => {
  await speaker[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
})

const logsOf = (rooms: readonly string[]) => ({
  resourceSubscriptions: rooms.map((room) => `room://${room}/log`),
})

/** Resolves once the agent has heard of something that is said now in each of these rooms. */
async function hearsAll(agent: AgentClient, rooms: readonly string[]): Promise<void> {
  for (const room of rooms) await speaker.call('say', { room, text: 'news' })
  for (const room of rooms) await agent.waitFor(`"room://${room}/log"`)
}

describe.each([
  ['SSH', 8, (name: string) => openAgent(stage, name, { modern: true })],
  [
    'HTTP',
    16,
    async (name: string) =>
      openHttpAgent(stage.server.http, (await stage.as(name, ['token', 'new'])).stdout.trim(), {
        modern: true,
      }),
  ],
] as const)('a client that listens over %s', (by, maxStreams, open) => {
  test('hears all rooms that it may follow, also after many that are not there or that it may not see', async () => {
    await using agent = await open(`bob-${by.toLowerCase()}`)
    const visible = ROOMS.slice(1)
    await using _stream = await listening(agent, [...GHOSTS, 'den', ...visible])
    await hearsAll(agent, visible)
  })

  test('reads that there is one room too many, and not of one that it may not see', async () => {
    await using agent = await open(`carol-${by.toLowerCase()}`)
    await expect(agent.client.listen(logsOf(ROOMS))).rejects.toThrow('32 rooms at most')
    {
      await using _all = await listening(agent, ROOMS.slice(1))
      await expect(agent.client.listen(logsOf(['r1', 'r0']))).rejects.toThrow('32 rooms at most')
      const answers = [await answerOf(agent, 'den'), await answerOf(agent, 'ghost0')]
      expect(answers[0]).toEqual(answers[1])
      // What was refused has taken nothing from the stream that is open.
      await hearsAll(agent, ['r1'])
    }
    await eventually(() => agent.client.listen(logsOf(['r0'])))
    await hearsAll(agent, ['r0'])
  })

  test('hears a room that it was kicked out of, since it may still read it', async () => {
    const name = `erin-${by.toLowerCase()}`
    await using agent = await open(name)
    await agent.call('join', { room: 'r2' })
    await using _stream = await listening(agent, ['r2'])
    await stage.as('alice', ['kick', 'r2', name])
    // Of the join and the kick it heard at most three times.
    const sayAndCount = async () => {
      await speaker.call('say', { room: 'r2', text: 'news' })
      return agent.heard.filter((one) => JSON.stringify(one).includes('"room://r2/log"')).length
    }
    await expect.poll(sayAndCount, { timeout: 20_000 }).toBeGreaterThan(8)
  })

  test(`reads that ${maxStreams} streams are open already, and may open one when another has ended`, async () => {
    await using agent = await open(`dave-${by.toLowerCase()}`)
    const streams = []
    for (let count = 0; count < maxStreams; count++) streams.push(await agent.client.listen(logsOf(['r0'])))
    await expect(agent.client.listen(logsOf(['r0']))).rejects.toThrow(
      `${maxStreams} streams of changes are open already; end one of them`,
    )
    await streams.pop()!.close()
    await eventually(() => agent.client.listen(logsOf(['r1'])))
    await hearsAll(agent, ['r1'])
  })
})

/** Over HTTP the server hears a moment later that a stream has ended. */
const eventually = async (open: () => Promise<unknown>): Promise<void> =>
  await expect.poll(() => open().then(Boolean, () => false)).toBe(true)

/** What is said to who listens for this room alone, without the number of the stream. */
async function answerOf(agent: AgentClient, room: string): Promise<unknown> {
  const stream = await agent.client.listen(logsOf([room]))
  await stream.close()
  return JSON.parse(JSON.stringify(stream.honoredFilter).replaceAll(room, 'ROOM'))
}

async function listening({ client }: AgentClient, rooms: readonly string[]): Promise<AsyncDisposable> {
  const stream = await client.listen(logsOf(rooms))
  return { [Symbol.asyncDispose]: async () => await stream.close() }
}
