import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStorage } from '../../../src/adapters/storage/open.ts'
import type { Storage } from '../../../src/adapters/storage/storage.ts'
import type { RoomName } from '../../../src/chat/entry.ts'
import type { Fingerprint, Person, PersonId } from '../../../src/chat/people/person.ts'
import { createClosings } from '../../../src/cluster/closings.ts'
import type { ClusterStores } from '../../../src/cluster/stores.ts'
import { handClock, memoryLog } from '../../support/chat-parts.ts'
import { lacks } from '../../support/needs.ts'
import { createMigrated, postgresOptions, type TestDatabase } from '../../support/postgres/databases.ts'

const DEN = 'den' as RoomName
const key = (name: string): Fingerprint => `SHA256:${name}` as Fingerprint
const loan = (name: string, owner: string, asked = 'ann') => ({
  name,
  skeleton: name,
  key: key(owner),
  asked,
})

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

  test('a name is lent to one key, also at the same moment, by servers that are alive', async () => {
    const lent = await Promise.all([
      of(0).loans.lend(loan('ann-2', 'a')),
      of(1).loans.lend(loan('ann-2', 'b')),
    ])
    expect(lent.filter(Boolean)).toHaveLength(1)
    const [winner, other, owner] = lent[0] ? [0, 1, 'a'] : [1, 0, 'b']
    expect(await of(other).loans.lentBefore('ann', key(owner))).toBe('ann-2')
    expect(await of(other).loans.lentBefore('bob', key(owner))).toBeUndefined()
    expect(await of(other).loans.elsewhere()).toEqual([{ skeleton: 'ann-2', key: key(owner) }])
    expect(await of(other).loans.lend(loan('ann-2', owner))).toBe(true)
    await of(other).loans.forget('ann-2')
    const person: Person = { id: 'p1' as PersonId, name: 'ann-2', admin: false, guest: false }
    const { people } = storages[other]!.chat
    expect(await people.register(person, 'ann-2', key('c'), 0)).toBe(false)
    await storages[winner]!.cluster!.servers.end()
    expect(await of(other).loans.elsewhere(['ann-2'])).toEqual([])
    expect(await people.register(person, 'ann-2', key('c'), 0)).toBe(true)
    await begin(winner)
    expect(await of(winner).loans.lend(loan('ann-2', 'd'))).toBe(false)
  })
})
