import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStorage } from '../../../../src/storage/open.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import type { EntryId, RoomName, TurnId } from '../../../../src/words/entry.ts'
import type { PersonId } from '../../../../src/words/person.ts'
import type { Work } from '../../../../src/chat/peers.ts'
import type { ClusterStores } from '../../../../src/cluster/stores.ts'
import { quotaKeysOf } from '../../../../src/chat/limits.ts'
import { createTokenQuotas, type Requester } from '../../../../src/turns/billing.ts'
import { lobby } from '../../../contract/storage/cast.ts'
import { lacks } from '../../../support/needs.ts'
import {
  openEmptiedPostgres,
  postgresOptions,
  type EmptiedPostgres,
} from '../../../support/postgres/databases.ts'
import { room } from '../../../support/storage.ts'

const FACTS = { name: 'h:1', version: '1', config: '' }
const LIMITS = { running: 2, waiting: 3 }

const turn = (id: string, person = id, where = 'lobby'): Work => ({
  id,
  kind: 'turn',
  queue: `turn ${where}`,
  room: where as RoomName,
  person: person as PersonId,
  facts: { model: 'qwen' },
})

describe.skipIf(lacks('postgres'))('the turns of two servers', () => {
  let postgres: EmptiedPostgres
  let storages: readonly [Storage, Storage]
  let one: ClusterStores
  let two: ClusterStores
  beforeAll(async () => {
    postgres = await openEmptiedPostgres()
    storages = [await postgres.emptied(), await openStorage(postgresOptions(postgres.database))]
    one = storages[0].cluster!
    two = storages[1].cluster!
  })
  afterAll(async () => {
    await storages[1][Symbol.asyncDispose]()
    await postgres[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    await postgres.emptied()
    await one.servers.register(FACTS)
    await two.servers.register(FACTS)
    await storages[0].chat.rooms.create(room('lobby', {}))
  })

  const running = async (): Promise<readonly string[]> =>
    (await one.work.read()).filter(({ waits }) => !waits).map(({ id }) => id)

  test('a queue shared by two servers accepts only as many turns as its limits, and reports its counts', async () => {
    const taken = await Promise.all(
      Array.from({ length: 12 }, (_, n) => (n % 2 ? one : two).work.take(turn(`t${n}`), LIMITS)),
    )
    const full = { taken: false, running: 2, waiting: 3 }
    expect(taken.filter((outcome) => outcome.taken && !outcome.waits)).toHaveLength(2)
    expect(taken.filter((outcome) => outcome.taken && outcome.waits)).toHaveLength(3)
    expect(taken.filter((outcome) => !outcome.taken)).toEqual(Array.from({ length: 7 }, () => full))
    expect(await running()).toHaveLength(2)
    expect(await one.work.take(turn('other', 'ann', 'den'), LIMITS)).toEqual({ taken: true, waits: false })
  })

  test('the next queued turn starts when one ends, first for people without a running turn', async () => {
    const limits = { running: 2, waiting: 9 }
    for (const [id, person] of [
      ['a1', 'ann'],
      ['a2', 'ann'],
      ['a3', 'ann'],
      ['b1', 'bob'],
    ] as const)
      await (person === 'ann' ? one : two).work.take(turn(id, person), limits)
    expect(await running()).toEqual(['a1', 'a2'])
    await Promise.all([one.work.leave(turn('a1'), limits), two.work.leave(turn('a1'), limits)])
    expect(await running()).toEqual(['a2', 'b1'])
    await one.work.leave(turn('a2'), limits)
    expect(await running()).toEqual(['a3', 'b1'])
  })

  test('a shared queue with one slot never runs two turns at once', async () => {
    const limits = { running: 1, waiting: 99 }
    const most: number[] = []
    await Promise.all(
      Array.from({ length: 16 }, async (_, n) => {
        const store = (n % 2 ? one : two).work
        await store.take(turn(`t${n}`), limits)
        most.push((await running()).length)
        await store.leave(turn(`t${n}`), limits)
      }),
    )
    expect(Math.max(...most)).toBe(1)
    expect(await one.work.read()).toEqual([])
  })

  test('slots of a dead server go to waiting turns in their order', async () => {
    const limits = { running: 1, waiting: 9 }
    await two.work.take(turn('dead'), limits)
    await one.work.take(turn('first'), limits)
    expect((await one.servers.expire(0)).servers).toMatchObject([{ id: two.server }])
    expect(await one.work.take(turn('second'), limits)).toEqual({ taken: true, waits: true })
    expect(await running()).toEqual(['first'])
    await expect(two.work.take(turn('third'), limits)).rejects.toMatchObject({ reason: 'taken-for-dead' })
    await one.work.leave(turn('first'), limits)
    expect(await running()).toEqual(['second'])
  })

  test('filling a queue starts its waiting turns up to the given limit', async () => {
    for (const id of ['a', 'b', 'c']) await one.work.take(turn(id), { running: 1, waiting: 9 })
    await two.work.fill('turn lobby', { running: 2 })
    expect(await running()).toEqual(['a', 'b'])
    await two.work.fill('turn den', { running: 2 })
    await two.work.fill('turn lobby', { running: 1 })
    expect(await running()).toEqual(['a', 'b'])
  })

  test('a server can publish progress only for its own work', async () => {
    await one.work.take(turn('a', 'ann'), LIMITS)
    const doing = { what: 'Bash', progress: { share: 0.5, text: 'half \0 "' } }
    await two.work.tell('a', { what: 'mine' })
    await one.work.tell('a', doing)
    expect(await two.work.read(['a', 'b'])).toEqual([
      { ...turn('a', 'ann'), server: one.server, waits: false, doing, ageMs: expect.any(Number) },
    ])
    expect(await two.work.read([])).toEqual([])
  })

  test('token quotas count the usage on both servers as soon as a request has ended', async () => {
    const clock = { now: () => 1_000 }
    const limits = { tokens_per_person_day: 100, tokens_per_room_day: 150 }
    const [first, second] = storages.map(({ models }) => ({
      charges: models.charges,
      check: createTokenQuotas(models.charges, clock, limits),
    }))
    const ann = { id: 'ann' as PersonId, name: 'ann' }
    const bob = { id: 'bob' as PersonId, name: 'bob' }
    const payers = (one: Requester): readonly string[] => quotaKeysOf(one).map(({ name }) => name)
    const used = { at: 500, room: 'lobby', model: 'qwen', opensTurn: true }
    const charges = [first!, second!].map(({ charges: store }) =>
      store.add({ ...used, person: 'ann', payers: payers(ann), usage: { input: 40, output: 20 } }),
    )
    await Promise.all(charges)
    for (const { check } of [first!, second!]) {
      await expect(check('den', ann)).rejects.toThrow('120 of 100 tokens')
      await check('lobby', bob)
    }
    await first!.charges.add({ ...used, person: 'bob', payers: payers(bob), usage: { input: 30, output: 0 } })
    await expect(second!.check('lobby', bob)).rejects.toThrow('150 of 150 tokens')
  })

  const facts = { room: lobby, model: 'qwen', requester: 'ann', startedAt: 5 }
  const begun = { ...facts, id: 'T1' as TurnId }
  const sub = { ...facts, id: 'T2' as TurnId, parent: 'T1', endedAt: 5, outcome: 'cut' }
  const reply = (id: string, of: TurnId) => ({
    id: id as EntryId,
    room: lobby,
    at: 1,
    author: 'qwen',
    text: 'all',
    kind: 'reply' as const,
    turn: of,
    outcome: 'done' as const,
  })

  test('turns of a dead server pass to the server that finds them, and late writes to them are rejected', async () => {
    const [first, second] = storages
    await second.models.turns.begin(begun)
    await second.models.turns.begin(sub)
    await second.chat.entries.append(reply('E1', sub.id))
    expect(await first.models.turns.unfinished()).toEqual([])
    await one.servers.expire(0)
    expect(await first.models.turns.unfinished()).toEqual([begun])
    expect(await first.models.turns.unfinished()).toEqual([])
    const why = 'another one has ended the turn'
    for (const change of [
      () => second.chat.entries.append(reply('E2', begun.id)),
      () => second.chat.entries.append(reply('E3', sub.id)),
      () => second.models.turns.finish('T1', { outcome: 'done' }),
      () => second.models.turns.addStep('T1', { messages: [] }),
    ])
      await expect(change()).rejects.toThrow(why)
    await first.chat.entries.append(reply('E4', begun.id))
    await first.models.turns.finish('T1', { endedAt: 9, outcome: 'cut' })
    expect(await first.models.turns.find('T1')).toEqual({ ...begun, endedAt: 9, outcome: 'cut' })
    expect((await first.chat.entries.read(lobby, { limit: 9 })).map(({ text }) => text)).toHaveLength(2)
  })

  test('entries of other turns are stored even if an entry of an ended turn is rejected with them', async () => {
    const [first, second] = storages
    await second.models.turns.begin(begun)
    await one.servers.expire(0)
    await first.models.turns.unfinished()
    await two.servers.register(FACTS)
    await second.models.turns.begin({ ...facts, id: 'T3' as TurnId })
    const outcomes = await Promise.allSettled([
      second.chat.entries.append(reply('E1', 'T3' as TurnId)),
      second.chat.entries.append(reply('E2', begun.id)),
      second.chat.entries.append(reply('E3', 'T3' as TurnId)),
      second.chat.entries.append(reply('E4', 'not stored' as TurnId)),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  })
})
