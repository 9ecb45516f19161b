import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import { room } from '../../support/storage.ts'
import { alice, bob, den, refused, register } from './cast.ts'

const attic = 'attic' as RoomName
const notice = { room: den, person: alice.id, inviter: 'bob', at: 2 }

/** What a store of invitations that nobody was told of must do; `store` gives that of the running test. */
export function invitationNoticesExam(store: () => Storage): void {
  const prepare = async () => {
    const { rooms, invitations } = store().chat
    await register(store(), alice, bob)
    for (const name of ['attic', 'den']) await rooms.create(room(name, {}))
    for (const name of [attic, den]) await rooms.setMembership(name, alice.id, 'invited')
    return { rooms, invitations }
  }

  test('the storage returns each invitation once, to the invited person, oldest first', async () => {
    const { invitations } = await prepare()
    await invitations.put({ ...notice, inviter: 'carol' })
    await invitations.put(notice)
    await invitations.put({ ...notice, room: attic, at: 1 })
    expect(await invitations.take(bob.id)).toEqual([])
    expect(await invitations.take(alice.id)).toEqual([{ ...notice, room: attic, at: 1 }, notice])
    expect(await invitations.take(alice.id)).toEqual([])
  })

  test('the storage returns no invitation to a member or to a person who is no longer invited', async () => {
    const { rooms, invitations } = await prepare()
    for (const name of [attic, den]) await invitations.put({ ...notice, room: name })
    await rooms.setMembership(den, alice.id, 'member')
    await rooms.setMembership(attic, alice.id, null)
    expect(await invitations.take(alice.id)).toEqual([])
    await rooms.setMembership(den, alice.id, 'invited')
    expect(await invitations.take(alice.id)).toEqual([])
  })

  test('the storage refuses an invitation for a missing room or person', async () => {
    const { invitations } = await prepare()
    await refused(invitations.put({ ...notice, room: 'nowhere' as RoomName }))
    await refused(invitations.put({ ...notice, person: 'nobody' as typeof alice.id }))
  })
}
