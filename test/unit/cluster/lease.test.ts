import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStorage } from '../../../src/adapters/storage/open.ts'
import type { Storage } from '../../../src/adapters/storage/storage.ts'
import type { RoomName } from '../../../src/chat/entry.ts'
import { StorageError } from '../../../src/chat/errors.ts'
import type { Person, PersonId } from '../../../src/chat/people/person.ts'
import { Lease } from '../../../src/cluster/lease.ts'
import type { ClusterStores, ExpiredServers } from '../../../src/cluster/stores.ts'
import { handClock, memoryLog } from '../../support/chat-parts.ts'
import { lacks } from '../../support/needs.ts'
import { createMigrated, postgresOptions, type TestDatabase } from '../../support/postgres/databases.ts'

const LOBBY = 'lobby' as RoomName
const guest = (name: string): Person => ({
  id: `guest:SHA256:x:${name}` as PersonId,
  name,
  admin: false,
  guest: true,
})
const facts = async () => ({ name: 'a:22', version: '1', config: '' })

describe.skipIf(lacks('postgres'))('servers of one database', () => {
  let database: TestDatabase
  const storages: Storage[] = []
  const stores = (at: number): ClusterStores => storages[at]!.cluster!
  beforeAll(async () => {
    database = await createMigrated()
    for (const _ of [1, 2, 3]) storages.push(await openStorage(postgresOptions(database)))
    await storages[0]!.chat.rooms.create({
      name: LOBBY,
      topic: '',
      vibe: '',
      private: false,
      owner: null,
      createdAt: 0,
    })
  })
  afterAll(async () => {
    for (const storage of storages) await storage[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  test('whoever comes first and goes last is known, also where many come at once', async () => {
    for (const at of [0, 1, 2]) await stores(at).servers.register(await facts())
    const ann = guest('ann')
    const came = await Promise.all([0, 1, 2].map((at) => stores(at).present.come(LOBBY, ann)))
    expect(came.filter(Boolean)).toHaveLength(1)
    expect(await stores(0).present.come(LOBBY, ann)).toBe(false)
    const there = await stores(0).present.elsewhere()
    expect(there.map(({ server }) => server).toSorted()).toEqual(
      [stores(1).server, stores(2).server].toSorted(),
    )
    expect(there[0]?.person).toEqual(ann)
    const went = await Promise.all([0, 1, 2].map((at) => stores(at).present.go(LOBBY, ann)))
    expect(went.filter(Boolean)).toHaveLength(1)
    expect(await stores(0).present.elsewhere([{ room: LOBBY, person: ann.id }])).toEqual([])
  })

  test('the people of servers that died have left, but for those who are there through another one', async () => {
    for (const at of [0, 1, 2]) await stores(at).servers.register(await facts())
    for (const name of ['bob', 'cy']) await stores(1).present.come(LOBBY, guest(name))
    for (const name of ['cy', 'di']) await stores(2).present.come(LOBBY, guest(name))
    await stores(0).present.come(LOBBY, guest('di'))
    await stores(0).servers.renew()
    const found = await Promise.all([1, 2].map(() => stores(0).servers.expire(0)))
    expect(found.flatMap(({ servers }) => servers.map(({ id }) => id)).toSorted()).toEqual(
      [stores(1).server, stores(2).server].toSorted(),
    )
    expect(found.flatMap(({ left }) => left)).toEqual([
      { room: LOBBY, name: 'bob' },
      { room: LOBBY, name: 'cy' },
    ])
    expect(await stores(1).servers.renew()).toBe(false)
    const changed = { ...(await facts()), name: 'b:22' }
    expect(await stores(1).servers.update(changed)).toBe(false)
    expect((await stores(0).servers.alive()).map(({ id }) => id)).toEqual([stores(0).server])
    expect(await stores(0).servers.update(changed)).toBe(true)
    expect((await stores(0).servers.alive()).map(({ name }) => name)).toEqual(['b:22'])
  })

  test('a server that renews its lease in the moment of its expiry stays alive', async () => {
    for (const at of [0, 1]) await stores(at).servers.register(await facts())
    await database.send(
      `UPDATE servers SET seen_at = seen_at - interval '1 minute' WHERE id = '${stores(1).server}'`,
    )
    const renewing = new Client({ connectionString: database.url })
    await renewing.connect()
    await renewing.query('BEGIN')
    await renewing.query('UPDATE servers SET seen_at = clock_timestamp() WHERE id = $1', [stores(1).server])
    const expiring = stores(0).servers.expire(8_000)
    const waits =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    await expect.poll(() => database.send(waits)).toHaveLength(1)
    await renewing.query('COMMIT')
    await renewing.end()
    expect((await expiring).servers).toEqual([])
    expect(await stores(1).servers.renew()).toBe(true)
  })

  test('a server whose last renewal is older than the lease expires once, and a younger one does not', async () => {
    for (const at of [0, 1, 2]) await stores(at).servers.register(await facts())
    await database.send(
      `UPDATE servers SET seen_at = seen_at - interval '8 s' WHERE id = '${stores(1).server}'`,
    )
    await database.send(
      `UPDATE servers SET seen_at = seen_at - interval '6 s' WHERE id = '${stores(2).server}'`,
    )
    const found = await Promise.all([0, 2].map((at) => stores(at).servers.expire(8_000)))
    expect(found.flatMap(({ servers }) => servers)).toEqual([{ id: stores(1).server, name: 'a:22' }])
    await stores(2).servers.end()
  })

  test('a run that a crash has ended expires as the next run begins', async () => {
    for (const at of [1, 2]) await stores(at).servers.register(await facts())
    const found: ExpiredServers[] = []
    await using lease = new Lease({
      servers: stores(0).servers,
      facts,
      clock: handClock(),
      onRenewed: () => undefined,
      onLost: () => undefined,
      onRestored: async () => undefined,
      onExpired: async (expired) => void found.push(expired),
      log: memoryLog(),
    })
    await lease.begin(stores(1).server)
    expect(found.flatMap(({ servers }) => servers.map(({ id }) => id))).toEqual([stores(1).server])
    expect(await stores(2).servers.renew()).toBe(true)
    await stores(2).servers.end()
  })

  test('a server that was taken for dead is told, and comes back; what others leave is told until it is settled', async () => {
    const clock = handClock()
    const told: string[] = []
    const found: ExpiredServers[] = []
    let isStored = false
    await using lease = new Lease({
      servers: stores(0).servers,
      facts,
      clock,
      onRenewed: () => undefined,
      onLost: () => void told.push('lost'),
      onRestored: async () => void told.push('restored'),
      async onExpired(expired) {
        found.push(expired)
        if (!isStored) throw new StorageError('full', 'no space')
      },
      log: memoryLog(),
    })
    await lease.begin()
    await stores(1).servers.register(await facts())
    expect((await stores(1).servers.expire(0)).servers).toEqual([{ id: stores(0).server, name: 'a:22' }])
    clock.advance(7_999)
    expect(told).toEqual([])
    await expect.poll(() => told).toEqual(['lost', 'restored'])
    await stores(1).servers.expire(0)
    lease.doubt()
    // Without waiting for the next renewal.
    await expect.poll(() => told.slice(2)).toEqual(['lost', 'restored'])
    told.splice(0, 2)

    await database.send(
      `UPDATE servers SET seen_at = seen_at - interval '1 minute' WHERE id = '${stores(1).server}'`,
    )
    const foundAfter = async (ms: number): Promise<number> => {
      clock.advance(ms)
      return found.length
    }
    await expect.poll(() => foundAfter(200), { timeout: 20_000 }).toBe(1)
    isStored = true
    await expect.poll(() => foundAfter(200), { timeout: 20_000 }).toBe(2)
    expect(found[1]).toEqual(found[0])

    clock.advance(8_000)
    expect(told).toEqual(['lost', 'restored', 'lost'])
  })
})
