import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import type { Sanction } from '../../../src/chat/moderation/ports.ts'
import { room } from '../../support/storage.ts'
import { alice, bob, den, key, lobby, nowhere, refused, register, say } from './cast.ts'

const ban: Sanction = {
  id: '01A',
  kind: 'ban',
  room: null,
  who: 'Bob',
  people: [bob.id],
  keys: [key(1), key(2)],
  network: null,
  reason: 'a\n"\u{1F600}',
  by: 'alice',
  at: 1000,
  until: null,
}
const mute: Sanction = { ...ban, id: '01B', kind: 'mute', room: den, until: 2000, network: '10.0.0.0/8' }

/** What a store of sanctions, and of the end of rooms, must do; `store` gives that of the running test. */
export function sanctionsExam(store: () => Storage): void {
  const sanctions = () => store().chat.sanctions

  test('sanctions are stored in order of id until they are replaced or removed', async () => {
    await store().chat.rooms.create(room('den', {}))
    await sanctions().put(mute, [])
    await sanctions().put(ban, ['unknown'])
    expect(await sanctions().all()).toEqual([ban, mute])
    const longer = { ...ban, id: '01C', until: 9000 }
    await sanctions().put(longer, [ban.id])
    expect(await sanctions().all()).toEqual([mute, longer])
    await sanctions().remove([mute.id, longer.id, 'unknown'])
    expect(await sanctions().all()).toEqual([])
  })

  test('a sanction that cannot be stored replaces nothing', async () => {
    await sanctions().put(ban, [])
    await refused(sanctions().put({ ...mute, room: nowhere }, [ban.id]))
    await refused(sanctions().put(ban, []))
    expect(await sanctions().all()).toEqual([ban])
  })

  test('a removed room loses its entries, members and sanctions', async () => {
    const { rooms, removal, entries } = store().chat
    await register(store(), alice)
    for (const name of ['den', 'lobby']) await rooms.create(room(name, { owner: alice.id }))
    await say(store(), 1, 5, 'message', den)
    await say(store(), 6, 7, 'message', lobby)
    await sanctions().put(mute, [])
    await sanctions().put(ban, [])
    expect(await removal.removeSome(den, 2)).toBe(true)
    expect((await entries.read(den, { limit: 9 })).map(({ text }) => text)).toEqual([
      'text 3',
      'text 4',
      'text 5',
    ])
    while (await removal.removeSome(den, 2));
    await removal.remove(den)
    expect(await rooms.find(den)).toBeUndefined()
    expect(await rooms.membership(den, alice.id)).toBeUndefined()
    expect(await entries.read(den, { limit: 9 })).toEqual([])
    expect(await entries.read(lobby, { limit: 9 })).toHaveLength(2)
    expect(await sanctions().all()).toEqual([ban])
    await removal.remove(nowhere)
    expect(await removal.removeSome(nowhere, 2)).toBe(false)
  })
}
