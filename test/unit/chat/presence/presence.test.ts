import { describe, expect, test } from 'vitest'
import { createRooms } from '../../../../src/chat/rooms.ts'
import { StorageError } from '../../../../src/chat/errors.ts'
import type { EntryLog } from '../../../../src/chat/ports.ts'
import { createLocalBus } from '../../../../src/chat/local-bus.ts'
import type { HeldPresence, PresenceChange } from '../../../../src/chat/presence/held-presence.ts'
import { sumOf } from '../../../../src/chat/presence/sum.ts'
import { createDeferred } from '../../../../src/lib/deferred.ts'
import { createChatParts, screenOf } from '../../../support/chat-parts.ts'

const MINUTE_MS = 60_000
const RETRY_MS = 5_000

/** The lobby, in which so many lines a minute say who comes and goes, and one who watches. */
async function startLobby(presence_per_min: number, change: (store: EntryLog) => object = () => ({})) {
  const parts = await createChatParts()
  const { storage, sanctions, peers, clock, nextId, log, person } = parts
  const entries = { ...storage.chat.log, ...change(storage.chat.log) }
  const open = () =>
    createRooms(
      {
        ...storage.chat,
        sanctions,
        entries,
        bus: createLocalBus(log),
        peers,
        clock,
        nextId,
        log,
      },
      { limits: { rooms_per_person: 3, members_per_room: 2000, presence_per_min } },
    )
  const rooms = open()
  const lobby = await rooms.lobby()
  const watcher = screenOf(await person('watcher'))
  lobby.listen(watcher)
  return {
    ...parts,
    rooms,
    lobby,
    watcher,
    /** Another server with the same database. */
    open,
    async come(...names: readonly string[]) {
      const screens = await Promise.all(names.map(async (name) => screenOf(await person(name))))
      for (const screen of screens) await lobby.enter(screen)
      return async () => {
        for (const screen of screens) await lobby.leave(screen)
      }
    },
    /** The minute is over, and what that brings is on disk. */
    async endMinute() {
      clock.advance(MINUTE_MS)
      await storage.upkeep.health()
      await lobby.sumUpPresence()
    },
    logged: async () => (await lobby.history({ limit: 99 })).map(({ text }) => text),
  }
}

/** A log that stores nothing as long as `trouble` gives an error. */
const storesUnless =
  (trouble: () => StorageError | undefined) =>
  ({ append, hold, sumUp }: EntryLog): Pick<EntryLog, 'append' | 'hold' | 'sumUp'> => {
    const refuse = async (): Promise<void> => {
      const error = trouble()
      if (error) throw error
    }
    return {
      append: (entry) => refuse().then(() => append(entry)),
      hold: (room, change) => refuse().then(() => hold(room, change)),
      sumUp: (entry, count) => refuse().then(() => sumUp(entry, count)),
    }
  }

