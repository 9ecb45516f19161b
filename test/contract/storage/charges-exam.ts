import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import type { RoomRecord } from '../../../src/chat/ports.ts'
import { DAY_MS } from '../../../src/base/amounts.ts'
import type { Charge, ChargeStore } from '../../../src/turns/billing.ts'
import { alice, bob, den, lobby, register, refused } from './cast.ts'

/** What a store of charges must do; `store` gives that of the running test. */
export function chargesExam(store: () => Storage): void {
  const charges = (): ChargeStore => store().models.charges

  test('charges add up by model, person, room and day since a time', async () => {
    for (const one of [
      charge({ at: Date.UTC(2026, 0, 1) }),
      charge({ at: Date.UTC(2026, 0, 1, 23, 59, 59, 999), opensTurn: false, model: 'llama' }),
      charge({ at: Date.UTC(2026, 0, 2), person: 'bob', usage: { input: 3, output: 0 } }),
    ])
      await charges().add(one)
    const query = { room: lobby, since: Date.UTC(2026, 0, 1) }
    const both = { turns: 1, requests: 2, input: 20, cached: 8, output: 2 }
    const bobs = { turns: 1, requests: 1, input: 3, cached: 0, output: 0 }
    expect(await sorted(charges().usage({ ...query, by: 'person' }))).toEqual([
      { key: 'alice', ...both },
      { key: 'bob', ...bobs },
    ])
    expect(await sorted(charges().usage({ ...query, by: 'day' }))).toEqual([
      { key: '2026-01-01', ...both },
      { key: '2026-01-02', ...bobs },
    ])
    expect(await sorted(charges().usage({ ...query, by: 'model' }))).toEqual([
      { key: 'llama', turns: 0, requests: 1, input: 10, cached: 4, output: 1 },
      { key: 'qwen', turns: 2, requests: 2, input: 13, cached: 4, output: 1 },
    ])
    expect(await charges().usage({ ...query, by: 'room' })).toEqual([
      { key: 'lobby', turns: 2, requests: 3, input: 23, cached: 8, output: 2 },
    ])
    expect(await charges().usage({ ...query, since: query.since + 1, by: 'person' })).toHaveLength(2)
    expect(await charges().usage({ room: den, since: 0, by: 'person' })).toEqual([])
  })

  test('charges are summed for no rooms and for 5,000 rooms', async () => {
    await charges().add(charge())
    const many = Array.from({ length: 5_000 }, (_, n) => `room-${n}` as RoomName)
    expect(await charges().usage({ rooms: [], since: 0, by: 'room' })).toEqual([])
    const found = await charges().usage({ rooms: [...many, lobby], since: 0, by: 'room' })
    expect(found.map(({ key }) => key)).toEqual(['lobby'])
  })

  test('a charge may have no payer or 5,000 payers', async () => {
    const payers = Array.from({ length: 5_000 }, (_, n) => `person ${n}`)
    await charges().add(charge({ payers: [] }))
    await charges().add(charge({ payers }))
    expect(await charges().spent({ payer: 'person 4999' }, 0)).toBe(11)
    expect(await charges().spent({ room: 'lobby' }, 0)).toBe(22)
  })

  test('charges with different prices are summed separately', async () => {
    const price = { input: 2_500_000, cached: 250_000, output: 1_000_000_000_000_000 }
    await charges().add(charge())
    await charges().add(charge({ price }))
    await charges().add(charge({ price, opensTurn: false }))
    await charges().add(charge({ price: { ...price, output: 0 } }))
    const rows = await charges().usage({ room: lobby, since: 0, by: 'model' })
    expect(rows).toHaveLength(3)
    expect(rows).toContainEqual({
      key: 'qwen',
      turns: 1,
      requests: 2,
      input: 20,
      cached: 8,
      output: 2,
      price,
    })
    expect(rows).toContainEqual({ key: 'qwen', turns: 1, requests: 1, input: 10, cached: 4, output: 1 })
  })

  test('charges of a private room are visible only to its members', async () => {
    await register(store(), alice, bob)
    const room: RoomRecord = { name: lobby, topic: '', vibe: '', private: false, owner: null, createdAt: 1 }
    await store().chat.rooms.create(room)
    await store().chat.rooms.create({ ...room, name: den, private: true, owner: alice.id })
    for (const room of ['lobby', 'den', 'gone']) await charges().add(charge({ room }))
    const seenBy = async (viewer: typeof alice.id) =>
      (await sorted(charges().usage({ viewer, since: 0, by: 'room' }))).map(({ key }) => key)
    expect(await seenBy(alice.id)).toEqual(['den', 'lobby'])
    expect(await seenBy(bob.id)).toEqual(['lobby'])
    await store().chat.rooms.setMembership(den, bob.id, 'invited')
    expect(await seenBy(bob.id)).toEqual(['lobby'])
    await store().chat.rooms.setMembership(den, bob.id, 'member')
    expect(await seenBy(bob.id)).toEqual(['den', 'lobby'])
  })

  test('charges are listed after a time, by payer or room, oldest first', async () => {
    await charges().add(charge({ at: 300 }))
    await charges().add(charge({ at: 100 }))
    await charges().add(charge({ at: 200, room: 'den', usage: { input: 2, output: 0 } }))
    await charges().add(charge({ at: 150, person: 'bob', payers: ['person bob', 'key one'] }))
    await charges().add(charge({ at: 400, usage: { input: 0, output: 0 } }))
    expect(await charges().spending({ payer: 'person alice' }, 100)).toEqual([
      { at: 200, tokens: 2 },
      { at: 300, tokens: 11 },
    ])
    expect(await charges().spent({ payer: 'person alice' }, 100)).toBe(13)
    expect(await charges().spent({ payer: 'key one' }, 100)).toBe(24)
    expect(await charges().spending({ room: 'lobby' }, 99)).toEqual(
      [100, 150, 300].map((at) => ({ at, tokens: 11 })),
    )
    expect(await charges().spent({ room: 'lobby' }, 100)).toBe(22)
    expect(await charges().spent({ payer: 'nobody' }, 0)).toBe(0)
    expect(await charges().spending({ payer: 'nobody' }, 0)).toEqual([])
  })

  test('a charge loses its payers after a day but stays', async () => {
    await charges().add(charge({ at: 100 }))
    await charges().add(charge({ at: 100 + DAY_MS + 1, payers: ['person bob'] }))
    expect(await charges().spent({ payer: 'person alice' }, 0)).toBe(0)
    expect(await charges().usage({ room: lobby, since: 0, by: 'room' })).toMatchObject([{ input: 20 }])
  })

  test('a sum of charges includes how much of it was estimated', async () => {
    const estimated = { input: 7, output: 1 }
    await charges().add(charge())
    await charges().add(charge({ usage: { input: 10, output: 1, estimated } }))
    expect(await charges().usage({ room: lobby, since: 0, by: 'room' })).toEqual([
      { key: 'lobby', turns: 2, requests: 2, input: 20, cached: 4, output: 2, estimated },
    ])
  })

  test('a charge with a fraction of a token is refused', async () => {
    await refused(charges().add(charge({ usage: { input: 0.5, output: 0 } })))
    expect(await charges().spent({ room: 'lobby' }, 0)).toBe(0)
  })
}

const charge = (change: Partial<Charge> = {}): Charge => ({
  at: 100,
  room: 'lobby',
  person: 'alice',
  payers: ['person alice', 'key one'],
  model: 'qwen',
  opensTurn: true,
  usage: { input: 10, cached: 4, output: 1 },
  ...change,
})

async function sorted<Row extends { readonly key: string }>(
  rows: Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  return (await rows).toSorted((a, b) => (a.key < b.key ? -1 : 1))
}
