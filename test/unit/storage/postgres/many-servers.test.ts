import { execa } from 'execa'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStorage } from '../../../../src/storage/open.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import type { Entry } from '../../../../src/words/entry.ts'
import { createSerial } from '../../../../src/base/jobs/serial.ts'
import type { Person, PersonId } from '../../../../src/words/person.ts'
import { createIds } from '../../../../src/base/ids.ts'
import { built } from '../../../support/built.ts'
import { lacks } from '../../../support/needs.ts'
import {
  type EmptiedPostgres,
  createDatabase,
  createMigrated,
  openEmptiedPostgres,
  postgresOptions,
} from '../../../support/postgres/databases.ts'
import { alice, bob, idOf, key, lobby } from '../../../contract/storage/cast.ts'
import { message, room } from '../../../support/storage.ts'

const HOUR_MS = 3_600_000

interface Told {
  readonly text: string
  readonly id: string
  readonly after: string
}

/** What one process appended, in the order in which it was called. `hint` is called with each. */
async function appendIn(
  url: string,
  args: readonly string[],
  hint: () => Promise<void>,
): Promise<readonly Told[]> {
  const told: Told[] = []
  for await (const line of execa('node', [built('append-many'), url, ...args])) {
    told.push(JSON.parse(line))
    await hint()
  }
  return told
}

/** Reads on after what it has, as a server does that hears hints. */
function createFollower({ chat: { entries } }: Storage) {
  const seen: Entry[] = []
  const readOn = createSerial()
  return {
    seen,
    hint: () =>
      readOn(async () => {
        const after = seen.at(-1)?.id
        seen.push(
          ...(await entries.read(lobby, { limit: 50, oldestFirst: true, ...(after ? { after } : {}) })),
        )
      }),
  }
}

describe.skipIf(lacks('postgres'))('four servers on one database', () => {
  test('servers with different clocks append to one room in one order, and a follower misses no entry', async () => {
    await using database = await createMigrated()
    await using storage = await openStorage(postgresOptions(database))
    const { seen, hint } = createFollower(storage)
    const processes = Object.entries({ a: 0, b: HOUR_MS, c: -HOUR_MS, d: 0 })
    const told = await Promise.all(
      processes.map(([name, clockOff]) => appendIn(database.url, [name, '50', String(clockOff)], hint)),
    )
    const log = await storage.chat.entries.read(lobby, { limit: 1e6 })
    expect(log).toHaveLength(200)
    expect(seen).toEqual(log)
    // Each process finds its own in the order of its calls.
    for (const own of told)
      expect(
        log.filter(({ text }) => text.startsWith(own[0]?.text[0] ?? '-')).map(({ text }) => text),
      ).toEqual(own.map(({ text }) => text))
    // What each was told is where it stands: after the entry that is before it.
    const placed = new Map(told.flat().map(({ text, id, after }) => [id, { text, after }]))
    expect(log.map(({ id }) => placed.get(id))).toEqual(
      log.map(({ text }, at) => ({ text, after: log[at - 1]?.id ?? '' })),
    )
  })

  test('servers that start at once migrate an empty database only once', async () => {
    await using database = await createDatabase()
    const started = await Promise.all(Array.from({ length: 4 }, () => openStorage(postgresOptions(database))))
    await Promise.all(started.map((storage) => storage.upkeep.health()))
    await Promise.all(started.map((storage) => storage[Symbol.asyncDispose]()))
    const rows = await database.send('SELECT version FROM migrations ORDER BY version')
    expect(rows.map(({ version }) => Number(version))).toEqual(rows.map((_, at) => at + 1))
  })
})

const newcomer = (n: number): Person => ({
  id: `p${n}` as PersonId,
  name: `new${n}`,
  admin: false,
  guest: false,
})
const FIRST = { at: 1, until: 100 } as const

const ascending = (numbers: readonly number[]): readonly number[] => numbers.toSorted((a, b) => a - b)

