import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStorage } from '../../../src/storage/open.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import { StorageError } from '../../../src/words/errors.ts'
import type { Person, PersonId } from '../../../src/words/person.ts'
import { Lease } from '../../../src/cluster/lease.ts'
import type {
  ClusterStores,
  ExpiredServers,
  ServerFacts,
  ServerId,
  ServerStore,
} from '../../../src/cluster/stores.ts'
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

  test('one of several concurrent joins is the first, and one of several concurrent leaves is the last', async () => {
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

  test('people of expired servers leave unless another living server still has them', async () => {
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

  test('the previous run of a crashed server expires when its next run begins', async () => {
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

  test('a server that expired by mistake registers again, and a failing onExpired is retried', async () => {
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

/**
 * A server whose row in a table of servers others may remove, and another one that renews its lease every
 * two seconds and the time of an answer. The database goes by the clock of the test.
 */
function createStage() {
  const clock = handClock()
  const told: string[] = []
  /** How long ago the other server had renewed its lease when it expired, in ms. */
  const expired: number[] = []
  let row: ServerFacts | undefined
  let version = 1
  let isAnswerLost = false
  let answerMs = 0
  let isAway = false
  let otherRenewedAt = 0
  let isOtherAlive = true
  const answered = async <T>(work: () => T): Promise<T> => {
    if (isAway) throw new StorageError('away', 'the database is away')
    const done = work()
    if (answerMs > 0) await new Promise<void>((resolve) => clock.later(answerMs, resolve))
    return done
  }
  const servers: ServerStore = {
    register: (facts) =>
      answered(() => {
        row = facts
        if (!isAnswerLost) return
        isAnswerLost = false
        throw new StorageError('away', 'the answer was lost')
      }),
    async update(facts) {
      if (row) row = facts
      return row !== undefined
    },
    renew: () => answered(() => row !== undefined),
    end: async () => undefined,
    expire: (ms) =>
      answered(() => {
        const age = clock.monotonic() - otherRenewedAt
        if (age > ms) expired.push(age)
        const gone = age > ms ? [{ id: 'other' as ServerId, name: 'other:22' }] : []
        return { servers: gone, left: [], questions: [] }
      }),
    expireOne: async () => ({ servers: [], left: [], questions: [] }),
    alive: async () => [],
  }
  function renewOther(): void {
    if (isOtherAlive && !isAway) otherRenewedAt = clock.monotonic()
    clock.later(2_000 + answerMs, renewOther)
  }
  renewOther()
  const lease = new Lease({
    servers,
    facts: async () => ({ name: 'a:22', version: String(version), config: '' }),
    clock,
    onExpired: async () => undefined,
    onLost: () => void told.push('lost'),
    onRestored: async () => void told.push('restored'),
    onRenewed: () => undefined,
    log: memoryLog(),
  })
  return {
    lease,
    told,
    expired,
    version: () => row?.version,
    loseRow: () => void (row = undefined),
    loseNextAnswer: () => void (isAnswerLost = true),
    changeFacts: () => void version++,
    answersTake: (ms: number) => void (answerMs = ms),
    away: (is: boolean) => void (isAway = is),
    endOther: () => void (isOtherAlive = false),
    /** Time passes, and whatever is due is done. */
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 100) {
        clock.advance(100)
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

test('an expired server registers again when it updates its metadata', async () => {
  const stage = createStage()
  await using lease = stage.lease
  await lease.begin()
  await stage.pass(3_000)
  stage.loseRow()
  stage.changeFacts()
  await lease.update()
  expect(stage.told).toEqual(['lost', 'restored'])
  expect(stage.version()).toBe('2')
  await stage.pass(20_000)
  expect(stage.told).toEqual(['lost', 'restored'])
})

test('new metadata of a living server is stored without a lost or restored event', async () => {
  const stage = createStage()
  await using lease = stage.lease
  await lease.begin()
  stage.changeFacts()
  await lease.update()
  expect(stage.version()).toBe('2')
  await stage.pass(20_000)
  expect(stage.told).toEqual([])
})

test('a server that has ended does not register again when its metadata changes', async () => {
  const stage = createStage()
  await stage.lease.begin()
  await stage.lease[Symbol.asyncDispose]()
  stage.loseRow()
  await stage.lease.update()
  expect(stage.version()).toBe(undefined)
})

test('a server whose registration answer was lost registers again with the next renewal', async () => {
  const stage = createStage()
  await using lease = stage.lease
  await lease.begin()
  await stage.pass(3_000)
  stage.loseRow()
  stage.loseNextAnswer()
  await stage.pass(20_000)
  expect(stage.told).toEqual(['lost', 'restored'])
})

test.for([0, 50, 1_100, 2_000])(
  'a dead server expires and living ones keep their lease if each answer is %d ms late',
  async (ms) => {
    const stage = createStage()
    stage.answersTake(ms)
    await using lease = stage.lease
    const begun = lease.begin()
    await stage.pass(60_000)
    await begun
    expect(stage.expired).toEqual([])
    stage.endOther()
    await stage.pass(14_000)
    expect(stage.expired[0]).toBeGreaterThan(8_000)
    expect(stage.told).toEqual([])
    stage.answersTake(0)
    await stage.pass(3_000)
  },
)

test('other servers get a whole lease time to renew after the database was away', async () => {
  const stage = createStage()
  await using lease = stage.lease
  await lease.begin()
  for (let seconds = 1; seconds <= 30; seconds++) {
    await stage.pass(17_100)
    stage.away(true)
    await stage.pass(seconds * 1_000)
    stage.away(false)
  }
  expect(stage.expired).toEqual([])
})

test('a starting server lets others renew their leases before it expires them', async () => {
  const stage = createStage()
  stage.endOther()
  await stage.pass(20_000)
  await using lease = stage.lease
  await lease.begin()
  await stage.pass(7_900)
  expect(stage.expired).toEqual([])
  await stage.pass(2_200)
  expect(stage.expired.length).toBeGreaterThan(0)
})
