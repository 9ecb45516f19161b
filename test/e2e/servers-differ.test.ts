import { hostname } from 'node:os'
import { expect, test, vi } from 'vitest'
import { createCluster, type ClusterStage } from '../support/cluster.ts'
import { lacks } from '../support/needs.ts'

const PATIENCE = { timeout: 20_000, interval: 100 }

const LIMITS = '[limits]\naddress_burst = 1000000\nrate_burst = 1000\n'

const sentence = (stage: ClusterStage, other: number): string =>
  `the server ${hostname()} (127.0.0.1:${stage.servers[other]!.port}) runs another version or config`

/** Waits until an admin who logs in is told it: a server that has just begun may not have looked at the others. */
async function greeted(stage: ClusterStage, at: number, difference: string): Promise<void> {
  await vi.waitFor(async () => {
    await using rhea = await stage.inLobby(at, 'rhea')
    expect(await rhea.waitFor('type to speak')).toContain(`-- ${difference}`)
  }, PATIENCE)
}

test.skipIf(lacks('postgres'))(
  'admins who log in are told which server has another config, at each server, as long as it is so',
  async () => {
    await using stage = await createCluster({
      servers: 2,
      config: LIMITS,
      own: (at) => (at === 1 ? 'turns_per_room = 3\n' : ''),
    })
    const logged = (at: number): string => stage.servers[at]!.stderr()
    for (const at of [0, 1])
      await vi.waitFor(() => expect(logged(at)).toContain('runs another version or config'), PATIENCE)
    await stage.done(0, 'rhea', `claim ${stage.servers[0]!.claimCode}`)
    for (const at of [0, 1]) {
      await greeted(stage, at, sentence(stage, 1 - at))
      await using bob = await stage.inLobby(at, 'bob')
      await bob.waitFor('type to speak')
      expect(bob.output()).not.toContain('the server')
    }
    for (const at of [0, 1]) expect(logged(at).match(/runs another version or config/g)).toHaveLength(1)
  },
)
