import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStorage } from '../../../src/adapters/storage/open.ts'
import { StorageError } from '../../../src/chat/errors.ts'
import type { Person } from '../../../src/chat/people/person.ts'
import type { Announce } from '../../../src/chat/peers.ts'
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
  came(person: Person): Promise<Announce>
  went(person: Person): Promise<Announce>
  /** Has it catch up. Resolves to how often the room is asked to sum up. */
  catchUp(): Promise<number>
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
      let asked = 0
      await side.presence.storeAgain(async () => void asked++)
      return asked
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
  /** What waits to be told, which it then does not any more. */
  held(): Promise<readonly string[]>
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
    async held() {
      const rows = await database.send('SELECT name, event FROM held_presence ORDER BY id')
      await database.send('DELETE FROM held_presence')
      return rows.map(({ name, event }) => `${String(name)} ${String(event)}`)
    },
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

  test('the first that comes, and the last that goes, is held to be told', async () => {
    await using a = await openSide(world)
    await using b = await openSide(world)
    expect([await a.came(alice), await b.came(alice), await a.came(alice)]).toEqual([
      'stored',
      'none',
      'none',
    ])
    expect(await world.held()).toEqual(['alice joined'])
    expect([await a.went(alice), await a.went(alice), await b.went(alice)]).toEqual([
      'none',
      'none',
      'stored',
    ])
    expect(await world.held()).toEqual(['alice left'])
  })

  test('who leaves while nothing can be stored has left once it can', async () => {
    await using a = await openSide(world)
    await using b = await openSide(world)
    await a.came(alice)
    await a.came(bob)
    a.state = 'cut'
    expect([await a.went(alice), await a.went(bob)]).toEqual(['none', 'none'])
    expect(await a.catchUp()).toBe(0)
    expect(await b.came(bob), 'bob is on the other one before the first says that he left').toBe('none')
    a.state = 'works'
    expect([await a.catchUp(), await a.catchUp()]).toEqual([2, 0])
    expect(await world.held()).toEqual(['alice joined', 'Bob joined', 'alice left'])
    expect(await b.stores.present.elsewhere(), 'nobody stays there').toEqual([])
    await b.went(bob)
    await world.held()
  })

  test('who comes while nothing can be stored has come once it can, unless they are gone again', async () => {
    await using a = await openSide(world)
    a.state = 'cut'
    expect([await a.came(alice), await a.came(bob), await a.went(bob)]).toEqual(['none', 'none', 'none'])
    a.state = 'works'
    await a.catchUp()
    expect(await world.held()).toEqual(['alice joined'])
    a.state = 'cut'
    await a.went(alice)
    await a.came(alice)
    a.state = 'works'
    await a.catchUp()
    expect(await world.held(), 'nobody missed her').toEqual([])
    await a.went(alice)
    await world.held()
  })

  test('where the answer was lost, it is told all the same, once', async () => {
    await using a = await openSide(world)
    for (const [act, held] of [
      [a.came, 'alice joined'],
      [a.went, 'alice left'],
    ] as const) {
      a.state = 'late'
      expect(await act(alice)).toBe('none')
      a.state = 'works'
      expect(await a.catchUp(), 'the room is asked to tell what is held').toBe(1)
      expect(await world.held()).toEqual([held])
    }
  })

  test('who leaves a server that was taken for dead does not leave twice; the others come again', async () => {
    await using a = await openSide(world)
    await using b = await openSide(world)
    await a.came(alice)
    await a.came(bob)
    expect((await b.stores.servers.expire(0)).servers).toMatchObject([{ id: a.stores.server }])
    expect(await a.went(alice)).toBe('none')
    expect(await a.came(alice), 'this is found by what cannot be stored, too').toBe('none')
    expect([a.doubts, a.lines]).toEqual([1, []])
    await a.went(alice)
    await a.stores.servers.register({ name: 'here:22', version: '1', config: '' })
    for (const _ of ['once', 'and again, which changes nothing']) {
      a.presence.forgetStored()
      await a.catchUp()
    }
    expect(await world.held()).toEqual(['alice joined', 'Bob joined', 'Bob left', 'alice left', 'Bob joined'])
  })
})
