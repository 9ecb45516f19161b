import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import { room } from '../../support/storage.ts'
import { den, idOf, lobby, nowhere, refused, say } from './cast.ts'

/** What a summary store, and the rows that summaries are made from, must do; `store` gives that of the running test. */
export function summariesExam(store: () => Storage): void {
  const put = { room: den, text: 'a', first: idOf(1), last: idOf(2), author: 'qwen', at: 5 }

  test('summaries are numbered from 1 in each room, and the newest hundred are kept', async () => {
    await store().chat.rooms.create(room('den', {}))
    await store().chat.rooms.create(room('lobby', {}))
    const { summaries } = store().prompts
    expect(await summaries.current(den)).toBeUndefined()
    for (let n = 1; n <= 102; n += 1) await summaries.put({ ...put, text: `text ${n}` })
    expect(await summaries.current(den)).toEqual({ ...put, version: 102, text: 'text 102' })
    const versions = (await summaries.versions(den)).map(({ version }) => version)
    expect(versions).toEqual(Array.from({ length: 100 }, (_, index) => 102 - index))
    expect(await summaries.put({ ...put, room: lobby })).toMatchObject({ version: 1 })
    await refused(summaries.put({ ...put, room: nowhere }))
  })

  test('a summary is stored only if its base version is still current', async () => {
    await store().chat.rooms.create(room('den', {}))
    const { summaries } = store().prompts
    expect(await summaries.put(put, 1)).toBeUndefined()
    const both = await Promise.all([summaries.put(put, 0), summaries.put({ ...put, text: 'b' }, 0)])
    expect(both.map((one) => one?.text)).toEqual(['a', undefined])
    expect(await summaries.put({ ...put, text: 'c' }, 1)).toMatchObject({ version: 2, text: 'c' })
  })

  test('a forked room has no summaries of its source', async () => {
    await store().chat.rooms.create(room('den', {}))
    await store().prompts.summaries.put(put)
    await store().chat.rooms.fork(den, room('lobby', {}))
    expect(await store().prompts.summaries.versions(lobby)).toEqual([])
  })

  test('the rows for a summary are the oldest after an entry', async () => {
    await say(store(), 1, 5)
    await say(store(), 6, 6, 'presence')
    await store().prompts.history.saveCounts('o200k_base', new Map([[idOf(3), 7]]))
    const query = { encoding: 'o200k_base', maxRows: 2, kinds: ['message'] as const }
    const idsAndTokens = async (after?: number) =>
      (
        await store().prompts.history.following(lobby, { ...query, ...(after ? { after: idOf(after) } : {}) })
      ).map(({ entry, tokens }) => [entry.id, tokens])
    expect(await idsAndTokens()).toEqual([
      [idOf(1), undefined],
      [idOf(2), undefined],
    ])
    expect(await idsAndTokens(2)).toEqual([
      [idOf(3), 7],
      [idOf(4), undefined],
    ])
    expect(await idsAndTokens(5)).toEqual([])
  })
}
