import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openStorage } from '../../../../src/storage/open.ts'
import { ChangeListener } from '../../../../src/storage/postgres/changes.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { StorageError } from '../../../../src/words/errors.ts'
import type { PersonId } from '../../../../src/words/person.ts'
import { createBroadcasts } from '../../../../src/cluster/cluster.ts'
import type { ServerId, Topic } from '../../../../src/cluster/stores.ts'
import { memoryLog } from '../../../support/chat-parts.ts'
import { lacks } from '../../../support/needs.ts'
import { createMigrated, postgresOptions, type TestDatabase } from '../../../support/postgres/databases.ts'

/** A busy machine takes long. */
const PATIENCE = { timeout: 20_000 }
const SELF = 'here' as ServerId

const ENDED = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = 'sshawl changes' AND datname = current_database()`

describe.skipIf(lacks('postgres'))('changes of other servers', () => {
  let database: TestDatabase
  const open: AsyncDisposable[] = []
  beforeAll(async () => {
    database = await createMigrated()
  })
  afterEach(async () => {
    for (const one of open.splice(0).toReversed()) await one[Symbol.asyncDispose]()
  })
  afterAll(async () => await database?.[Symbol.asyncDispose]())

  const change = (server: string, topic: Topic, ...keys: readonly string[]): Promise<unknown> =>
    database.send(keys.map((key) => `SELECT tell_news('${server}', '${topic}', '${key}')`).join('; '))

  function listener(): ChangeListener {
    const changes = new ChangeListener({ url: database.url, self: SELF, log: memoryLog() })
    open.push(changes)
    return changes
  }

  /** What is read of a topic: each key, and `all`. */
  function record(changes: ChangeListener, topic: Topic): string[] {
    const read: string[] = []
    changes.on(topic, async (keys: readonly string[] | 'all') => {
      if (keys === 'all') read.push('all')
      else read.push(...keys)
    })
    return read
  }

  test('a server reads everything at first, and then only the changes of other servers', async () => {
    const changes = listener()
    const read = record(changes, 'sanctions')
    await changes.begin()
    expect(read).toEqual(['all'])
    expect(changes.upToDate()).toBeUndefined()
    await change(SELF, 'sanctions', 'own')
    await change('other', 'away', 'of another topic')
    await change('other', 'sanctions', 'a', 'b "')
    await change('', 'sanctions', 'of nobody')
    await expect.poll(() => read, PATIENCE).toEqual(['all', 'a', 'b "', 'of nobody'])
    const late = record(changes, 'sanctions')
    await expect.poll(() => late, PATIENCE).toEqual(['all'])
  })

  test('a topic that fails to read is retried, blocks no other topic and marks the server as outdated', async () => {
    const changes = listener()
    let isBroken = false
    const read: unknown[] = []
    changes.on('sanctions', async (keys: readonly string[] | 'all') => {
      if (isBroken) throw new StorageError('away', 'the database went away')
      read.push(keys)
    })
    changes.on('away', () => Promise.reject(new Error('a fault')))
    const people = record(changes, 'people')
    await changes.begin()
    isBroken = true
    await change('other', 'sanctions', 'a')
    await change('other', 'people', 'p')
    await expect.poll(() => people, PATIENCE).toEqual(['all', 'p'])
    const trouble = async (): Promise<unknown> => await changes.upToDate()?.catch(String)
    await expect.poll(trouble, PATIENCE).toContain('went away')
    await change('other', 'sanctions', 'b')
    isBroken = false
    await expect.poll(() => read.slice(1).flat(), PATIENCE).toEqual(['a', 'b'])
    await changes.upToDate()
  })

  test('a change listener without its database rejects at its start', async () => {
    const url = database.url.replace(/[^/]*$/, 'nowhere')
    await using changes = new ChangeListener({ url, self: SELF, log: memoryLog() })
    await expect(changes.begin()).rejects.toThrow(StorageError)
  })

  test('a broadcast is performed once by each other server, and not by a server that starts later', async () => {
    const storages = await Promise.all([1, 2, 3].map(() => openStorage(postgresOptions(database))))
    open.push(...storages)
    const performed: string[][] = [[], [], []]
    async function follow({ cluster }: Storage, into: string[] | undefined) {
      const { broadcast, onBroadcast } = createBroadcasts(cluster!, memoryLog())
      onBroadcast('invited', async ({ person }) => void into?.push(person))
      open.push(cluster!.changes)
      await cluster!.changes.begin()
      return (person: string): Promise<void> => broadcast('invited', { person: person as PersonId })
    }
    const send = await follow(storages[0]!, performed[0])
    await follow(storages[1]!, performed[1])
    await send('ann')
    await expect.poll(() => performed[1], PATIENCE).toEqual(['ann'])
    await follow(storages[2]!, performed[2])
    await database.send(ENDED)
    await send('bob')
    for (const at of [1, 2]) await storages[at]!.cluster!.changes.readAll()
    await database.send(`UPDATE broadcasts SET at = at - interval '10 minutes'`)
    await send('cy')
    await expect.poll(() => performed, PATIENCE).toEqual([[], ['ann', 'bob', 'cy'], ['bob', 'cy']])
    expect(await database.send('SELECT 1 FROM broadcasts')).toHaveLength(1)
  })
})
