import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStatusLine, type RoomStatus } from '../../../src/app/status-line.ts'
import { createSociety } from '../../support/society.ts'

// The store's setImmediate stays real.
beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
)
afterEach(() => void vi.useRealTimers())

/** The status line of somebody in the lobby, over what a test says runs and is offered there. */
async function start() {
  const { chat, person } = await createSociety()
  const [alice, lobby] = [await person('alice'), await chat.lobby()]
  const world = {
    running: [] as string[],
    offers: { models: ['guide'], scope: 'all', tools: 3 },
    broken: false,
  }
  const rooms: RoomStatus = {
    running: () => world.running,
    offers: () => (world.broken ? Promise.reject(new Error('busy')) : Promise.resolve(world.offers)),
  }
  let drawn = 0
  const line = createStatusLine(
    alice,
    rooms,
    () => lobby,
    () => drawn++,
  )
  return { world, line, drawn: () => drawn }
}

test('it is drawn again while something runs, and once more when that has ended', async () => {
  const { world, line, drawn } = await start()
  line.draw()
  vi.advanceTimersByTime(60_000)
  expect(drawn()).toBe(1)
  world.running = ['@guide thinking 1s']
  line.draw()
  vi.advanceTimersByTime(1_000)
  expect(drawn()).toBe(4)
  world.running = []
  vi.advanceTimersByTime(60_000)
  expect(drawn()).toBe(5)
})

test('after a message it is drawn once more, because a turn may have begun', async () => {
  const { world, line, drawn } = await start()
  line.draw(true)
  world.running = ['@guide thinking 0ms']
  vi.advanceTimersByTime(1_000)
  expect(drawn()).toBe(3)
  line.stop()
  vi.advanceTimersByTime(60_000)
  line.draw()
  vi.advanceTimersByTime(60_000)
  expect(drawn()).toBe(4)
})

test('it says what the room offers, and keeps what it knew where that cannot be found out', async () => {
  const { world, line, drawn } = await start()
  expect(line.status()).toMatchObject({ room: 'lobby', models: [], scope: '', tools: 0 })
  await line.update()
  world.offers = { models: [], scope: 'none', tools: 0 }
  world.broken = true
  await line.update()
  expect(line.status()).toMatchObject({ models: ['guide'], scope: 'all', tools: 3 })
  world.broken = false
  await line.update()
  expect(line.status()).toMatchObject({ models: [], scope: 'none', tools: 0 })
  expect(drawn()).toBe(3)
})
