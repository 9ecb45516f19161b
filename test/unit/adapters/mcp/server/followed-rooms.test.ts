import { expect, test } from 'vitest'
import { FollowedRooms } from '../../../../../src/adapters/mcp/server/followed-rooms.ts'
import { StorageError } from '../../../../../src/chat/errors.ts'
import { createDeferred } from '../../../../../src/lib/jobs/waiting.ts'

/** An agent that follows what it is asked to, once it may. */
function createScene(whyNot: (room: string) => Promise<string | undefined> = async () => undefined) {
  const asked: string[] = []
  const followed = new Set<string>()
  const agent = {
    async follow(room: string) {
      asked.push(room)
      const why = await whyNot(room)
      if (why === undefined) followed.add(room)
      return why
    },
    unfollow: (room: string) => void followed.delete(room),
    sees: async (room: string) => !room.startsWith('ghost'),
  }
  const reported: Error[] = []
  const rooms = new FollowedRooms(agent, {
    maxStreams: 2,
    report: (error) => void reported.push(error),
  })
  const listen = (...names: readonly string[]) =>
    rooms.listen({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications: { resourceSubscriptions: names.map((room) => `room://${room}/log`) } },
    })!
  return { rooms, listen, asked, followed, reported }
}

test('a stream names so many rooms at most, whether they are there or not', async () => {
  const { listen, asked } = createScene()
  const ghosts = Array.from({ length: 65 }, (_, number) => `ghost${number}`)
  expect(await listen(...ghosts).ready).toContain('64 rooms at most')
  expect(asked).toEqual([])
  expect(await listen(...ghosts.slice(1), 'ghost1').ready).toBe(undefined)
})

test('a stream that ends while its rooms are looked up has none of them, and looks no further', async () => {
  const mayGoOn = createDeferred<undefined>()
  const { listen, asked, followed } = createScene(() => mayGoOn.promise)
  const stream = listen(...Array.from({ length: 64 }, (_, number) => `r${number}`))
  stream.end()
  mayGoOn.resolve(undefined)
  await stream.ready
  expect(asked).toEqual(['r0'])
  expect([...followed]).toEqual([])
})

test('a stream that is refused for one room leaves the others what they have, and its place', async () => {
  const { listen, followed } = createScene(async (room) =>
    room === 'full' ? 'it is one too many' : undefined,
  )
  expect(await listen('hall', 'lobby').ready).toBe(undefined)
  const second = listen('hall', 'den', 'full', 'lobby')
  expect(await second.ready).toBe('it is one too many')
  expect(await listen('den').ready).toContain('2 streams of changes are open already')
  second.end()
  second.end()
  expect([...followed].toSorted()).toEqual(['hall', 'lobby'])
  expect(await listen('ghost').ready).toBe(undefined)
})

test('a room that cannot be looked up is no secret: the stream is refused with the reason, which is reported', async () => {
  const trouble = new StorageError('away', 'the database is away; try it again')
  const { listen, reported } = createScene(() => Promise.reject(trouble))
  expect(await listen('ghost').ready).toBe('the database is away; try it again')
  expect(reported).toEqual([trouble])
})

test('a room is followed until all that wanted it have ended that, also after one of them was refused', async () => {
  const answers = [undefined, 'it is one too many', undefined]
  const { rooms, listen, followed } = createScene(async () => answers.shift())
  const [ann, bob] = [{}, {}]
  expect(await rooms.follow('hall', ann)).toBe(undefined)
  expect(await rooms.follow('hall', bob)).toBe('it is one too many')
  const stream = listen('hall')
  await stream.ready
  rooms.unfollowAll(ann)
  expect([...followed]).toEqual(['hall'])
  stream.end()
  expect([...followed]).toEqual([])
})
