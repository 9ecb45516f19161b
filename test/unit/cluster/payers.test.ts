import { expect, test } from 'vitest'
import { createByteQuota } from '../../../src/chat/limits/byte-quota.ts'
import { createPace } from '../../../src/chat/limits/pace.ts'
import type { Person, PersonId } from '../../../src/chat/people/person.ts'
import { StorageError } from '../../../src/chat/errors.ts'
import { createSharedPayers, type SharedPayers } from '../../../src/cluster/payers.ts'
import type { PayerCount, PayerRow } from '../../../src/cluster/ports.ts'
import type { ServerId } from '../../../src/cluster/server-id.ts'
import { handClock, memoryLog } from '../../support/chat-parts.ts'

const bob: Pick<Person, 'id' | 'login'> = { id: 'bob' as PersonId }

/** Servers over one table, each with a clock that a test moves; news are told when it asks for them. */
function createServers() {
  const rows = new Map<string, PayerRow>()
  const listeners = new Map<ServerId, (keys: readonly string[]) => Promise<void>>()
  const clock = handClock()
  let trouble: StorageError['reason'] | undefined
  let doubts = 0
  const log = memoryLog()
  const putAll = (server: ServerId, counts: readonly PayerCount[]): void => {
    for (const { payer, connections } of counts)
      rows.set(`${server} ${payer}`, { payer, server, connections })
  }
  const server = (id: string): SharedPayers => {
    const self = id as ServerId
    return createSharedPayers(
      {
        async put(counts) {
          if (trouble) throw new StorageError(trouble, 'down')
          putAll(self, counts)
        },
        async take(payers, choose) {
          if (trouble) throw new StorageError(trouble, 'down')
          const sums = new Map<string, number>()
          for (const { payer, server, connections } of rows.values())
            if (server !== self && payers.includes(payer))
              sums.set(payer, (sums.get(payer) ?? 0) + connections)
          putAll(self, choose(sums))
        },
        elsewhere: async (payers) =>
          [...rows.values()].filter((row) => row.server !== self && (payers?.includes(row.payer) ?? true)),
      },
      {
        on: (_topic, again) => void listeners.set(self, again as (keys: readonly string[]) => Promise<void>),
      },
      { clock, log, takenForDead: () => doubts++ },
    )
  }
  return {
    clock,
    server,
    log,
    doubts: () => doubts,
    down: (why: StorageError['reason'] | undefined) => void (trouble = why),
    connections: (id: string): number => rows.get(`${id} person bob`)?.connections ?? 0,
    bury: (id: string) => rows.forEach((row, key) => row.server === id && rows.delete(key)),
    /** What was done is stored and known to all, as news of several at once are. */
    async settle(ms = 250) {
      clock.advance(ms)
      await new Promise((resolve) => setImmediate(resolve))
      for (const again of listeners.values()) await again(['person nobody\nperson bob'])
    },
  }
}

test('who is connected elsewhere is known, and that they were there within a day', async () => {
  const servers = createServers()
  const [a, b] = [servers.server('a'), servers.server('b')]
  const [leave, leaveToo] = [a.begin(bob), a.begin(bob)]
  await servers.settle()
  expect([b.servers('person bob', 'now'), servers.connections('a')]).toEqual([2, 2])
  expect(a.servers('person bob', 'now')).toBe(1)
  leave()
  leave()
  await servers.settle()
  expect(servers.connections('a')).toBe(1)
  leaveToo()
  await servers.settle()
  expect([b.servers('person bob', 'now'), b.servers('person bob', 'today')]).toEqual([1, 2])
  servers.bury('a')
  await servers.settle()
  expect(b.servers('person bob', 'today')).toBe(1)
})

