import { expect, test } from 'vitest'
import type { Storage } from '../../../src/adapters/storage/storage.ts'
import type { PresenceChange } from '../../../src/chat/presence/held-presence.ts'
import { message, room } from '../../support/storage.ts'
import { den, idOf, lobby, nowhere, refused, textsOf } from './cast.ts'

const change = (name: string, event: PresenceChange['event'] = 'joined'): PresenceChange => ({ name, event })

/** What a log must do with comings and goings that wait for their sum; `store` gives the one of the running test. */
export function heldPresenceExam(store: () => Storage): void {
  const makeRooms = async (): Promise<void> => {
    for (const name of [lobby, den]) await store().chat.rooms.create(room(name, {}))
  }

  test('is given back in the order of holding, room by room, with what was held in the same tick', async () => {
    await makeRooms()
    const changes = [change('zoe'), change('ann'), change('zoe', 'left'), change('zoe')]
    const held = changes.map((one) => store().chat.log.hold(lobby, one))
    const other = store().chat.log.hold(den, change('bob'))
    expect(await store().chat.log.held(lobby, 10)).toEqual(changes)
    await Promise.all([...held, other])
    expect(await store().chat.log.held(lobby, 2)).toEqual(changes.slice(0, 2))
    expect(await store().chat.log.held(den, 10)).toEqual([change('bob')])
    expect(await store().chat.log.roomsWithHeld()).toEqual([den, lobby])
    expect(await store().chat.log.held(lobby, -1)).toEqual([])
  })

  test('is summed up by an entry, and what was held since then stays', async () => {
    await makeRooms()
    for (const name of ['ann', 'bob', 'cid']) await store().chat.log.hold(lobby, change(name))
    await store().chat.log.hold(den, change('dan'))
    await store().chat.log.sumUp(message(idOf(1), lobby, 'two came'), 2)
    expect(await store().chat.log.held(lobby, 10)).toEqual([change('cid')])
    expect(textsOf(await store().chat.log.read(lobby, { limit: 9 }))).toEqual(['two came'])
    await store().chat.log.sumUp(message(idOf(2), lobby, 'one more'), 1)
    expect(await store().chat.log.roomsWithHeld()).toEqual([den])
  })

  test('stays held where its entry cannot be appended', async () => {
    await makeRooms()
    await store().chat.log.append(message(idOf(1), lobby, 'taken'))
    await store().chat.log.hold(lobby, change('ann'))
    await refused(store().chat.log.sumUp(message(idOf(1), lobby, 'again'), 1))
    expect(await store().chat.log.held(lobby, 10)).toEqual([change('ann')])
    expect(textsOf(await store().chat.log.read(lobby, { limit: 9 }))).toEqual(['taken'])
  })

  test('is held in rooms that there are, and in no others', async () => {
    await refused(store().chat.log.hold(nowhere, change('ann')))
    expect(await store().chat.log.held(nowhere, 10)).toEqual([])
    expect(await store().chat.log.roomsWithHeld()).toEqual([])
  })
}
