import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStorage } from '../../../src/adapters/storage/open.ts'
import { StorageError } from '../../../src/chat/errors.ts'
import type { Person } from '../../../src/chat/people/person.ts'
import { OwnPresence } from '../../../src/cluster/presence.ts'
import type { ClusterStores, PresentStore } from '../../../src/cluster/stores.ts'
import { alice, bob, lobby } from '../../contract/storage/cast.ts'
import { lacks } from '../../support/needs.ts'
import { recordingLog } from '../../support/pool.ts'
import { createMigrated, postgresOptions, type TestDatabase } from '../../support/postgres/databases.ts'

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

/** A database with a lobby. */
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

describe.skipIf(lacks('postgres'))('who is here through this server', () => {
  let world: World
  beforeAll(async () => void (world = await createWorld()))
  afterAll(async () => await world[Symbol.asyncDispose]())

  test('the room is told of the first that comes and of the last that goes', async () => {
    await using a = await openSide(world)
    await using b = await openSide(world)
    expect([await a.came(alice), await b.came(alice), await a.came(alice)]).toEqual([true, false, false])
    expect([await a.went(alice), await a.went(alice), await b.went(alice)]).toEqual([false, false, true])
  })

  test('a person who leaves while nothing can be stored has left once it can be', async () => {
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

  test('a person who comes while nothing can be stored has come once it can be, unless they are gone again', async () => {
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

  test('the room is not told of a change whose answer was lost, and the change holds', async () => {
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

  test('a person who leaves an expired server does not leave twice; the others come again', async () => {
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
