import { describe } from 'vitest'
import { openStorage } from '../../src/storage/open.ts'
import { createLocalPeers } from '../../src/chat/local-peers.ts'
import { createCluster } from '../../src/cluster/cluster.ts'
import { handClock, memoryLog } from '../support/chat-parts.ts'
import { DEAF_WIRE } from '../support/deaf-wire.ts'
import { lacks } from '../support/needs.ts'
import { createMigrated, postgresOptions } from '../support/postgres/databases.ts'
import { room } from '../support/storage.ts'
import { peersExam } from './peers-exam.ts'

peersExam('of a server that has its database alone', async () => ({
  peers: createLocalPeers(),
  async [Symbol.asyncDispose]() {},
}))

describe.skipIf(lacks('postgres'))('with PostgreSQL', () => {
  peersExam('of one of several servers', async () => {
    const database = await createMigrated()
    const storage = await openStorage(postgresOptions(database))
    await storage.chat.rooms.create(room('lobby', {}))
    await storage.chat.rooms.create(room('den', {}))
    const peers = createCluster({
      stores: storage.cluster!,
      wire: DEAF_WIRE,
      entries: storage.chat.entries,
      facts: async () => ({ name: 'here:22', version: '1', config: '' }),
      clock: handClock(),
      log: memoryLog(),
    })
    await peers.begin({ onPresenceStored: async () => {}, onExpired: async () => {}, onDifference() {} })
    return {
      peers,
      async [Symbol.asyncDispose]() {
        await peers[Symbol.asyncDispose]()
        await storage[Symbol.asyncDispose]()
        await database[Symbol.asyncDispose]()
      },
    }
  })
})
