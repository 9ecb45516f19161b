import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStorage } from '../../../src/adapters/storage/open.ts'
import { StorageError } from '../../../src/chat/errors.ts'
import type { Person } from '../../../src/chat/people/person.ts'
import { createOwnPlaces, type OwnPlaces } from '../../../src/cluster/own-places.ts'
import type { ClusterStores, PresentStore } from '../../../src/cluster/ports.ts'
import { alice, bob, lobby } from '../../contract/storage/cast.ts'
import { lacks } from '../../support/needs.ts'
import { recordingLog } from '../../support/pool.ts'
import { createDatabase, postgresOptions, type TestDatabase } from '../../support/postgres/databases.ts'

/** One of two servers on a database, which it may be cut off from. */
interface Side extends AsyncDisposable {
  readonly places: OwnPlaces
  readonly stores: ClusterStores
  isCut: boolean
  /** What it tells the rooms when it catches up. */
  caughtUp(): Promise<readonly string[]>
}

async function openSide(database: TestDatabase): Promise<Side> {
  const storage = await openStorage(postgresOptions(database))
  const stores = storage.cluster
  if (!stores) throw new Error('not for several servers')
  await stores.servers.begin({ name: 'here:22', version: '1', shared: {} })
  const ask = <T>(question: () => Promise<T>): Promise<T> =>
    side.isCut ? Promise.reject(new StorageError('other', 'cut off')) : question()
  const present: Pick<PresentStore, 'come' | 'go'> = {
    come: (room, person) => ask(() => stores.present.come(room, person)),
    go: (room, person) => ask(() => stores.present.go(room, person)),
  }
  const side: Side = {
    places: createOwnPlaces(present, recordingLog().log),
    stores,
    isCut: false,
    async caughtUp() {
      const told: string[] = []
      await side.places.catchUp(async (_, { name }, event) => void told.push(`${name} ${event}`))
      return told
    },
    async [Symbol.asyncDispose]() {
      await stores.servers.end()
      await storage[Symbol.asyncDispose]()
    },
  }
  return side
}

describe.skipIf(lacks('postgres'))('who is here through this server', () => {
  let database: TestDatabase
  beforeAll(async () => void (database = await createDatabase()))
  afterAll(async () => await database[Symbol.asyncDispose]())

  const came = ({ places }: Side, person: Person): Promise<boolean> => places.came(lobby, person)
  const went = ({ places }: Side, person: Person): Promise<boolean> => places.went(lobby, person)

  test('a room is told of the first that comes, and the last that goes', async () => {
    await using a = await openSide(database)
    await using b = await openSide(database)
    expect([await came(a, alice), await came(b, alice), await came(a, alice)]).toEqual([true, false, false])
    expect([await went(a, alice), await went(a, alice), await went(b, alice)]).toEqual([false, false, true])
  })

  test('who leaves while nothing can be stored has left once it can', async () => {
    await using a = await openSide(database)
    await using b = await openSide(database)
    await came(a, alice)
    await came(a, bob)
    a.isCut = true
    expect([await went(a, alice), await went(a, bob)]).toEqual([false, false])
    expect(await a.caughtUp()).toEqual([])
    expect(await came(b, bob), 'bob is on the other one before the first says that he left').toBe(false)
    a.isCut = false
    expect(await a.caughtUp()).toEqual(['alice left'])
    expect(await a.caughtUp()).toEqual([])
    expect(await b.stores.present.elsewhere(), 'nobody stays there').toEqual([])
  })

  test('who comes while nothing can be stored has come once it can, unless they are gone again', async () => {
    await using a = await openSide(database)
    a.isCut = true
    expect([await came(a, alice), await came(a, bob), await went(a, bob)]).toEqual([false, false, false])
    a.isCut = false
    expect(await a.caughtUp()).toEqual(['alice joined'])
    a.isCut = true
    await went(a, alice)
    await came(a, alice)
    a.isCut = false
    expect(await a.caughtUp(), 'nobody missed her').toEqual([])
  })

  test('who leaves a server that was taken for dead does not leave twice; the others come again', async () => {
    await using a = await openSide(database)
    await using b = await openSide(database)
    await came(a, alice)
    await came(a, bob)
    expect((await b.stores.servers.bury(-1_000)).servers).toEqual([a.stores.server])
    expect(await went(a, alice)).toBe(false)
    await a.stores.servers.begin({ name: 'here:22', version: '1', shared: {} })
    a.places.storeAllAgain()
    expect(await a.caughtUp()).toEqual(['Bob joined'])
    a.places.storeAllAgain()
    expect(await a.caughtUp(), 'he is there still').toEqual([])
  })
})
