import { expect, test } from 'vitest'
import { Outgoing } from '../../../src/web/outgoing.ts'
import { createSendWebhook } from '../../../src/server/webhooks.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import type { Config } from '../../../src/server/config/config.ts'
import { createDeferred } from '../../../src/base/jobs/waiting.ts'
import { startReceiver } from '../../support/receiver.ts'

/** Rooms that send to the webhook `ci`, whose receiver does not answer the room `slow` until the end. */
async function startRooms() {
  const held = createDeferred<void>()
  const receiver = await startReceiver((body) =>
    JSON.parse(body).room === 'slow' ? held.promise : undefined,
  )
  const outgoing = new Outgoing({ warn() {} })
  const config = { webhooks: [{ name: 'ci', url: receiver.url, headers: {} }] } as unknown as Config
  const send = createSendWebhook({ now: () => config }, outgoing)
  const problems: string[] = []
  return {
    receiver,
    problems,
    say(room: string, count = 1) {
      for (let index = 0; index < count; index++)
        send('ci', room as RoomName, { at: 0 }, (problem) => problems.push(`${room}: ${problem}`))
    },
    async [Symbol.asyncDispose]() {
      held.resolve()
      await outgoing[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

const DROPS = 'webhook ci fails or is too slow: requests are dropped until none waits'

test('a webhook whose receiver does not answer one room still gets the messages of other rooms', async () => {
  await using rooms = await startRooms()
  rooms.say('slow', 200)
  rooms.say('quick', 3)
  const bodies = (await rooms.receiver.got(4)).map(({ body }) => JSON.parse(body).room)
  expect(bodies.toSorted((one, other) => one.localeCompare(other))).toEqual([
    'quick',
    'quick',
    'quick',
    'slow',
  ])
  expect(rooms.problems).toEqual([`slow: ${DROPS}`])
})

test('a room reads once about dropped webhooks, until all waiting webhooks were sent', async () => {
  await using rooms = await startRooms()
  for (let time = 0; time < 3; time++) rooms.say('quick', 150)
  expect(rooms.problems).toEqual([`quick: ${DROPS}`])
  // One that is sent and a hundred that wait.
  let before = (await rooms.receiver.got(101)).length
  const flood = async (): Promise<readonly string[]> => {
    const { length } = await rooms.receiver.got(0)
    if (length === before) rooms.say('quick', 150)
    before = length
    return rooms.problems
  }
  await expect.poll(flood, { timeout: 20_000 }).toEqual([`quick: ${DROPS}`, `quick: ${DROPS}`])
})

test("a room reads once that a webhook's receiver refuses messages, until it accepts one", async () => {
  await using rooms = await startRooms()
  for (const status of [400, 404]) rooms.receiver.answerNext(status)
  rooms.say('quick', 3)
  await rooms.receiver.got(3)
  expect(rooms.problems).toEqual([`quick: ${DROPS}`])
})
