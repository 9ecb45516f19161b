import { expect, test } from 'vitest'
import { Differences } from '../../../src/cluster/cluster.ts'
import type { ServerId, ServerRecord } from '../../../src/cluster/stores.ts'

const server = (name: string, facts: Partial<ServerRecord> = {}): ServerRecord => ({
  id: `sshawl ${name}` as ServerId,
  name: `${name} (0.0.0.0:22)`,
  version: '1.0.0',
  config: 'x',
  ...facts,
})

test('a server is reported once as long as its version or config differs', async () => {
  const told: string[] = []
  const rows = [server('a'), server('b'), server('c', { version: '1.1.0' }), server('d', { config: 'y' })]
  const servers = { alive: async () => rows }
  const differences = new Differences(
    { server: rows[0]!.id, servers },
    (sentence) => void told.push(sentence),
  )
  await Promise.all([differences.look(), differences.look()])
  const sentences = ['c', 'd'].map((name) => `the server ${name} (0.0.0.0:22) runs another version or config`)
  expect(told).toEqual(sentences)
  expect(differences.now()).toEqual(sentences)
  rows.splice(2, 2)
  await differences.look()
  expect([differences.now(), told.length]).toEqual([[], 2])
})
