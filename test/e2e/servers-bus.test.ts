import { describe, expect, test } from 'vitest'
import { createCluster } from '../support/cluster.ts'
import { startNats } from '../support/nats.ts'
import { lacks } from '../support/needs.ts'
import { operator } from '../support/operator.ts'

const CONFIG = '[limits]\naddress_burst = 1000000\n[bus]\nurl_env = "BUS"\n'

describe.skipIf(lacks('postgres') || lacks('nats'))('a server that NATS does not let in', () => {
  test('starts, and says so to its admins; check says so before, and neither shows the password', async () => {
    await using nats = await startNats(['--user', 'u', '--pass', 'tops3cret'])
    const env = (database: string, pass: string) => ({
      DATABASE: database,
      BUS: nats.url.replace('//', `//u:${pass}@`),
    })
    await using cluster = await createCluster({
      servers: 1,
      config: CONFIG,
      env: (_, database) => env(database, 'wr0ng'),
    })
    const [server] = cluster.servers
    await cluster.done(0, 'rhea', `claim ${server!.claimCode}`)
    await using rhea = await cluster.inLobby(0, 'rhea')
    await rhea.waitFor('-- the bus between the servers is away')
    await using bob = await cluster.inLobby(0, 'bob')
    await bob.waitFor('type to speak')
    expect(bob.output()).not.toContain('the bus')
    expect(server!.stderr()).toContain('the bus is away')

    const words = ['check', '--data', server!.dataDir, '--config', `${server!.dataDir}.toml`]
    const wrong = await operator(words, env(cluster.database.url, 'wr0ng'))
    expect(wrong.stdout).toMatch(
      /^warning: bus: NATS cannot be used: .*uthorization.*; a server starts without it/m,
    )
    expect(wrong).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('no problems') })
    const right = await operator(words, env(cluster.database.url, 'tops3cret'))
    expect(right.stdout).not.toContain('bus')
    await nats.kill()
    const away = await operator(words, env(cluster.database.url, 'tops3cret'))
    expect(away.stdout).toMatch(/^warning: bus: NATS cannot be used: /m)
    const shown = [server!.stderr(), wrong.stdout, wrong.stderr, away.stdout, away.stderr].join('\n')
    expect(shown).not.toMatch(/wr0ng|tops3cret/)
  })
})

describe.skipIf(lacks('postgres') || lacks('nats'))('servers of which only one has the bus', () => {
  test('tell it to admins who are at the other one, which hears nothing by that bus', async () => {
    await using nats = await startNats()
    await using stage = await createCluster({
      servers: 1,
      config: '[limits]\naddress_burst = 1000000\n',
      own: (at) => (at === 1 ? '[bus]\nurl_env = "BUS"\n' : ''),
      env: () => ({ BUS: nats.url }),
    })
    await stage.done(0, 'rhea', `claim ${stage.servers[0]!.claimCode}`)
    await using rhea = await stage.inLobby(0, 'rhea')
    await stage.start(1)
    await rhea.waitFor(/the server \S+ \(\S+\) runs another version or config/)
    await using other = await stage.inLobby(1, 'rhea')
    await other.waitFor(/the server \S+ \(\S+\) runs another version or config/)
  })
})
