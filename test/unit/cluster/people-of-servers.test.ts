import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStorage } from '../../../src/adapters/storage/open.ts'
import type { Storage } from '../../../src/adapters/storage/storage.ts'
import type { RoomName } from '../../../src/chat/entry.ts'
import type { Person, PersonId } from '../../../src/chat/people/person.ts'
import type { ClusterStores } from '../../../src/cluster/stores.ts'
import { idOf } from '../../contract/storage/cast.ts'
import { lacks } from '../../support/needs.ts'
import { createMigrated, postgresOptions, type TestDatabase } from '../../support/postgres/databases.ts'
import { message, room } from '../../support/storage.ts'

const DEN = 'den' as RoomName
describe.skipIf(lacks('postgres'))('what servers know of each other’s people', () => {
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

  test('a room that one server deletes takes no line of another, until it is opened or its server has ended', async () => {
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

  test('a room that is being deleted is used as long as somebody is in it, or something at work, on another server', async () => {
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