function counted(outcomes: readonly unknown[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[String(outcome)] = (counts[String(outcome)] ?? 0) + 1
  return counts
}

describe.skipIf(lacks('postgres'))('of several servers on one database', () => {
  let postgres: EmptiedPostgres
  let servers: readonly Storage[]
  let first: Storage
  beforeAll(async () => {
    postgres = await openEmptiedPostgres()
    first = await postgres.emptied()
    const others = Array.from({ length: 3 }, () => openStorage(postgresOptions(postgres.database)))
    servers = [first, ...(await Promise.all(others))]
  })
  afterAll(async () => {
    for (const server of servers.slice(1)) await server[Symbol.asyncDispose]()
    await postgres[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    await postgres.emptied()
    await first.chat.people.register(alice, 'alice', key(1), 1)
    await first.chat.people.register(bob, 'bob', key(2), 1)
    await first.chat.rooms.create(room('lobby', {}))
  })

  /** Does something on all servers at once, several times on each. */
  const everywhere = <T>(work: (server: Storage, n: number) => Promise<T>, times = 2): Promise<T[]> =>
    Promise.all(
      Array.from({ length: servers.length * times }, (_, n) => work(servers[n % servers.length] ?? first, n)),
    )

  test('a name that several servers register at once goes to one person', async () => {
    const outcomes = await everywhere(({ chat }, n) =>
      chat.people.register({ ...newcomer(n), name: 'carol' }, 'carol', key(10 + n), 2),
    )
    expect(counted(outcomes)).toEqual({ true: 1, false: 7 })
  })

  test('concurrent registrations on several servers respect the limit of names per key', async () => {
    const outcomes = await everywhere(({ chat }, n) =>
      chat.people.register(newcomer(n), `new${n}`, key(9), 2, 3),
    )
    expect(counted(outcomes)).toEqual({ true: 3, false: 5 })
  })

  test('concurrent renames on several servers give a name to only one person', async () => {
    const change = { name: 'carol', skeleton: 'carol', at: 2, keptUntil: 99 }
    const outcomes = await everywhere(({ chat }, n) =>
      chat.names.rename({ ...change, id: n % 2 ? alice.id : bob.id }, 3),
    )
    expect(counted(outcomes)).toEqual({ renamed: 4, taken: 4 })
  })

  test('concurrent claims on several servers make only one person the first admin', async () => {
    const outcomes = await everywhere(({ chat }, n) => chat.people.claimAdmin(n % 2 ? alice.id : bob.id))
    expect(counted(outcomes)).toEqual({ true: 1, false: 7 })
  })

  test('the limits of an invite code and its maker apply to concurrent use on several servers', async () => {
    const invite = { by: alice.id, room: lobby, uses: 3, ...FIRST }
    const added = await everywhere(({ chat }, n) => chat.invites.add({ ...invite, digest: `d${n}` }, 2))
    expect(added.filter((id) => id !== undefined)).toHaveLength(2)
    const digest = `d${added.findIndex((id) => id !== undefined)}`
    const outcomes = await everywhere(({ chat }, n) =>
      chat.invites.redeem(digest, {
        person: newcomer(n),
        skeleton: `new${n}`,
        key: key(20 + n),
        at: 2,
        most: 9,
      }),
    )
    expect(counted(outcomes.map((outcome) => (typeof outcome === 'string' ? outcome : 'in')))).toEqual({
      in: 3,
      'no-code': 5,
    })
    expect(await first.chat.rooms.members(lobby)).toHaveLength(3)
  })

  test('limits of tokens, keys and unread messages apply to concurrent use on several servers', async () => {
    const token = { by: alice.id, key: null, rooms: null, ...FIRST }
    const tokens = await everywhere(({ chat }, n) => chat.tokens.add({ ...token, digest: `t${n}` }, 3))
    expect(tokens.filter((id) => id !== undefined)).toHaveLength(3)
    const keys = await everywhere(({ chat }, n) => chat.keys.add(alice.id, key(30 + n), 2, 4))
    expect(counted(keys)).toEqual({ added: 3, full: 5 })
    const limits = { forOne: 5, fromOne: 5, inAll: 5, notBefore: 0 }
    const waiting = await everywhere(({ talk }, n) =>
      talk.messages.put({ id: `m${n}`, to: alice.id, from: bob, at: 2, text: 'x' }, limits),
    )
    expect(counted(waiting)).toEqual({ true: 5, false: 3 })
  })

  test('a key pending for two people goes to one, and the last key of a person is not removed', async () => {
    for (const { id } of [alice, bob]) await first.chat.keys.add(id, key(5), 2, 9)
    const proven = await everywhere(({ chat }, n) => chat.keys.prove(n % 2 ? alice.id : bob.id, key(5)))
    expect(counted(proven)).toEqual({ true: 4, false: 4 })
    const owner = proven[1] ? alice : bob
    const own = await first.chat.people.keysOf(owner.id)
    const removed = await everywhere(({ chat }, n) => chat.keys.remove(owner.id, own[n % 2] ?? key(5)))
    expect(removed.filter((outcome) => outcome === 'removed')).toHaveLength(1)
    expect(await first.chat.people.keysOf(owner.id)).toHaveLength(1)
  })

  test('concurrent writes on several servers number scripts, grants and results without a gap', async () => {
    const script = { room: lobby, source: 'return 1', author: 'alice', at: 1 }
    const eight = [1, 2, 3, 4, 5, 6, 7, 8]
    const scripts = await everywhere(({ prompts }) => prompts.scripts.put(script))
    expect(ascending(scripts.map(({ version }) => version))).toEqual(eight)
    const grant = { person: alice.id, room: lobby, name: 'alice', tool: 'Bash', by: 'bob', at: 1 }
    const grants = await everywhere(({ tools }, n) => tools.grants.put({ ...grant, target: `${n}` }))
    expect(ascending(grants.map(({ id }) => id))).toEqual(eight)
    const result = { room: lobby, tool: 'Bash', text: 'x', pageSize: 1, at: 5 }
    const limits = { since: 0, roomBytes: 4, allBytes: 9 }
    const results = await everywhere(({ tools }) => tools.results.put(result, limits))
    expect(ascending(results)).toEqual(eight)
    const kept = await Promise.all(eight.map((fd) => first.tools.results.find(lobby, fd)))
    expect(kept.filter((one) => one !== undefined)).toHaveLength(4)
    const summary = { room: lobby, text: 's', first: idOf(1), last: idOf(2), author: 'alice', at: 1 }
    const summaries = await everywhere(({ prompts }) => prompts.summaries.put(summary, 0))
    expect(summaries.filter((one) => one !== undefined)).toHaveLength(1)
  })

  test('an invitation is delivered once, even if several servers ask for it', async () => {
    await first.chat.rooms.setMembership(lobby, alice.id, 'invited')
    await first.chat.invitations.put({ person: alice.id, room: lobby, inviter: 'bob', at: 1 })
    const told = await everywhere(({ chat }) => chat.invitations.take(alice.id))
    expect(told.flat()).toHaveLength(1)
  })

  test('tool calls and token counts are correct after concurrent writes on several servers', async () => {
    const call = {
      kind: 'tool_call',
      call: 'c',
      name: 'x',
      arguments: {},
      requester: 'bob',
      tool: 'Bash',
    } as const
    const nextId = createIds({ now: () => 1 })
    await everywhere(
      ({ chat }) => chat.entries.append({ ...message(nextId(), 'lobby', 'called'), ...call }),
      5,
    )
    expect(await first.prompts.history.toolCalls(lobby)).toEqual({ Bash: 20 })
    const ids = (await first.chat.entries.read(lobby, { limit: 99 })).map(({ id }) => id)
    const counts = new Map(ids.map((id) => [id, 3]))
    await everywhere(({ prompts }, n) =>
      prompts.history.saveCounts('o200k_base', new Map(n % 2 ? counts : [...counts].toReversed())),
    )
    const query = { encoding: 'o200k_base', maxRows: 99, maxTokens: 1e6 } as const
    const rows = await first.prompts.history.newest(lobby, query)
    expect(rows.map(({ tokens }) => tokens)).toEqual(ids.map(() => 3))
  })
})