describe('comings and goings', () => {
  test('reach at once those who only want to know that somebody came or went', async () => {
    const { lobby, come } = await startLobby(1)
    const seen: string[][] = []
    lobby.listen({ peopleChanged: () => seen.push(lobby.present().map(({ name }) => name)) })
    const goes = await come('ann', 'bob')
    await goes()
    expect(seen).toEqual([['ann'], ['ann', 'bob'], ['bob'], []])
  })

  test('are told one by one up to the limit, and the others of that minute in one line at its end', async () => {
    const { lobby, watcher, come, endMinute, logged } = await startLobby(2)
    await come('ann', 'bob')
    await (
      await come('cid', 'dan')
    )()
    expect(lobby.present().map(({ name }) => name)).toEqual(['ann', 'bob'])
    expect(watcher.texts()).toEqual(['ann joined', 'bob joined'])
    await endMinute()
    expect(watcher.texts()).toEqual(['ann joined', 'bob joined', '2 people came and went'])
    expect(await logged()).toEqual(watcher.texts())
    expect(watcher.seen.at(-1)).toMatchObject({
      kind: 'presence',
      author: 'system',
      event: 'summed',
      joined: ['cid', 'dan'],
      left: ['cid', 'dan'],
    })
  })

  test('count the sum among the lines of the next minute, and begin anew after a quiet one', async () => {
    const { watcher, come, endMinute } = await startLobby(2)
    await come('ann', 'bob', 'cid', 'dan')
    await endMinute()
    await come('eve', 'fay')
    expect(watcher.texts()).toEqual(['ann joined', 'bob joined', '2 people joined', 'eve joined'])
    await endMinute()
    await endMinute()
    await come('gus', 'hal')
    expect(watcher.texts().slice(4)).toEqual(['fay joined', 'gus joined', 'hal joined'])
  })

  test('are not lost when the server is killed: the next one sums them up', async () => {
    const { watcher, come, open, storage } = await startLobby(1)
    await come('ann', 'bob', 'cid')
    expect(watcher.texts()).toEqual(['ann joined'])
    const next = open()
    await next.everywhere.sumUpPresence()
    const texts = (await (await next.lobby()).history({ limit: 9 })).map(({ text }) => text)
    expect(texts).toEqual(['ann joined', '2 people joined'])
    expect(await storage.chat.log.roomsWithHeld()).toEqual([])
    await next.everywhere.sumUpPresence()
    expect(await (await next.lobby()).history({ limit: 9 })).toHaveLength(2)
  })

  test('wait for the next minute where their sum cannot be stored', async () => {
    let broken = true
    const { watcher, come, endMinute, log } = await startLobby(1, ({ sumUp }) => ({
      sumUp: (...args: Parameters<HeldPresence['sumUp']>) =>
        broken ? Promise.reject(new StorageError('full', 'the disk is full')) : sumUp(...args),
    }))
    await come('ann', 'bob', 'cid')
    await endMinute()
    expect(watcher.texts()).toEqual(['ann joined'])
    expect(log.lines).toContain('a coming or going was not stored')
    broken = false
    await come('dan')
    await endMinute()
    expect(watcher.texts()).toEqual(['ann joined', '3 people joined'])
  })

  test('that could not be stored are told with the next entry that can be, in their order', async () => {
    let trouble: StorageError | undefined
    const { lobby, watcher, come, logged, log } = await startLobby(
      20,
      storesUnless(() => trouble),
    )
    const goes = await come('ann', 'bob')
    trouble = new StorageError('other', 'the disk failed')
    await goes()
    await come('cid')
    await (
      await come('dan')
    )()
    expect(watcher.texts()).toEqual(['ann joined', 'bob joined'])
    expect(log.lines).toContain('a coming or going was not stored')
    trouble = undefined
    await lobby.record({ kind: 'message', author: 'cid', text: 'room again' })
    await expect
      .poll(() => watcher.texts().slice(2))
      .toEqual(['room again', '1 person joined, 2 left, 1 came and went'])
    expect(watcher.seen.at(-1)).toMatchObject({ joined: ['cid', 'dan'], left: ['ann', 'bob', 'dan'] })
    await come('eve')
    expect(await logged()).toEqual([...watcher.texts().slice(0, -1), 'eve joined'])
    expect(watcher.texts().at(-1)).toBe('eve joined')
  })

  test('that could not be stored are told also in a room in which nothing else happens', async () => {
    let trouble: StorageError | undefined = new StorageError('locked', 'another program holds it')
    const { watcher, come, clock } = await startLobby(
      20,
      storesUnless(() => trouble),
    )
    await come('ann')
    clock.advance(RETRY_MS)
    await expect.poll(() => watcher.texts()).toEqual([])
    trouble = undefined
    clock.advance(RETRY_MS)
    await expect.poll(() => watcher.texts()).toEqual(['ann joined'])
  })

  test('of one person are told in their order where only the first of them could not be stored', async () => {
    const failed = createDeferred<void>()
    let isFirst = true
    const { lobby, watcher, person, storage } = await startLobby(20, ({ append }) => ({
      async append(...args: Parameters<typeof append>) {
        if (!isFirst) return await append(...args)
        isFirst = false
        await failed.promise
        throw new StorageError('locked', 'another program holds it')
      },
    }))
    const ann = screenOf(await person('ann'))
    const both = [lobby.enter(ann), lobby.leave(ann)]
    await storage.upkeep.health()
    failed.resolve()
    await Promise.all(both)
    await expect.poll(() => watcher.texts()).toEqual(['1 person came and went'])
  })

  test('of very many are summed up before the minute is over', async () => {
    const { watcher, come, lobby, logged } = await startLobby(1)
    await come('first', ...Array.from({ length: 500 }, (_, number) => `u${number}`))
    await expect.poll(() => watcher.texts()).toEqual(['first joined', '500 people joined'])
    expect(lobby.present()).toHaveLength(501)
    expect(await logged()).toEqual(watcher.texts())
  })
})

const changes = (joined: string, left: string): PresenceChange[] => [
  ...[...joined].map((name) => ({ name, event: 'joined' }) as const),
  ...[...left].map((name) => ({ name, event: 'left' }) as const),
]

test.each([
  ['a', '', 'a joined'],
  ['', 'b', 'b left'],
  ['ab', '', '2 people joined'],
  ['', 'abc', '3 people left'],
  ['a', 'a', '1 person came and went'],
  ['ab', 'ba', '2 people came and went'],
  ['abc', 'cd', '2 people joined, 1 left, 1 came and went'],
  ['aa', 'a', '1 person came and went'],
])('the sum of those who joined (%j) and left (%j) says %s', (joined, left, text) => {
  expect(sumOf(changes(joined, left)).text).toBe(text)
})

test('whoever went and came again is not said to have come and gone', () => {
  const again = [...changes('', 'ab'), ...changes('abc', '')]
  expect(sumOf(again).text).toBe('1 person joined, 2 left and came back')
  expect(sumOf([...changes('a', 'a'), ...changes('a', '')]).text).toBe('1 person joined')
})
