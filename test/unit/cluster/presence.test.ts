import { expect, test, afterAll, beforeAll, describe } from 'vitest'
import { createByteQuota, createRateLimiter } from '../../../src/chat/limits.ts'
import { RemotePresence, OwnPresence } from '../../../src/cluster/presence.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import type { Fingerprint, Person, PersonId } from '../../../src/words/person.ts'
import type { PresentRow, ServerId, ClusterStores, PresentStore } from '../../../src/cluster/stores.ts'
import { alice, bob, lobby, idOf } from '../../contract/storage/cast.ts'
import { handClock } from '../../support/chat-parts.ts'
import { openStorage } from '../../../src/storage/open.ts'
import { StorageError } from '../../../src/words/errors.ts'
import { lacks } from '../../support/needs.ts'
import { recordingLog } from '../../support/pool.ts'
import { createMigrated, postgresOptions, type TestDatabase } from '../../support/postgres/databases.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { message, room } from '../../support/storage.ts'

/** A server whose database says what `rows` has of the others. */
async function createServer() {
  const clock = handClock()
  const rows: PresentRow[] = []
  let again: (keys: readonly string[] | 'all') => Promise<void> = async () => undefined
  let told = 0
  const presence = new RemotePresence({
    present: { come: async () => true, go: async () => true, elsewhere: async () => rows },
    changes: {
      on: (topic, listener) => {
        if (topic === 'present') again = listener as typeof again
      },
      begin: async () => undefined,
      readAll: async () => undefined,
      upToDate: () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    },
    clock,
    changed: () => void told++,
  })
  await again('all')
  const changeUntold = (...people: readonly (typeof alice)[]): void =>
    void rows.splice(
      0,
      rows.length,
      ...people.map((person) => ({ room: lobby, server: 's2' as ServerId, person })),
    )
  return {
    clock,
    presence,
    rows,
    told: () => told,
    changeUntold,
    readAll: () => again('all'),
    async there(...people: readonly (typeof alice)[]) {
      changeUntold(...people)
      await again([alice, bob].map(({ id }) => `${id} ${lobby}`))
    },
  }
}

test('a person who left on any server may return for ten seconds', async () => {
  const { clock, presence, told, there } = await createServer()
  await there(bob)
  expect([alice, bob].map(({ id }) => presence.mayReturn(lobby, id))).toEqual([false, false])
  presence.departed(lobby, alice.id)
  clock.advance(5_000)
  await there()
  const before = told()
  clock.advance(4_999)
  expect([alice, bob].map(({ id }) => presence.mayReturn(lobby, id))).toEqual([true, true])
  clock.advance(1)
  expect([alice, bob].map(({ id }) => presence.mayReturn(lobby, id))).toEqual([false, true])
  expect(told()).toBe(before + 1)
})

test('a person who leaves again gets ten more seconds to return', async () => {
  const { clock, presence } = await createServer()
  presence.departed(lobby, alice.id)
  clock.advance(9_000)
  presence.departed(lobby, alice.id)
  clock.advance(9_000)
  expect(presence.mayReturn(lobby, alice.id)).toBe(true)
  clock.advance(1_000)
  expect(presence.mayReturn(lobby, alice.id)).toBe(false)
})

test('missed joins and leaves are known after everything is read again', async () => {
  const { presence, told, there, readAll, changeUntold } = await createServer()
  await there(alice)
  changeUntold(bob)
  const before = told()
  await readAll()
  expect(presence.peopleIn(lobby)).toEqual([bob])
  expect(presence.mayReturn(lobby, alice.id)).toBe(true)
  expect(told()).toBeGreaterThan(before)
})

test('a person, a key and a network count once for each server that has them in a room', async () => {
  const { presence, readAll, rows } = await createServer()
  const login = { key: 'SHA256:k' as Fingerprint, network: '192.0.2.1' }
  const there = (server: string, room = lobby) => ({
    ...{ room, server: server as ServerId },
    person: { ...bob, login },
  })
  rows.push(there('s2'), there('s3'), there('s3', 'den' as RoomName))
  await readAll()
  const counts = (): readonly number[] =>
    [`person ${bob.id}`, 'key SHA256:k', 'network 192.0.2.1', `person ${alice.id}`].map((quotaKey) =>
      presence.serversOf(quotaKey),
    )
  expect(counts()).toEqual([3, 3, 3, 1])
  rows.splice(1, 1)
  await readAll()
  expect(counts()).toEqual([3, 3, 3, 1])
  rows.pop()
  await readAll()
  expect(counts()).toEqual([2, 2, 2, 1])
  rows.pop()
  await readAll()
  expect(counts()).toEqual([1, 1, 1, 1])
})

