import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import { Pins } from '../../../src/chat/pins.ts'
import { pinRows } from '../../../src/words/entry-text.ts'
import { storedRing, toSettings } from '../../../src/chat/personal/options.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import { message, room } from '../../support/storage.ts'
import { alice, bob, den, idOf, lobby, nowhere, refused, register, say, textsOf } from './cast.ts'

/** What a store of what people have set, and of what they have seen, must do; `store` gives that of the running test. */
export function preferencesExam(store: () => Storage): void {
  test('the storage keeps the last value of each option of a person', async () => {
    await register(store(), alice, bob)
    const { preferences } = store().chat
    await preferences.put(alice.id, { option: 'theme', value: 'dark' })
    await preferences.put(alice.id, { option: 'bell', value: 'off' })
    await preferences.put(alice.id, { option: 'theme', value: 'light' })
    expect(await preferences.of(alice.id)).toEqual([
      { option: 'bell', value: 'off' },
      { option: 'theme', value: 'light' },
    ])
    expect(await preferences.of(bob.id)).toEqual([])
  })

  test('the storage lists the values of all people for an option under their current names', async () => {
    await register(store(), alice, bob)
    const { preferences, names } = store().chat
    await preferences.put(alice.id, { option: 'color', value: 'green' })
    await preferences.put(bob.id, { option: 'color', value: 'blue' })
    await preferences.put(bob.id, { option: 'bell', value: 'all' })
    const change = { id: bob.id, name: 'zed', skeleton: 'zed', at: 1, keptUntil: 2 }
    expect(await names.rename(change, 2)).toBe('renamed')
    expect(await preferences.everyone('color')).toEqual([
      { name: 'alice', value: 'green' },
      { name: 'zed', value: 'blue' },
    ])
  })

  test('what rings in a room follows its new name, and is deleted with the room', async () => {
    await register(store(), alice, bob)
    const { preferences, rooms, removal } = store().chat
    const hall = 'hall' as RoomName
    for (const name of [lobby, den]) await rooms.create(room(name, {}))
    for (const [name, ring] of [
      [lobby, 'all'],
      [den, 'off'],
    ] as const)
      await preferences.put(alice.id, storedRing(name, ring))
    expect(await rooms.rename(den, hall)).toBe('renamed')
    expect(toSettings(await preferences.of(alice.id))).toEqual({
      rings: new Map([
        [hall, 'off'],
        [lobby, 'all'],
      ]),
    })
    await removal.remove(hall)
    expect(await preferences.of(alice.id)).toEqual([storedRing(lobby, 'all')])
  })

  test('pins are lines of their room, at most three, which are gone with a retraction and not forked', async () => {
    const { rooms, entries } = store().chat
    for (const name of [lobby, den]) await rooms.create(room(name, {}))
    await say(store(), 1, 4)
    await say(store(), 5, 5, 'message', den)
    const pins = new Pins(rooms, entries)
    const lines = await entries.read(lobby, { limit: 9 })
    const [foreign] = await entries.read(den, { limit: 1 })
    await Promise.all(lines.slice(0, 3).map((line) => pins.add(lobby, line)))
    await expect(pins.add(lobby, lines[3])).rejects.toThrow('at most 3')
    expect(textsOf(await pins.list(lobby))).toEqual(['text 1', 'text 2', 'text 3'])
    await entries.append({
      ...message(idOf(6), lobby, 'took a line back'),
      ...({ kind: 'notice', level: 'info', retracts: idOf(2) } as const),
    })
    expect(pinRows(await pins.list(lobby))).toEqual(['pinned 1: alice: text 1', 'pinned 2: alice: text 3'])
    await pins.add(lobby, foreign)
    expect(textsOf(await pins.list(lobby))).toEqual(['text 1', 'text 3'])
    expect((await pins.remove(lobby, 1)).text).toBe('text 1')
    expect((await pins.remove(lobby)).text).toBe('text 3')
    await expect(pins.remove(lobby)).rejects.toThrow('no line is pinned')
    await pins.add(lobby, lines[0])
    expect(await rooms.fork(lobby, room('copy', {}))).toBe(true)
    expect(await pins.list('copy' as RoomName)).toEqual([])
    expect(await rooms.values(lobby)).toEqual(new Map())
  })

  test('the storage keeps the newest entry that a person has seen in each room', async () => {
    await register(store(), alice, bob)
    const { lastSeen, rooms } = store().chat
    for (const name of [lobby, den]) await rooms.create(room(name, {}))
    await lastSeen.put(alice.id, lobby, idOf(2))
    await lastSeen.put(alice.id, lobby, idOf(1))
    await lastSeen.put(alice.id, den, idOf(1))
    expect(await lastSeen.find(alice.id, lobby)).toBe(idOf(2))
    expect(await lastSeen.find(alice.id, den)).toBe(idOf(1))
    expect(await lastSeen.find(bob.id, lobby)).toBeUndefined()
    await lastSeen.put(alice.id, lobby, idOf(3))
    expect(await lastSeen.find(alice.id, lobby)).toBe(idOf(3))
  })

  test('the storage lists the rooms of a person, latest first, until each is dropped', async () => {
    await register(store(), alice, bob)
    const { lastSeen, rooms } = store().chat
    for (const name of [lobby, den]) await rooms.create(room(name, {}))
    await lastSeen.put(alice.id, lobby, idOf(2), 10)
    await lastSeen.put(alice.id, den, idOf(1), 20)
    await lastSeen.put(bob.id, den, idOf(1))
    expect(await lastSeen.mine(alice.id, 9)).toEqual([
      { room: den, entry: idOf(1), at: 20 },
      { room: lobby, entry: idOf(2), at: 10 },
    ])
    expect(await lastSeen.mine(bob.id, 9)).toEqual([])
    await lastSeen.put(alice.id, lobby, idOf(1), 30)
    await lastSeen.put(alice.id, den, idOf(3))
    expect(await lastSeen.mine(alice.id, 1)).toEqual([{ room: lobby, entry: idOf(2), at: 30 }])
    await lastSeen.put(alice.id, den, idOf(1), 0)
    await lastSeen.drop(alice.id, lobby)
    expect(await lastSeen.mine(alice.id, 9)).toEqual([{ room: den, entry: idOf(3), at: 20 }])
    expect(await lastSeen.find(alice.id, lobby)).toBe(idOf(2))
  })

  test('the storage refuses preferences of an unknown person and last-seen entries of a missing room', async () => {
    await register(store(), alice)
    const { preferences, lastSeen } = store().chat
    await refused(preferences.put(bob.id, { option: 'bell', value: 'off' }))
    await refused(lastSeen.put(bob.id, lobby, idOf(1)))
    await refused(lastSeen.put(alice.id, nowhere, idOf(1)))
  })
}