test('what could not be told is told later, and once more where others took the server for dead', async () => {
  const servers = createServers()
  const [a, b] = [servers.server('a'), servers.server('b')]
  servers.down('away')
  a.begin(bob)
  await servers.settle()
  servers.down(undefined)
  await servers.settle(250)
  expect(b.servers('person bob', 'now')).toBe(1)
  await servers.settle(5_000)
  expect(b.servers('person bob', 'now')).toBe(2)
  servers.bury('a')
  a.tellAgain()
  await servers.settle()
  expect(b.servers('person bob', 'now')).toBe(2)
})

test('of many who come at once, on two servers, as many get in as the limit says', async () => {
  const servers = createServers()
  const [a, b] = [servers.server('a'), servers.server('b')]
  const asking = Promise.all([a, b, a, b, a, b].map((one) => one.beginWithin(bob, 3)))
  await servers.settle(0)
  await servers.settle(500)
  const asked = await asking
  const given = asked.flatMap((end) => end ?? [])
  expect(given).toHaveLength(3)
  expect([servers.connections('a'), servers.connections('b')].toSorted((x, y) => x - y)).toEqual([0, 3])
  for (const end of [...given, ...given]) end()
  await servers.settle()
  expect([servers.connections('a'), servers.connections('b')]).toEqual([0, 0])
  expect(await b.beginWithin(bob, 1)).toBeDefined()
  const refused = a.beginWithin(bob, 1)
  await servers.settle(0)
  await servers.settle(500)
  expect(await refused).toBeUndefined()
})

test('a connection that ended does not count for the next one elsewhere, and who is too many waits half a second', async () => {
  const servers = createServers()
  const [a, b] = [servers.server('a'), servers.server('b')]
  const end = await a.beginWithin(bob, 1)
  end?.()
  await servers.settle(0)
  const endToo = await b.beginWithin(bob, 1)
  expect(endToo).toBeDefined()
  const waiting = a.beginWithin(bob, 1)
  await servers.settle(0)
  endToo?.()
  await servers.settle(500)
  expect(await waiting).toBeDefined()
  expect(await a.beginWithin(bob, 1)).toBeUndefined()
})

test('while nothing can be stored, what was last known of the others counts', async () => {
  const servers = createServers()
  const [a, b] = [servers.server('a'), servers.server('b')]
  await a.beginWithin(bob, 3)
  await servers.settle()
  servers.down('away')
  expect(await b.beginWithin(bob, 2)).toBeDefined()
  const refused = b.beginWithin(bob, 2)
  await servers.settle(0)
  await servers.settle(500)
  expect(await refused).toBeUndefined()
  servers.down(undefined)
  await servers.settle(5_000)
  expect(servers.connections('b')).toBe(1)
})

test('a server that was taken for dead looks at its lease, and says nothing of it', async () => {
  const servers = createServers()
  const a = servers.server('a')
  servers.down('taken-for-dead')
  a.begin(bob)
  await servers.settle()
  expect(await a.beginWithin(bob, 3)).toBeDefined()
  expect(servers.doubts()).toBe(2)
  expect(servers.log.lines).toEqual([])
})

test('on two servers, each gives half of a pace and of the bytes of a day', async () => {
  const servers = createServers()
  const [a, b] = [servers.server('a'), servers.server('b')]
  const { clock } = servers
  const wait = (): Promise<never> => Promise.reject(new Error('too fast'))
  const limits = { rate_burst: 8, rate_per_s: 4, bytes_per_person_day: 1_000 }
  const here = new AbortController().signal
  const paces = [a, b].map((onServers) => createPace({ limits, clock, wait, onServers }))
  const quotas = [a, b].map((onServers) => createByteQuota(limits, clock, onServers))
  a.begin(bob)
  b.begin(bob)
  await servers.settle()
  for (const pace of paces) {
    for (let line = 0; line < 4; line++) await pace.next(bob, here)
    await expect(pace.next(bob, here)).rejects.toThrow('too fast')
  }
  for (const quota of quotas) {
    quota.take(bob, 500)
    expect(() => quota.take(bob, 1)).toThrow('bytes_per_person_day')
  }
})