test('a server halves the rate and the byte quota of a person who is also on another server', async () => {
  const { clock, presence, there } = await createServer()
  const serversOf = (quotaKey: string): number => presence.serversOf(quotaKey)
  const wait = (): Promise<never> => Promise.reject(new Error('too fast'))
  const limits = { rate_burst: 8, rate_per_s: 4, bytes_per_person_day: 1_000 }
  const pace = createRateLimiter({ limits, clock, wait, serversOf })
  const quota = createByteQuota(limits, clock, serversOf)
  await there(bob)
  const { signal } = new AbortController()
  for (let line = 0; line < 4; line++) await pace.next(bob, signal)
  await expect(pace.next(bob, signal)).rejects.toThrow('too fast')
  quota.take(bob, 500)
  expect(() => quota.take(bob, 1)).toThrow('bytes_per_person_day')
  for (let line = 0; line < 8; line++) await pace.next(alice, signal)
})

/** One of two servers on a database, which it may be cut off from. */
interface Side extends AsyncDisposable {
  readonly presence: OwnPresence
  readonly stores: ClusterStores
  /** `late`: what it asks for is done, and the answer is lost. */
  state: 'works' | 'cut' | 'late'
  /** How often it was found that others have taken this server for dead. */
  doubts: number
  /** Of the log. */
  readonly lines: readonly object[]
  came(person: Person): Promise<boolean>
  went(person: Person): Promise<boolean>
  /** Stores what could not be stored before. Resolves to what the room is told then. */
  catchUp(): Promise<readonly string[]>
}

async function openSide({ database }: World): Promise<Side> {
  const storage = await openStorage(postgresOptions(database))
  const stores = storage.cluster
  if (!stores) throw new Error('not for several servers')
  await stores.servers.register({ name: 'here:22', version: '1', config: '' })
  async function ask(question: () => Promise<boolean>): Promise<boolean> {
    if (side.state === 'works') return await question()
    if (side.state === 'late') await question()
    throw new StorageError('other', 'cut off')
  }
  const present: Pick<PresentStore, 'come' | 'go'> = {
    come: (room, person) => ask(() => stores.present.come(room, person)),
    go: (room, person) => ask(() => stores.present.go(room, person)),
  }
  const { log, lines } = recordingLog()
  const side: Side = {
    presence: new OwnPresence(present, log, () => void side.doubts++),
    doubts: 0,
    lines,
    stores,
    state: 'works',
    came: (person) => side.presence.entered(lobby, person),
    went: (person) => side.presence.left(lobby, person),
    async catchUp() {
      const told: string[] = []
      await side.presence.storeAgain(async (_, { name, event }) => void told.push(`${name} ${event}`))
      return told
    },
    async [Symbol.asyncDispose]() {
      await stores.servers.end()
      await storage[Symbol.asyncDispose]()
    },
  }
  return side
}

interface World extends AsyncDisposable {
  readonly database: TestDatabase
}

