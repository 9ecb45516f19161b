import { expect, test } from 'vitest'
import { clockFact, createDifferences } from '../../../src/cluster/differences.ts'
import type { ServerRecord } from '../../../src/cluster/ports.ts'
import type { ServerId } from '../../../src/cluster/server-id.ts'
import { memoryLog } from '../../support/chat-parts.ts'

const server = (name: string, facts: Partial<ServerRecord> = {}): ServerRecord => ({
  id: `sshawl ${name}` as ServerId,
  name: `${name} (0.0.0.0:22)`,
  version: '1.0.0',
  shared: { 'host keys': 'x', 'weather.tool': 'y' },
  ...facts,
})

/** The first of these servers, what it told and logged so far, and the rows of all, which can be changed. */
function differing(...rows: readonly ServerRecord[]) {
  const told: string[] = []
  const log = memoryLog()
  const world = { rows: [...rows] }
  const differences = createDifferences({
    server: rows[0]!.id,
    servers: { alive: async () => world.rows },
    tell: (sentence) => void told.push(sentence),
    log,
  })
  return { world, told, log, differences }
}

test('servers that are alike have nothing to tell', async () => {
  const { told, differences } = differing(server('a'), server('b'))
  await differences.look()
  expect(told).toEqual([])
  expect(differences.now()).toEqual([])
})

test('what differs is named, also what only one of them has', async () => {
  const other = server('b', {
    version: '1.1.0',
    shared: { 'host keys': 'x', 'weather.tool': 'z', 'more.tool': 'w' },
  })
  const { told, differences } = differing(server('a'), other)
  await differences.look()
  expect(told).toEqual([
    'the server a (0.0.0.0:22) is not as the server b (0.0.0.0:22) with the same rooms: it runs 1.0.0, and that one 1.1.0; they differ in more.tool, weather.tool',
  ])
  expect(differences.now()).toEqual(told)
})

test('a difference is told once as long as it lasts, whatever the other server is called, and its end is logged', async () => {
  const other = server('b', { shared: {} })
  const { world, told, log, differences } = differing(server('a'), server('c'), other)
  await differences.look()
  world.rows[2] = { ...other, name: 'b (10.0.0.2:22)' }
  await Promise.all([differences.look(), differences.look()])
  expect(told).toHaveLength(1)
  expect(differences.now()[0]).toContain('b (10.0.0.2:22)')
  world.rows.pop()
  await differences.look()
  expect(differences.now()).toEqual([])
  world.rows.push(other)
  await differences.look()
  expect(told).toHaveLength(2)
  expect(log.lines).toEqual([
    'servers of one database differ',
    'a difference between servers is over',
    'servers of one database differ',
  ])
})

test('a wrong clock is told as such, of any server, also of all', async () => {
  const { told, differences } = differing(
    server('a', { shared: clockFact(3_600_000) }),
    server('b', { shared: clockFact(-6_000) }),
    server('c', { shared: clockFact(0) }),
  )
  await differences.look()
  expect(told).toEqual([
    "the clock of the server a (0.0.0.0:22) is 3600 s ahead of the database's, which it goes by; put it right",
    "the clock of the server b (0.0.0.0:22) is 6 s behind the database's, which it goes by; put it right",
  ])
})
