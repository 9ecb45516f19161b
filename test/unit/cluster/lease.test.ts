import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStorage } from '../../../src/adapters/storage/open.ts'
import type { Storage } from '../../../src/adapters/storage/storage.ts'
import type { RoomName } from '../../../src/chat/entry.ts'
import { StorageError } from '../../../src/chat/errors.ts'
import type { Person, PersonId } from '../../../src/chat/people/person.ts'
import { createDeferred } from '../../../src/lib/deferred.ts'
import { createLease } from '../../../src/cluster/lease.ts'
import type { ClusterStores, Estate, ServerStore } from '../../../src/cluster/ports.ts'
import type { ServerId } from '../../../src/cluster/server-id.ts'
import { handClock, type HandClock, memoryLog } from '../../support/chat-parts.ts'
import { lacks } from '../../support/needs.ts'
import { createMigrated, postgresOptions, type TestDatabase } from '../../support/postgres/databases.ts'

const LOBBY = 'lobby' as RoomName
const guest = (name: string): Person => ({
  id: `guest:SHA256:x:${name}` as PersonId,
  name,
  admin: false,
  guest: true,
})
const facts = async () => ({ name: 'a:22', version: '1', shared: {} })

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
    for (const at of [0, 1, 2]) await stores(at).servers.begin(await facts())
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
    for (const at of [0, 1, 2]) await stores(at).servers.begin(await facts())
    for (const name of ['bob', 'cy']) await stores(1).present.come(LOBBY, guest(name))
    for (const name of ['cy', 'di']) await stores(2).present.come(LOBBY, guest(name))
    await stores(0).present.come(LOBBY, guest('di'))
    await stores(0).servers.renew()
    const beats = await stores(0).servers.beats()
    const found = await Promise.all([1, 2].map(() => stores(0).servers.bury(beats)))
    expect(found.flatMap(({ servers }) => servers.map(({ id }) => id)).toSorted()).toEqual(
      [stores(1).server, stores(2).server].toSorted(),
    )
    expect(found.flatMap(({ rooms }) => rooms)).toEqual([LOBBY])
    expect(
      (await storages[0]!.chat.log.held(LOBBY, 99)).filter(({ event }) => event === 'left').slice(-2),
    ).toEqual([
      { name: 'bob', event: 'left' },
      { name: 'cy', event: 'left' },
    ])
    expect(await stores(1).servers.renew()).toBe(false)
    const changed = { ...(await facts()), name: 'b:22' }
    expect(await stores(1).servers.update(changed)).toBe(false)
    expect((await stores(0).servers.alive()).map(({ id }) => id)).toEqual([stores(0).server])
    expect(await stores(0).servers.update(changed)).toBe(true)
    expect((await stores(0).servers.alive()).map(({ name }) => name)).toEqual(['b:22'])
  })

  test('whoever says that it is alive in the moment of its burial is not buried', async () => {
    for (const at of [0, 1]) await stores(at).servers.begin(await facts())
    const beats = await stores(0).servers.beats()
    expect([...beats.keys()]).toEqual([stores(1).server])
    expect(await stores(1).servers.renew()).toBe(true)
    expect((await stores(0).servers.bury(beats)).servers).toEqual([])
    expect((await stores(0).servers.bury(await stores(0).servers.beats())).servers).toHaveLength(1)
    expect((await stores(0).servers.bury(beats)).servers).toEqual([])
  })

  /** The first server watches the others, whose deaths it tells. */
  function watching(servers: ServerStore, clock: HandClock) {
    const dead: ServerId[] = []
    const silences: number[] = []
    let looks = 0
    const lease = createLease({
      servers: {
        ...servers,
        async bury(silent) {
          const estate = await servers.bury(silent)
          looks++
          return estate
        },
      },
      facts,
      clock,
      onRenewed: () => undefined,
      onSilent: () => void silences.push(clock.monotonic()),
      onBack: async () => undefined,
      onBuried: async ({ servers: found }) => void dead.push(...found.map(({ id }) => id)),
      log: memoryLog(),
    })
    return { lease, dead, silences, looks: () => looks }
  }

  test("the database's clock decides nothing: who goes on is alive wherever it is set, and who does not is dead", async () => {
    await stores(1).servers.begin(await facts())
    const clock = handClock()
    const { lease, dead, looks } = watching(stores(0).servers, clock)
    await using _ = lease
    await lease.begin()
    /** Two seconds later, and whoever looks has looked. */
    async function beat(): Promise<void> {
      const before = looks()
      clock.advance(2_000)
      lease.doubt()
      await expect.poll(looks).toBeGreaterThan(before)
    }
    for (const step of ['1 hour', '-2 hours', '20 s', '-1 s', '1 day', '-1 day', '1 hour', '-1 hour']) {
      await stores(1).servers.renew()
      await database.send(`UPDATE servers SET seen_at = seen_at + interval '${step}'
        WHERE id = '${stores(1).server}'`)
      await beat()
    }
    expect(dead).toEqual([])
    await database.send(`UPDATE servers SET seen_at = seen_at + interval '1 hour'`)
    for (let beats = 0; beats < 4; beats++) await beat()
    expect(dead).toEqual([])
    await beat()
    expect(dead).toEqual([stores(1).server])
  })

  test.for([
    { late: 50, within: 10_300 },
    { late: 1_100, within: 35_000 },
    { late: 2_000, within: 60_000 },
  ])(
    'where each answer is $late ms late, who goes on is alive, and who does not is dead; nobody is silent for it',
    async ({ late, within }) => {
      const clock = handClock()
      const over = createDeferred<void>()
      const passed = async (ms: number): Promise<void> =>
        await Promise.race([over.promise, new Promise<void>((resolve) => clock.later(ms, resolve))])
      const slowly = async <T>(work: Promise<T>): Promise<T> => {
        const done = await work
        await passed(late)
        return done
      }
      const { servers } = stores(0)
      const slow: ServerStore = {
        ...servers,
        begin: (known) => slowly(servers.begin(known)),
        renew: () => slowly(servers.renew()),
        beats: () => slowly(servers.beats()),
        // Its statements follow one another.
        bury: async (silent) => {
          const estate = await servers.bury(silent)
          if (silent.size > 0) await passed(8 * late)
          return estate
        },
      }
      const { lease, dead, silences } = watching(slow, clock)
      await using _ = lease
      async function goOn(at: number, until: number): Promise<void> {
        while (clock.monotonic() < until) {
          await stores(at).servers.renew()
          await passed(2_000 + late)
        }
      }
      async function pass(ms: number): Promise<void> {
        for (const end = clock.monotonic() + ms; clock.monotonic() < end; clock.advance(50))
          // What was asked is answered.
          for (const _again of [1, 2]) await stores(0).servers.alive()
      }
      for (const at of [1, 2]) await stores(at).servers.begin(await facts())
      // When it was heard last depends on the beats of both.
      const end = 4_000 + within + 2 * late
      const others = [goOn(1, end), goOn(2, 4_000)]
      const begun = lease.begin()
      await pass(end)
      const seen = { dead: [...dead], silences: [...silences] }
      over.resolve()
      await Promise.all([begun, ...others])
      expect(seen).toEqual({ dead: [stores(2).server], silences: [] })
    },
  )

  test('who was taken for dead is told, and comes back; what others leave is told until it is settled', async () => {
    const clock = handClock()
    const told: string[] = []
    const estates: Estate[] = []
    let isStored = false
    await using lease = createLease({
      servers: stores(0).servers,
      facts,
      clock,
      onRenewed: () => undefined,
      onSilent: () => void told.push('silent'),
      onBack: async () => void told.push('back'),
      async onBuried(estate) {
        estates.push(estate)
        if (!isStored) throw new StorageError('full', 'no space')
      },
      log: memoryLog(),
    })
    await lease.begin()
    await stores(1).servers.begin(await facts())
    await stores(1).servers.renew()
    expect((await stores(1).servers.bury(await stores(1).servers.beats())).servers).toEqual([
      { id: stores(0).server, name: 'a:22' },
    ])
    clock.advance(7_999)
    expect(told).toEqual([])
    await expect.poll(() => told).toEqual(['silent', 'back'])
    await stores(1).servers.renew()
    await stores(1).servers.bury(await stores(1).servers.beats())
    lease.doubt()
    // Without waiting for the next beat.
    await expect.poll(() => told.slice(2)).toEqual(['silent', 'back'])
    told.splice(0, 2)

    const estatesAfter = async (ms: number): Promise<number> => {
      clock.advance(ms)
      return estates.length
    }
    // The other one has as long to come back as this one was away.
    for (const _ of [1, 2, 3]) await estatesAfter(2_000)
    expect(estates).toEqual([])
    await expect.poll(() => estatesAfter(200), { timeout: 20_000 }).toBe(1)
    isStored = true
    await expect.poll(() => estatesAfter(200), { timeout: 20_000 }).toBe(2)
    expect(estates[1]).toEqual(estates[0])

    clock.advance(8_000)
    expect(told).toEqual(['silent', 'back', 'silent'])
  })
})
