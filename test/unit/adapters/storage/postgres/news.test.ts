import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createNewsReader } from '../../../../../src/adapters/storage/postgres/cluster/news-reader.ts'
import { createOldNews, KEPT_LOOKS } from '../../../../../src/adapters/storage/postgres/cluster/old-news.ts'
import {
  createConnections,
  type Connections,
} from '../../../../../src/adapters/storage/postgres/connection.ts'
import { sql } from '../../../../../src/adapters/storage/postgres/sql.ts'
import { createDeferred } from '../../../../../src/lib/deferred.ts'
import { lacks } from '../../../../support/needs.ts'
import { createMigrated, type TestDatabase } from '../../../../support/postgres/databases.ts'

describe.skipIf(lacks('postgres'))('news of other servers', () => {
  let database: TestDatabase
  let connections: Connections
  beforeAll(async () => {
    database = await createMigrated()
    connections = createConnections(database.url)
  })
  afterAll(async () => {
    await connections?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })
  beforeEach(() => database.send('DELETE FROM news; DELETE FROM orders'))

  const tell = (...keys: readonly string[]): Promise<unknown> =>
    database.send(keys.map((key) => `SELECT tell_news('other', 'sanctions', '${key}')`).join('; '))
  const keys = async (): Promise<readonly unknown[]> =>
    (await database.send('SELECT key FROM news ORDER BY id')).map(({ key }) => key)
  const orderedBy = async (): Promise<readonly unknown[]> =>
    (await database.send('SELECT data FROM orders ORDER BY id')).map(({ data }) => data)
  async function openReader() {
    const reader = createNewsReader(connections)
    await reader.begin()
    return async () => {
      const { rows, areSomeLost } = await reader.read()
      return { keys: rows.map(({ key }) => key), areSomeLost }
    }
  }
  const NOTHING = { keys: [], areSomeLost: false }

  test('are read once, and nothing is lost where what was read is removed', async () => {
    await tell('before')
    const read = await openReader()
    expect(await read()).toEqual(NOTHING)
    await tell('a', 'b')
    expect(await read()).toEqual({ keys: ['a', 'b'], areSomeLost: false })
    await tell('c')
    await database.send(`DELETE FROM news WHERE key IN ('before', 'a', 'b')`)
    expect(await read()).toEqual({ keys: ['c'], areSomeLost: false })
    expect(await read()).toEqual(NOTHING)
  })

  test('that were removed before they were read are lost: it is told once', async () => {
    await tell('before')
    const read = await openReader()
    await tell('a', 'b', 'c')
    await database.send(`DELETE FROM news WHERE key <> 'c'`)
    expect(await read()).toEqual({ keys: ['c'], areSomeLost: true })
    expect(await read()).toEqual(NOTHING)
    await tell('d')
    await database.send('DELETE FROM news')
    expect(await read()).toEqual({ keys: [], areSomeLost: true })
    expect(await read()).toEqual(NOTHING)
    // Numbers that nobody will ever have are no loss where nothing is removed.
    await tell('e')
    await read()
    await database.send(`SELECT nextval('news_id_seq')`)
    await tell('f')
    expect(await read()).toEqual({ keys: ['f'], areSomeLost: false })
  })

  test('that were written before others and committed after them are read, or known to be lost', async () => {
    await tell('before')
    const read = await openReader()
    const written = [createDeferred<void>(), createDeferred<void>()]
    const mayCommit = [createDeferred<void>(), createDeferred<void>()]
    const writing = [0, 1].map((at) =>
      connections.transaction(async (tx) => {
        await tx.run(sql`SELECT tell_news('other', 'sanctions', ${`late ${at}`})`)
        written[at]!.resolve()
        await mayCommit[at]!.promise
      }),
    )
    await Promise.all(written.map(({ promise }) => promise))
    await tell('a')
    expect(await read()).toEqual({ keys: ['a'], areSomeLost: false })
    mayCommit[0]!.resolve()
    await writing[0]
    expect(await read()).toEqual({ keys: ['late 0'], areSomeLost: false })
    mayCommit[1]!.resolve()
    await writing[1]
    await tell('b')
    await database.send(`DELETE FROM news WHERE key <> 'b'`)
    expect(await read()).toEqual({ keys: ['b'], areSomeLost: true })
    expect(await read()).toEqual(NOTHING)
  })

  test("are removed after so many looks, wherever the database's clock is set, and the newest stays", async () => {
    const removeOld = createOldNews(connections)
    const order = (data: string): string =>
      `INSERT INTO orders (server, kind, data) VALUES ('other', 'stop', '${data}')`
    await database.send([order('1'), order('2')].join('; '))
    await tell('a', 'b')
    await removeOld()
    await tell('c')
    await database.send(order('3'))
    for (const table of ['news', 'orders'])
      await database.send(`UPDATE ${table} SET at = at - interval '1 hour'`)
    for (let looks = 1; looks < KEPT_LOOKS; looks++) await removeOld()
    expect((await keys()).slice(2)).toEqual(['a', 'b', 'c', expect.any(String)])
    expect(await orderedBy()).toEqual(['1', '2', '3'])
    for (const table of ['news', 'orders'])
      await database.send(`UPDATE ${table} SET at = at + interval '2 hours'`)
    await removeOld()
    expect((await keys()).slice(0, -1)).toEqual(['b', 'c'])
    expect(await orderedBy()).toEqual(['2', '3'])
    for (let looks = 0; looks < KEPT_LOOKS; looks++) await removeOld()
    expect(await keys()).toHaveLength(1)
    expect(await orderedBy()).toEqual(['3'])
  })
})
