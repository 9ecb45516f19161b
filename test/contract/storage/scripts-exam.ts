import { expect, test } from 'vitest'
import type { Storage } from '../../../src/adapters/storage/storage.ts'
import { room } from '../../support/storage.ts'
import { lobby, den, nowhere, refused } from './cast.ts'

/** What a scripts store must do; `store` gives the one of the running test. */
export function scriptsExam(store: () => Storage): void {
  test('have versions from 1 in each room, and the newest is current', async () => {
    await store().chat.rooms.create(room('den', {}))
    await store().chat.rooms.create(room('lobby', {}))
    const put = { room: den, author: 'alice', at: 5 }
    expect(await store().prompts.scripts.current(den)).toBeUndefined()
    const versions = await Promise.all(
      ['a', ''].map((source) => store().prompts.scripts.put({ ...put, source })),
    )
    expect(versions).toEqual([
      { ...put, version: 1, source: 'a' },
      { ...put, version: 2, source: '' },
    ])
    expect(await store().prompts.scripts.put({ ...put, room: lobby, source: 'x' })).toMatchObject({
      version: 1,
    })
    expect(await store().prompts.scripts.current(den)).toEqual(versions[1])
    expect(await store().prompts.scripts.versions(den)).toEqual(versions.toReversed())
    expect(await store().prompts.scripts.versions(nowhere)).toEqual([])
    await refused(store().prompts.scripts.put({ ...put, room: nowhere, source: 'x' }))
  })
}
