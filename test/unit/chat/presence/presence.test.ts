import { describe, expect, test } from 'vitest'
import { Rooms } from '../../../../src/chat/rooms.ts'
import { StorageError } from '../../../../src/chat/errors.ts'
import type { EntryLog } from '../../../../src/chat/ports.ts'
import { createLocalBus } from '../../../../src/chat/local-bus.ts'
import { type PresenceChange, Tally } from '../../../../src/chat/presence/tally.ts'
import { createChatParts, screenOf } from '../../../support/chat-parts.ts'

const MINUTE_MS = 60_000

/** The lobby, in which so many lines a minute say who comes and goes, and one who watches. */
async function startLobby(presence_per_min: number, change: (store: EntryLog) => object = () => ({})) {
  const parts = await createChatParts()
  const { storage, sanctions, peers, clock, nextId, log, person } = parts
  const entries = { ...storage.chat.entries, ...change(storage.chat.entries) }
  const bus = createLocalBus(log)
  const rooms = new Rooms(
    { ...storage.chat, sanctions, entries, bus, peers, clock, nextId, log },
    { rooms_per_person: 3, members_per_room: 2000, presence_per_min },
  )
  const lobby = await rooms.lobby()
  const watcher = screenOf(await person('watcher'))
  lobby.listen(watcher)
  return {
    ...parts,
    rooms,
    lobby,
    watcher,
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
      await lobby.flushPresence()
    },
    logged: async () => (await lobby.history({ limit: 99 })).map(({ text }) => text),
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

  test('that cannot be stored are told with the next entry that can be', async () => {
    let trouble: StorageError | undefined
    const { watcher, come, endMinute, lobby, logged, log } = await startLobby(20, ({ append }) => ({
      append: (...args: Parameters<typeof append>) => (trouble ? Promise.reject(trouble) : append(...args)),
    }))
    const goes = await come('ann', 'bob')
    trouble = new StorageError('full', 'the disk is full')
    await goes()
    await (
      await come('cid', 'dan')
    )()
    await endMinute()
    expect(watcher.texts()).toEqual(['ann joined', 'bob joined'])
    expect(log.lines).toContain('a coming or going was not stored')
    trouble = undefined
    await come('dan')
    await lobby.record({ kind: 'message', author: 'dan', text: 'room again' })
    await expect
      .poll(() => watcher.texts().slice(2))
      .toEqual(['room again', '1 person joined, 2 left, 1 came and went'])
    expect(watcher.seen.at(-1)).toMatchObject({ joined: ['cid', 'dan'], left: ['ann', 'bob', 'cid'] })
    expect(await logged()).toEqual(watcher.texts())
  })

  test('of visitors are forgotten if very many of them cannot be stored, and nobody who stays', async () => {
    let trouble: StorageError | undefined = new StorageError('full', 'the disk is full')
    const { watcher, come, endMinute } = await startLobby(20, ({ append }) => ({
      append: (...args: Parameters<typeof append>) => (trouble ? Promise.reject(trouble) : append(...args)),
    }))
    await come('ann')
    await (
      await come(...Array.from({ length: 600 }, (_, number) => `u${number}`))
    )()
    await endMinute()
    trouble = undefined
    await endMinute()
    expect(watcher.texts()).toEqual(['ann joined'])
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

const textOf = (all: readonly PresenceChange[]): string => {
  const tally = new Tally()
  for (const change of all) tally.add(change)
  return tally.draft().text
}

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
  expect(textOf(changes(joined, left))).toBe(text)
})

test('whoever went and came again is not said to have come and gone', () => {
  const again = [...changes('', 'ab'), ...changes('abc', '')]
  expect(textOf(again)).toBe('1 person joined, 2 left and came back')
  expect(textOf([...changes('a', 'a'), ...changes('a', '')])).toBe('a joined')
})
