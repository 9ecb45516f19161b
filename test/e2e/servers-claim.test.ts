import { expect, test } from 'vitest'
import { createCluster } from '../support/cluster.ts'
import { lacks } from '../support/needs.ts'

const SERVERS = [0, 1, 2]

test.skipIf(lacks('postgres'))(
  'the claim code is one for all servers: whichever takes it, it makes one admin',
  async () => {
    await using cluster = await createCluster({ servers: SERVERS.length })
    const codes = (): readonly (string | undefined)[] => cluster.servers.map(({ claimCode }) => claimCode)
    const code = cluster.servers[0]!.claimCode!
    expect(codes()).toEqual([code, code, code])
    await cluster.restart(1, 'SIGKILL')
    expect(codes()).toEqual([code, code, code])
    expect((await cluster.as(2, 'mallory', ['claim', 'WRNG-WRNG'])).exitCode).toBe(1)
    const claims = await Promise.all(SERVERS.map((at) => cluster.as(at, `rhea${at}`, ['claim', code])))
    expect(claims.map(({ exitCode }) => String(exitCode)).toSorted()).toEqual(['0', '1', '1'])
    expect(await cluster.database.send('SELECT count(*)::int AS admins FROM people WHERE admin = 1')).toEqual(
      [{ admins: 1 }],
    )
    await cluster.restart(2, 'SIGTERM')
    expect(cluster.servers[2]!.claimCode).toBeUndefined()
    expect((await cluster.as(2, 'mallory', ['claim', code])).exitCode).toBe(1)
    // Where nobody is admin any more, the old code is good for nothing.
    await cluster.database.send('UPDATE people SET admin = 0')
    await cluster.restart(0, 'SIGTERM')
    expect(cluster.servers[0]!.claimCode).not.toBe(code)
    expect((await cluster.as(0, 'rhea1', ['claim', code])).exitCode).toBe(1)
    expect((await cluster.as(0, 'rhea1', ['claim', cluster.servers[0]!.claimCode!])).exitCode).toBe(0)
  },
)
