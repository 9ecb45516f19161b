import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { askForReload } from '../../src/app/reload-socket.ts'
import { createCluster } from '../support/cluster.ts'
import { lacks } from '../support/needs.ts'
import { startServer } from '../support/server.ts'

test.skipIf(lacks('postgres'))(
  'a data directory is one server’s, and of one that was killed nothing hinders the next',
  async () => {
    await using cluster = await createCluster({ servers: 1 })
    const [first] = cluster.servers
    const { dataDir } = first!
    const config = await readFile(`${dataDir}.toml`, 'utf8')
    const second = startServer({ dataDir, config, env: { DATABASE: cluster.database.url } })
    await expect(second).rejects.toThrow(
      `another sshawl is using ${dataDir}; stop that one, or give this one another directory with --data`,
    )
    expect((await askForReload(dataDir)).problems).toEqual([])
    expect((await cluster.as(0, 'alice', ['whoami'])).exitCode).toBe(0)
    for (const how of ['SIGKILL', 'SIGTERM', 'SIGKILL'] as const) await cluster.restart(0, how)
    expect((await askForReload(dataDir)).problems).toEqual([])
  },
)
