import { expect, test } from 'vitest'
import type { GrantStore } from '../../../src/turns/approvals/ports.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { room } from '../../support/storage.ts'
import { alice, bob, den, lobby, nowhere, refused, register } from './cast.ts'

const at = 1000
const given = { room: den, person: alice.id, name: 'alice', tool: 'run_command', target: 'ls', by: 'Bob', at }
const wanted = { room: den, person: alice.id, tool: 'run_command', target: 'ls', at }

/** What a grant store must do; `store` gives that of the running test. */
export function grantsExam(store: () => Storage): void {
  const prepare = async (): Promise<GrantStore> => {
    await register(store(), alice, bob)
    await store().chat.rooms.create(room('den', {}))
    await store().chat.rooms.create(room('lobby', {}))
    return store().tools.grants
  }

  test('a grant applies to exactly its person, room, tool and target', async () => {
    const grants = await prepare()
    const grant = await grants.put(given)
    expect(grant).toEqual({ ...given, id: 1 })
    expect(await grants.find(wanted)).toEqual(grant)
    const others = [
      { person: bob.id },
      { room: lobby },
      { tool: 'run_command2' },
      { tool: 'RUN_COMMAND' },
      { target: 'LS' },
      { target: 'ls ' },
      { target: 'ls\0' },
      { target: 'l%' },
      { target: '' },
    ]
    for (const other of others) expect(await grants.find({ ...wanted, ...other })).toBeUndefined()
  })

  test('a grant ends at its time, or without one when it is removed', async () => {
    const grants = await prepare()
    await grants.put({ ...given, until: 2000 })
    expect(await grants.find({ ...wanted, at: 1999 })).toMatchObject({ until: 2000 })
    expect(await grants.find({ ...wanted, at: 2000 })).toBeUndefined()
    expect(await grants.list(den, 1999)).toHaveLength(1)
    expect(await grants.list(den, 2000)).toEqual([])
    const forGood = await grants.put({ ...given, at: 3000 })
    expect(await grants.find({ ...wanted, at: Number.MAX_SAFE_INTEGER })).toEqual(forGood)
    expect(await grants.remove(den, forGood.id)).toBe(true)
    expect(await grants.find(wanted)).toBeUndefined()
    expect(await grants.remove(den, forGood.id)).toBe(false)
  })

  test('a grant replaces an earlier equal one, and ids count up in each room', async () => {
    const grants = await prepare()
    await grants.put({ ...given, until: 2000 })
    const always = await grants.put({ ...given, by: 'alice' })
    expect(always).toEqual({ ...given, id: 1, by: 'alice' })
    await grants.put({ ...given, target: 'pwd' })
    await grants.put({ ...given, person: bob.id, name: 'Bob' })
    await grants.put({ ...given, room: lobby })
    const ids = async (where: typeof den) => (await grants.list(where, at)).map((one) => one.id)
    expect([await ids(den), await ids(lobby), await ids(nowhere)]).toEqual([[1, 2, 3], [1], []])
    expect(await grants.remove(lobby, 2)).toBe(false)
    expect(await grants.remove(den, 2)).toBe(true)
    expect([await ids(den), await ids(lobby)]).toEqual([[1, 3], [1]])
  })

  test('a grant of a routine is found for that routine alone, beside an equal one, and ends with it', async () => {
    const grants = await prepare()
    const general = await grants.put(given)
    const bound = await grants.put({ ...given, routine: 'r1' })
    expect(bound).toEqual({ ...given, id: 2, routine: 'r1' })
    expect(await grants.put({ ...given, routine: 'r1', by: 'alice' })).toMatchObject({ id: 2, by: 'alice' })
    expect(await grants.find(wanted)).toEqual(general)
    expect(await grants.find({ ...wanted, routine: 'r1' })).toMatchObject({ id: 2 })
    expect(await grants.find({ ...wanted, routine: 'r2' })).toBeUndefined()
    await grants.removeOf('r1')
    expect(await grants.list(den, at)).toEqual([general])
  })

  test('a grant keeps any target text unchanged', async () => {
    const grants = await prepare()
    const target = `a\n\u0000\u{1F600}'"%_\\${'x'.repeat(40_000)}`
    await grants.put({ ...given, target })
    expect(await grants.find({ ...wanted, target })).toMatchObject({ target })
  })

  test('a grant for a missing room or person is refused', async () => {
    const grants = await prepare()
    await refused(grants.put({ ...given, room: nowhere }))
    await refused(grants.put({ ...given, person: 'guest:x' as typeof alice.id }))
    expect(await grants.list(den, at)).toEqual([])
  })
}
