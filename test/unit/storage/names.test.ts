import { expect, test } from 'vitest'
import { openStorage } from '../../../src/storage/open.ts'
import { openFile } from '../../../src/storage/sqlite/driver.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { reindexNames } from '../../../src/server/open-data.ts'
import { Sanctions } from '../../../src/chat/moderation/sanctions.ts'
import { createLocalPeers } from '../../../src/chat/local-peers.ts'
import type { Fingerprint } from '../../../src/words/person.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import { handClock, memoryLog } from '../../support/chat-parts.ts'
import { createPeopleParts } from '../../support/people.ts'
import { message, sqliteOptions, temporaryDir } from '../../support/storage.ts'

/** People as an older version stored them. Its rules gave each of them the name. */
const OLD_PEOPLE = `
  INSERT INTO people (id, name, skeleton, created_at) VALUES
    ('p1', 'ann', 'ann', 1), ('p2', 'ΑΝΝ', 'avv', 2), ('p3', 'Ali', 'all', 3), ('p4', 'ɢuide', 'ɢuide', 4),
    ('p5', 'аnn', 'аnn', 5), ('p6', 'nobody', 'nobody', 6),
    ('p7', 'root', 'root', 7), ('p8', 'alice', 'alice', 8), ('p9', 'аӏісе', 'aiice', 9);
  INSERT INTO person_keys (person, fingerprint, added_at) SELECT id, 'SHA256:' || id, 1 FROM people;`

const key = (id: string) => `SHA256:${id}` as Fingerprint

/** Resolves to the ID of the person who logs in under `name` with the key of `id`. */
async function logIn(storage: Storage, name: string, id: string): Promise<string> {
  const clock = handClock()
  const sanctions = await Sanctions.load(storage.chat.sanctions, clock)
  const parts = {
    storage,
    clock,
    log: memoryLog(),
    nextId: () => 'new',
    sanctions,
    peers: createLocalPeers(),
  }
  const { people } = createPeopleParts(parts, { modelNames: ['guide'] })
  return (await people.identify(name, key(id), '127.0.0.1')).id
}

test('existing names that newer rules forbid are logged and stay with their keys', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  await (await openStorage(options))[Symbol.asyncDispose]()
  openFile(options.file).exec(OLD_PEOPLE).close()

  await using storage = await openStorage(options)
  const logged: string[] = []
  const keep = (facts: object, text: string) => void logged.push(`${JSON.stringify(facts)} ${text}`)
  const log = { debug: keep, info: keep, warn: keep, error: keep }
  await reindexNames(storage.chat.people, log)
  expect(logged).toEqual([
    '{"names":9} rebuilt the index of names by the rules of this version',
    '{"name":"ΑΝΝ","like":"ann"} a name looks the same as an older one; both stay, with their keys',
    '{"name":"аnn","like":"ann"} a name looks the same as an older one; both stay, with their keys',
    '{"name":"аӏісе","like":"alice"} a name looks the same as an older one; both stay, with their keys',
    '{"name":"ɢuide"} a name could not be registered any more; it stays with its key',
    '{"name":"аnn"} a name could not be registered any more; it stays with its key',
    '{"name":"nobody"} a name could not be registered any more; it stays with its key',
    '{"name":"root"} a name could not be registered any more; it stays with its key',
  ])
  await reindexNames(storage.chat.people, log)
  expect(logged).toHaveLength(8)

  for (const [name, id] of [
    ['ann', 'p1'],
    ['ΑΝΝ', 'p2'],
    ['ALI', 'p3'],
    ['ɢuide', 'p4'],
    ['аnn', 'p5'],
    ['nobody', 'p6'],
    ['root', 'p7'],
    ['alice', 'p8'],
    ['аӏісе', 'p9'],
  ] as const)
    expect(await logIn(storage, name, id), name).toBe(id)
  expect(await logIn(storage, 'ann', 'other')).toMatch(/^guest:/)
  expect(await logIn(storage, 'аӏісе', 'other')).toMatch(/^guest:/)
  expect((await storage.chat.people.bySkeleton('ann', 0))?.id).toBe('p1')
})

test('twenty thousand names of an older version are updated in one start', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  await (await openStorage(options))[Symbol.asyncDispose]()
  const many = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
    INSERT INTO people (id, name, skeleton, created_at) SELECT 'p' || i, 'person' || i, 'old' || i, i FROM n`
  openFile(options.file).exec(many).close()
  await using storage = await openStorage(options)
  expect(await storage.chat.people.reindexNames()).toEqual({ names: 20_000, alike: [], unfit: [] })
})

test('an entry of an unknown kind is read as a notice with its text', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  await using storage = await openStorage(options)
  await storage.chat.entries.append(message('1', 'lobby', 'of a newer version'))
  openFile(options.file).exec(`UPDATE entries SET kind = 'poll', data = '{"votes":3}'`).close()
  const notice = {
    ...{ id: '1', room: 'lobby', at: 1_700_000_000_000, kind: 'notice', level: 'info' },
    ...{ author: 'alice', text: 'of a newer version' },
  }
  expect(await storage.chat.entries.read('lobby' as RoomName, { limit: 9 })).toEqual([notice])
})
