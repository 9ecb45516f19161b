import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStorage } from '../../../src/adapters/storage/open.ts'
import type { Storage } from '../../../src/adapters/storage/storage.ts'
import type { RoomName } from '../../../src/chat/entry.ts'
import { createClosings } from '../../../src/cluster/closings.ts'
import type { ClusterStores } from '../../../src/cluster/stores.ts'
import { handClock, memoryLog } from '../../support/chat-parts.ts'
import { lacks } from '../../support/needs.ts'
import { createMigrated, postgresOptions, type TestDatabase } from '../../support/postgres/databases.ts'

const DEN = 'den' as RoomName
describe.skipIf(lacks('postgres'))('what servers know of each other’s people', () => {
  let database: TestDatabase
  const storages: Storage[] = []
  const of = (at: number): ClusterStores['people'] => storages[at]!.cluster!.people
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

  test('one server closes a room, until it opens it again or has ended, and waits for the others', async () => {
    const clock = handClock()
    const first = createClosings(of(0).closings, clock, memoryLog())
    const second = createClosings(of(1).closings, clock, memoryLog())
    let closed: ReadonlyMap<RoomName, string> = new Map()
    let leave: () => void = () => undefined
    second.on((rooms) => {
      closed = rooms
      return new Promise((resolve) => (leave = resolve))
    })
    let isClosed = false
    const closing = first.closeRoom(DEN, 'ann').then((done) => (isClosed = done))
    await expect.poll(() => second.readAgain().then(() => closed)).toEqual(new Map([[DEN, 'ann']]))
    expect(await second.closeRoom(DEN, 'bob')).toBe(false)
    await second.openRoom(DEN)
    expect(await of(0).closings.haveAllLeft(DEN)).toBe(false)
    expect(isClosed).toBe(false)
    leave()
    await expect.poll(() => of(0).closings.haveAllLeft(DEN)).toBe(true)
    await expect.poll(() => (clock.advance(50), isClosed)).toBe(true)
    await closing
    await storages[0]!.cluster!.servers.end()
    await second.readAgain()
    expect(closed).toEqual(new Map())
    await begin(0)
  })
})
