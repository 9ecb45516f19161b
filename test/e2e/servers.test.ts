import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { createCluster } from '../support/cluster.ts'
import { lacks } from '../support/needs.ts'

describe.skipIf(lacks('postgres'))('several servers on one database', () => {
  test('a line said on one is heard on all, in one order, and people are in a room wherever they are', async () => {
    await using cluster = await createCluster({ servers: 2 })
    await using alice = await cluster.inLobby(0, 'alice')
    await using bob = await cluster.inLobby(1, 'bob')
    await alice.waitFor('bob joined')
    for (let n = 0; n < 20; n++) {
      alice.write(`from alice ${n}\n`)
      bob.write(`from bob ${n}\n`)
    }
    await bob.waitFor('from alice 19')
    await alice.waitFor('from bob 19')
    const said = (text: string): readonly string[] => text.match(/from \w+ \d+/g) ?? []
    await bob.waitFor('from bob 19')
    await alice.waitFor('from alice 19')
    expect(said(alice.output())).toEqual(said(bob.output()))
    expect(said(alice.output())).toHaveLength(40)
    const { stdout } = await cluster.as(0, 'alice', ['who', 'lobby'])
    expect(stdout).toContain('bob')
  })

  test('whoever was on a server that died has left, once', async () => {
    await using cluster = await createCluster({ servers: 2 })
    await using alice = await cluster.inLobby(0, 'alice')
    await using _bob = await cluster.inLobby(1, 'bob')
    await alice.waitFor('bob joined')
    await cluster.servers[1]?.stop('SIGKILL')
    await alice.waitFor('bob left')
    // By the name of its machine: several may listen at one address.
    expect(cluster.servers[0]?.stderr()).toContain(`"servers":["${hostname()} (127.0.0.1:`)
    expect((await cluster.as(0, 'alice', ['who', 'lobby'])).stdout).not.toContain('bob')
    await cluster.start(1)
    await using _again = await cluster.inLobby(1, 'bob')
    await alice.waitFor(/bob left[^]*bob joined/)
    expect(alice.output().match(/bob left/g)).toHaveLength(1)
  })
  test('admins are told how a server differs from the others', async () => {
    await using cluster = await createCluster({
      servers: 1,
      own: (at) => (at === 0 ? '' : 'turns_per_room = 3\n'),
    })
    await cluster.as(0, 'alice', ['claim', cluster.servers[0]?.claimCode ?? ''])
    await using alice = await cluster.inLobby(0, 'alice')
    await cluster.start(1)
    await alice.waitFor(/the server .* runs another version or config/)
  })
})