async function createWorld(): Promise<World> {
  const database = await createMigrated()
  const rooms = await openStorage(postgresOptions(database))
  await rooms.chat.rooms.create({
    name: lobby,
    topic: '',
    vibe: '',
    private: false,
    owner: null,
    createdAt: 1,
  })
  return {
    database,
    async [Symbol.asyncDispose]() {
      await rooms[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

describe.skipIf(lacks('postgres'))('the people of this server', () => {
  let world: World
  beforeAll(async () => void (world = await createWorld()))
  afterAll(async () => await world[Symbol.asyncDispose]())

  test('only the first join and the last leave of a person across servers are announced', async () => {
    await using a = await openSide(world)
    await using b = await openSide(world)
    expect([await a.came(alice), await b.came(alice), await a.came(alice)]).toEqual([true, false, false])
    expect([await a.went(alice), await a.went(alice), await b.went(alice)]).toEqual([false, false, true])
  })

  test('a leave that could not be stored is stored and announced later', async () => {
    await using a = await openSide(world)
    await using b = await openSide(world)
    await a.came(alice)
    await a.came(bob)
    a.state = 'cut'
    expect([await a.went(alice), await a.went(bob)]).toEqual([false, false])
    expect(await a.catchUp()).toEqual([])
    expect(await b.came(bob), 'bob is on the other one before the first says that he left').toBe(false)
    a.state = 'works'
    expect([await a.catchUp(), await a.catchUp()]).toEqual([['alice left'], []])
    expect(await b.stores.present.elsewhere(), 'nobody stays there').toEqual([])
    await b.went(bob)
  })

  test('a join that could not be stored is announced later unless the person has left again', async () => {
    await using a = await openSide(world)
    a.state = 'cut'
    expect([await a.came(alice), await a.came(bob), await a.went(bob)]).toEqual([false, false, false])
    a.state = 'works'
    expect(await a.catchUp()).toEqual(['alice joined'])
    a.state = 'cut'
    await a.went(alice)
    await a.came(alice)
    a.state = 'works'
    expect(await a.catchUp(), 'nobody missed her').toEqual([])
    await a.went(alice)
  })

  test('a join or leave whose database answer was lost is stored but never announced', async () => {
    await using a = await openSide(world)
    await using b = await openSide(world)
    for (const [act, count] of [
      [a.came, 1],
      [a.went, 0],
    ] as const) {
      a.state = 'late'
      expect(await act(alice)).toBe(false)
      a.state = 'works'
      expect(await a.catchUp()).toEqual([])
      expect(await b.stores.present.elsewhere()).toHaveLength(count)
    }
  })

  test('a person of an expired server leaves only once, and the others join again', async () => {
    await using a = await openSide(world)
    await using b = await openSide(world)
    await a.came(alice)
    await a.came(bob)
    const { servers, left } = await b.stores.servers.expire(0)
    expect(servers).toMatchObject([{ id: a.stores.server }])
    expect(left.map(({ name }) => name).toSorted()).toEqual(['Bob', 'alice'])
    expect(await a.went(alice)).toBe(false)
    expect(await a.came(alice), 'this is found by what cannot be stored, too').toBe(false)
    expect([a.doubts, a.lines]).toEqual([1, []])
    await a.went(alice)
    await a.stores.servers.register({ name: 'here:22', version: '1', config: '' })
    a.presence.forgetStored()
    expect(await a.catchUp()).toEqual(['Bob joined'])
    a.presence.forgetStored()
    expect(await a.catchUp(), 'once more changes nothing').toEqual([])
  })
})

const DEN = 'den' as RoomName
describe.skipIf(lacks('postgres'))('remote presence', () => {
  let database: TestDatabase
  const storages: Storage[] = []
  const of = (at: number): ClusterStores['closings'] => storages[at]!.cluster!.closings
  const begin = (at: number): Promise<void> =>
    storages[at]!.cluster!.servers.register({ name: `s${at}`, version: '1', config: '' })
  beforeAll(async () => {
    database = await createMigrated()
    for (const at of [0, 1]) {
      storages.push(await openStorage(postgresOptions(database)))
      await begin(at)
    }
  })
  afterAll(async () => {
    for (const storage of storages) await storage[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  test('a room in deletion rejects lines of other servers until it is reopened or its server ends', async () => {
    const [{ chat: first }, { chat: second }] = [storages[0]!, storages[1]!]
    await first.rooms.create(room('den', {}))
    const say = (id: number): Promise<unknown> => second.entries.append(message(idOf(id), 'den', 'x'))
    await say(1)
    expect(await of(0).close(DEN, 'ann')).toBe(true)
    expect(await of(1).close(DEN, 'bob')).toBe(false)
    await of(1).open(DEN)
    expect([await of(0).closedByOthers(), await of(1).closedByOthers()]).toEqual([
      new Map(),
      new Map([[DEN, 'ann']]),
    ])
    await expect(say(2)).rejects.toThrow('den is being deleted')
    await first.entries.append(message(idOf(3), 'den', 'the last line'))
    await of(0).open(DEN)
    await say(4)
    await of(0).close(DEN, 'ann')
    await storages[0]!.cluster!.servers.end()
    expect(await of(1).closedByOthers()).toEqual(new Map())
    await say(5)
    await begin(0)
  })

  test('a room counts as used by others while another server has a person or a turn in it', async () => {
    const { present, work } = storages[1]!.cluster!
    const used = (): Promise<boolean> => of(0).isUsedByOthers(DEN)
    expect(await used()).toBe(false)
    const ann: Person = { id: 'guest:SHA256:x:ann' as PersonId, name: 'ann', admin: false, guest: true }
    await present.come(DEN, ann)
    expect([await used(), await of(1).isUsedByOthers(DEN)]).toEqual([true, false])
    await present.go(DEN, ann)
    const turn = { id: 't', kind: 'turn', queue: 'turn den', room: DEN, person: ann.id, facts: {} } as const
    await work.take(turn, { running: 1, waiting: 1 })
    expect(await used()).toBe(true)
    await work.leave(turn, { running: 1 })
    expect(await used()).toBe(false)
  })
})
