import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import type { LongResult, ResultLimits } from '../../../src/tools/results/long-results.ts'
import { room } from '../../support/storage.ts'
import { den, lobby, nowhere, refused } from './cast.ts'

/** What a store of long results must do; `store` gives that of the running test. */
export function resultsExam(store: () => Storage): void {
  const put = (text: string, change: Partial<LongResult> = {}, limits: Partial<ResultLimits> = {}) =>
    store().tools.results.put(
      { room: den, tool: 'Grep', pageSize: 8000, at: 100, ...change, text },
      { since: 0, roomBytes: 1000, allBytes: 10_000, ...limits },
    )
  const found = async (where: RoomName, ...fds: number[]) => {
    const results = await Promise.all(fds.map((fd) => store().tools.results.find(where, fd)))
    return results.map((result) => result?.text)
  }
  const makeRooms = async (): Promise<void> => {
    await store().chat.rooms.create(room('den', {}))
    await store().chat.rooms.create(room('lobby', {}))
  }

  test('a long result is found whole under its number', async () => {
    await makeRooms()
    const text = 'ERROR: \u{1F468}\u200D\u{1F469}\r\n\u0301"\\'
    expect(await put(text, { tool: 'web_fetch', outside: 'page', pageSize: 1234, at: 77 })).toBe(1)
    expect(await store().tools.results.find(den, 1)).toEqual({
      ...{ room: den, fd: 1, tool: 'web_fetch', outside: 'page', text, pageSize: 1234, at: 77 },
    })
  })

  test('long results are numbered separately in each room and found in no other', async () => {
    await makeRooms()
    expect(await Promise.all([put('a'), put('b'), put('c', { room: lobby })])).toEqual([1, 2, 1])
    expect(await found(den, 1, 2, 3)).toEqual(['a', 'b', undefined])
    expect(await found(lobby, 1, 2)).toEqual(['c', undefined])
    expect(await found(nowhere, 1)).toEqual([undefined])
    await refused(put('x', { room: nowhere }))
  })

  test('the oldest long results of a room over its limit are deleted, but never the newest', async () => {
    await makeRooms()
    await put('x'.repeat(900), { room: lobby })
    for (const text of ['a'.repeat(400), 'b'.repeat(400), 'ä'.repeat(200)]) await put(text)
    expect(await found(den, 1, 2, 3)).toEqual([undefined, 'b'.repeat(400), 'ä'.repeat(200)])
    expect(await put('c'.repeat(5000))).toBe(4)
    expect(await found(den, 2, 3, 4)).toEqual([undefined, undefined, 'c'.repeat(5000)])
    expect(await found(lobby, 1)).toEqual(['x'.repeat(900)])
  })

  test('long results of all rooms are deleted when they are too old', async () => {
    await makeRooms()
    await put('old', { room: lobby, at: 10 })
    await put('old', { at: 49 })
    await put('young', { at: 50 })
    await put('new', { at: 90 }, { since: 50 })
    expect(await found(den, 1, 2, 3)).toEqual([undefined, 'young', 'new'])
    expect(await found(lobby, 1)).toEqual([undefined])
  })

  test('the oldest long results of all rooms are deleted when the total is over its limit', async () => {
    await makeRooms()
    await put('a'.repeat(400), { at: 10 })
    await put('b'.repeat(400), { room: lobby, at: 20 })
    await put('c'.repeat(400), { room: lobby, at: 30 }, { allBytes: 1000 })
    expect([await found(den, 1), await found(lobby, 1, 2)]).toEqual([
      [undefined],
      ['b'.repeat(400), 'c'.repeat(400)],
    ])
    await refused(put('lost', { room: nowhere }, { allBytes: 0 }))
    await put('d'.repeat(900), { at: 40 }, { allBytes: 1000 })
    expect([await found(den, 2), await found(lobby, 1, 2)]).toEqual([
      ['d'.repeat(900)],
      [undefined, undefined],
    ])
  })

  test('long results of a deleted room free their space', async () => {
    await makeRooms()
    await put('a'.repeat(400), { at: 10 })
    await put('b'.repeat(400), { room: lobby, at: 20 })
    await store().chat.removal.remove(den)
    await put('c'.repeat(400), { room: lobby, at: 30 }, { allBytes: 1000 })
    expect(await found(lobby, 1, 2)).toEqual(['b'.repeat(400), 'c'.repeat(400)])
    await store().chat.removal.remove(lobby)
    await makeRooms()
    await put('d'.repeat(400), { at: 40 }, { allBytes: 1000 })
    expect(await found(den, 1)).toEqual(['d'.repeat(400)])
  })

  test('a number of a long result is never reused', async () => {
    await makeRooms()
    await put('a')
    await put('b', {}, { since: 1000 })
    expect(await put('c', {}, { since: 1000, roomBytes: 0 })).toBe(3)
    expect(await found(den, 1, 2, 3)).toEqual([undefined, undefined, 'c'])
  })
}
