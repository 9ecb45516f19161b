import { expect, test } from 'vitest'
import { DAY_MS } from '../../../src/base/amounts.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import type { NewRoutine, Routine, RoutineId } from '../../../src/turns/routines/index.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { room } from '../../support/storage.ts'
import { alice, bob, den, lobby, nowhere, refused, register } from './cast.ts'

const most = { perPerson: 9, perRoom: 9 }

const routine = (id: string, more: Partial<NewRoutine> = {}): NewRoutine => ({
  id: id as RoutineId,
  room: den,
  person: alice.id,
  text: '@qwen sum up',
  condition: { kind: 'once', at: 100 },
  scope: ['Gr*'],
  zone: 'Europe/Berlin',
  tokens: 1000,
  runsLeft: 3,
  until: 900,
  token: null,
  at: 10,
  nextAt: 100,
  ...more,
})

/** What a store of routines must do; `store` gives that of the running test. */
export function routinesExam(store: () => Storage): void {
  const routines = () => store().models.routines

  async function prepare(): Promise<void> {
    await register(store(), alice, bob)
    for (const name of ['den', 'lobby']) await store().chat.rooms.create(room(name, {}))
  }

  async function add(id: string, more: Partial<NewRoutine> = {}): Promise<Routine> {
    const added = await routines().add(routine(id, more), most)
    if (typeof added === 'string') throw new Error(`too many of ${added}`)
    return added
  }

  const ids = (found: readonly Routine[]): readonly string[] => found.map(({ id }) => id)

  test('a routine is found by its room and number as it was added', async () => {
    await prepare()
    const condition = { kind: 'line', words: 'on fire', model: 'qwen', pauseMs: 60_000 } as const
    const added = await add('a', { condition, nextAt: null })
    expect(added).toEqual({
      ...routine('a', { condition, nextAt: null }),
      ...{ number: 1, state: 'active', reason: '', lastAt: null, outcome: null, failures: 0 },
      ...{ failingAt: null, seenAt: 10, spent: { day: 0, tokens: 0 } },
    })
    expect(await routines().find({ room: den }, 1)).toEqual(added)
    expect(await routines().byId(added.id)).toEqual(added)
    expect(await routines().find({ room: den }, 2)).toBeUndefined()
    expect(await routines().find({ room: lobby }, 1)).toBeUndefined()
    expect(await routines().find({ alone: alice.id }, 1)).toBeUndefined()
  })

  test('numbers of routines count up in a room, and for a person without a room', async () => {
    await prepare()
    expect((await add('a')).number).toBe(1)
    expect((await add('b', { person: bob.id })).number).toBe(2)
    expect((await add('c', { room: lobby })).number).toBe(1)
    expect((await add('d', { room: null, scope: null })).number).toBe(1)
    expect((await add('e', { room: null })).number).toBe(2)
    expect((await add('f', { room: null, person: bob.id })).number).toBe(1)
    expect(await routines().find({ alone: alice.id }, 1)).toMatchObject({ id: 'd', room: null, scope: null })
    expect(ids(await routines().list({}))).toEqual(['d', 'e', 'f', 'a', 'b', 'c'])
    expect(ids(await routines().list({ room: den }))).toEqual(['a', 'b'])
    expect(ids(await routines().list({ person: bob.id }))).toEqual(['f', 'b'])
  })

  test('the reminder without a room that rang last is found, also if it has ended', async () => {
    await prepare()
    expect(await routines().lastRung(alice.id)).toBeUndefined()
    const [first, second] = [await add('a', { room: null }), await add('b', { room: null })]
    await routines().update(first.id, { state: 'ended', lastAt: 30 })
    await routines().update(second.id, { lastAt: 20 })
    expect((await routines().lastRung(alice.id))?.id).toBe(first.id)
    expect(await routines().lastRung(bob.id)).toBeUndefined()
  })

  test('a person and a room have at most the limit of routines that have not ended', async () => {
    await prepare()
    await add('a')
    await add('b', { room: lobby })
    expect(await routines().add(routine('c'), { perPerson: 2, perRoom: 9 })).toBe('person')
    expect(await routines().add(routine('c', { person: bob.id }), { perPerson: 2, perRoom: 1 })).toBe('room')
    await routines().update('a' as RoutineId, { state: 'ended', reason: 'alice ended it', nextAt: null })
    expect(await routines().add(routine('c'), { perPerson: 2, perRoom: 1 })).toMatchObject({ number: 2 })
    await refused(routines().add(routine('d', { room: nowhere }), most))
    await refused(routines().add(routine('d', { room: null, person: 'p-nobody' as typeof alice.id }), most))
  })

  test('of concurrent routines a room takes as many as its limit, each with its own number', async () => {
    await prepare()
    const added = await Promise.all(
      ['a', 'b', 'c', 'd'].map((id, index) =>
        routines().add(routine(id, { person: index % 2 ? alice.id : bob.id }), { perPerson: 9, perRoom: 3 }),
      ),
    )
    const numbers = added.map((one) => (typeof one === 'string' ? one : one.number))
    expect(numbers.map(String).toSorted()).toEqual(['1', '2', '3', 'room'])
  })

  test('an ended routine is found for 30 days, and its number is not given again', async () => {
    await prepare()
    for (const id of ['a', 'b']) {
      await add(id)
      await routines().update(id as RoutineId, { state: 'ended', nextAt: null })
    }
    expect(await routines().list({ room: den })).toEqual([])
    expect(await routines().find({ room: den }, 1)).toMatchObject({ state: 'ended' })
    expect((await add('c', { at: 10 + 31 * DAY_MS })).number).toBe(3)
    expect(await routines().find({ room: den }, 1)).toBeUndefined()
    expect(await routines().find({ room: den }, 2)).toMatchObject({ state: 'ended' })
  })

  test('the active routines of a room and of people in any room are found together', async () => {
    await prepare()
    await add('a')
    await add('b', { person: bob.id })
    await add('c', { room: lobby })
    await add('d', { room: null, person: bob.id })
    await add('e')
    await routines().update('e' as RoutineId, { state: 'paused', nextAt: null })
    expect(ids(await routines().activeFor(den, [alice.id]))).toEqual(['a', 'b', 'c'])
    expect(ids(await routines().activeFor(lobby, [alice.id, bob.id]))).toEqual(['a', 'b', 'c', 'd'])
    expect(ids(await routines().activeFor(den, []))).toEqual(['a', 'b'])
  })

  test('the routines of a person are counted with ended ones, until the person is purged', async () => {
    await prepare()
    for (const id of ['a', 'b']) await add(id, { room: null })
    await add('c', { person: bob.id })
    await routines().update('a' as RoutineId, { state: 'ended', nextAt: null })
    const { retention } = store().chat
    expect(await retention.countOthers(alice.id)).toEqual({ routines: 2, texts: 0 })
    await retention.removeMessages({ id: alice.id, name: 'alice' })
    expect(await retention.countOthers(alice.id)).toEqual({ routines: 0, texts: 0 })
    expect(await retention.countOthers(bob.id)).toEqual({ routines: 1, texts: 0 })
  })

  test('the next routines are those with the earliest times', async () => {
    await prepare()
    await add('a', { nextAt: 300 })
    await add('b', { nextAt: 100 })
    await add('c', { nextAt: null })
    await add('d', { nextAt: 200, room: null })
    expect(ids(await routines().upcoming(2))).toEqual(['b', 'd'])
    await routines().update('b' as RoutineId, { nextAt: 400 })
    expect(ids(await routines().upcoming(9))).toEqual(['d', 'a', 'b'])
  })

  test('one of several servers claims a run, and no server claims a run of another time', async () => {
    await prepare()
    const { id } = await add('a')
    const claims = await Promise.all(
      ['s1', 's2', 's3'].map((by) => routines().claim(id, { nextAt: 100, by, ms: 60_000 })),
    )
    expect(claims.filter((claim) => claim !== undefined)).toEqual(['claimed'])
    const [winner = ''] = ['s1', 's2', 's3'].filter((_, index) => claims[index] !== undefined)
    expect(await routines().update(id, { nextAt: 300 }, { claimedBy: 'other' })).toBe(false)
    expect(await routines().update(id, { nextAt: 200, runsLeft: 2 }, { claimedBy: winner })).toBe(true)
    expect(await routines().claim(id, { nextAt: 100, by: 's2', ms: 60_000 })).toBeUndefined()
    expect(await routines().claim(id, { nextAt: 200, by: 's2', ms: 60_000 })).toBe('claimed')
    expect(await routines().byId(id)).toMatchObject({ nextAt: 200, runsLeft: 2, state: 'active' })
  })

  test('a claim that has lapsed is taken over, and the new holder learns of it', async () => {
    await prepare()
    const { id } = await add('a')
    expect(await routines().claim(id, { nextAt: 100, by: 's1', ms: 0 })).toBe('claimed')
    expect(await routines().claim(id, { nextAt: 100, by: 's2', ms: 60_000 })).toBe('lapsed')
    expect(await routines().update(id, { nextAt: null }, { claimedBy: 's1' })).toBe(false)
    expect(await routines().update(id, { nextAt: null }, { claimedBy: 's2' })).toBe(true)
  })

  test('a routine changes only from the expected state', async () => {
    await prepare()
    const { id } = await add('a')
    expect(
      await routines().update(id, { state: 'paused', reason: 'alice paused it' }, { state: 'active' }),
    ).toBe(true)
    expect(
      await routines().update(id, { state: 'paused', reason: 'Bob paused it' }, { state: 'active' }),
    ).toBe(false)
    expect(await routines().byId(id)).toMatchObject({ state: 'paused', reason: 'alice paused it' })
  })

  test('tokens of a routine are summed for a day', async () => {
    await prepare()
    const { id } = await add('a')
    await Promise.all([5, 7].map((tokens) => routines().spend(id, { day: 20, tokens })))
    expect(await routines().byId(id)).toMatchObject({ spent: { day: 20, tokens: 12 } })
    await routines().spend(id, { day: 21, tokens: 3 })
    expect(await routines().byId(id)).toMatchObject({ spent: { day: 21, tokens: 3 } })
  })

  test('a login of a person is stored in all of their routines', async () => {
    await prepare()
    await add('a')
    await add('b', { person: bob.id })
    await routines().seen(alice.id, 500)
    expect((await routines().list({})).map(({ seenAt }) => seenAt)).toEqual([500, 10])
  })

  test('the reminder of a person without a room that rang last is found', async () => {
    await prepare()
    expect(await routines().lastRung(alice.id)).toBeUndefined()
    await add('a', { room: null })
    await add('b', { room: null })
    await add('c')
    await add('d', { room: null, person: bob.id })
    expect(await routines().lastRung(alice.id)).toBeUndefined()
    const rang = { state: 'ended', nextAt: null } as const
    for (const [id, lastAt] of [
      ['a', 300],
      ['b', 200],
      ['c', 400],
      ['d', 500],
    ] as const)
      await routines().update(id as RoutineId, { ...rang, lastAt })
    expect(await routines().lastRung(alice.id)).toMatchObject({ id: 'a', lastAt: 300 })
  })

  test('a reminder that is claimed counts as the one that rang last until its claim ends', async () => {
    await prepare()
    await add('a', { room: null })
    await add('b', { room: null, nextAt: 400 })
    await routines().update('a' as RoutineId, { state: 'ended', nextAt: null, lastAt: 300 })
    await routines().claim('b' as RoutineId, { nextAt: 400, by: 'one', ms: 60_000 })
    expect(await routines().lastRung(alice.id)).toMatchObject({ id: 'b', lastAt: null })
    await routines().update('b' as RoutineId, { state: 'paused', nextAt: 500 })
    expect(await routines().lastRung(alice.id)).toMatchObject({ id: 'a' })
  })

  test('what was allowed to routines of a purged person goes with them', async () => {
    await prepare()
    await add('a')
    await add('b', { person: bob.id })
    const { grants } = store().tools
    const grant = { room: den, person: bob.id, name: 'Bob', tool: 'write_file', by: 'Bob', at: 10 }
    for (const id of ['a', 'b', undefined])
      await grants.put({ ...grant, target: `of ${id}`, ...(id !== undefined && { routine: id }) })
    await store().chat.retention.removeMessages({ id: alice.id, name: 'alice' })
    const left = await grants.list(den, 10)
    expect(left.map(({ target }) => target)).toEqual(['of b', 'of undefined'])
  })

  test('routines follow a renamed room, and go with a deleted room or a purged person', async () => {
    await prepare()
    await add('a')
    await add('b', { room: lobby, person: bob.id })
    await add('c', { room: null })
    await store().chat.rooms.rename(den, 'cave' as RoomName)
    expect(await routines().find({ room: 'cave' as RoomName }, 1)).toMatchObject({ id: 'a' })
    await store().chat.removal.remove('cave' as RoomName)
    expect(ids(await routines().list({}))).toEqual(['c', 'b'])
    await store().chat.retention.removeMessages({ id: alice.id, name: 'alice' })
    expect(ids(await routines().list({}))).toEqual(['b'])
  })
}
