import { hostname } from 'node:os'
import { appendFile } from 'node:fs/promises'
import { describe, expect, test, vi } from 'vitest'
import { createCluster, type ClusterStage } from '../support/cluster.ts'
import { lacks } from '../support/needs.ts'

const PATIENCE = { timeout: 20_000, interval: 100 }

const LIMITS = '[limits]\naddress_burst = 1000000\nrate_burst = 1000\n'

/** The first server says of itself that it is not as the second, and the other way round. */
const sentence = (stage: ClusterStage, at: number, what: string): string => {
  const [own, other] = [at, 1 - at].map((n) => `${hostname()} (127.0.0.1:${stage.servers[n]!.port})`)
  return `the server ${own} is not as the server ${other} with the same rooms: they differ in ${what}`
}

/** Waits until an admin who logs in is told it: a server that has just begun may not have looked at the others. */
async function greeted(stage: ClusterStage, at: number, difference: string): Promise<void> {
  await vi.waitFor(async () => {
    await using rhea = await stage.inLobby(at, 'rhea')
    expect(await rhea.waitFor('type to speak')).toContain(`-- ${difference}`)
  }, PATIENCE)
}

describe.skipIf(lacks('postgres'))('how servers differ', () => {
  test('is told to admins who log in later, at each, as long as it is so; the log has its end', async () => {
    await using stage = await createCluster({
      servers: 2,
      config: LIMITS,
      own: (at) => (at === 1 ? 'turns_per_room = 3\n' : ''),
    })
    const logged = (at: number): string => stage.servers[at]!.stderr()
    for (const at of [0, 1])
      await vi.waitFor(() => expect(logged(at)).toContain('servers of one database differ'), PATIENCE)
    await stage.done(0, 'rhea', `claim ${stage.servers[0]!.claimCode}`)
    for (const at of [0, 1]) {
      await greeted(stage, at, sentence(stage, at, '[limits] of the config'))
      await using bob = await stage.inLobby(at, 'bob')
      await bob.waitFor('type to speak')
      expect(bob.output()).not.toContain('the server')
    }

    await appendFile(`${stage.servers[0]!.dataDir}.toml`, 'turns_per_room = 3\n')
    stage.servers[0]!.process.kill('SIGHUP')
    for (const at of [0, 1])
      await vi.waitFor(() => expect(logged(at)).toMatch(/they differ in \[limits\].*is over/), PATIENCE)
    for (const at of [0, 1]) {
      await using rhea = await stage.inLobby(at, 'rhea')
      await rhea.waitFor('type to speak')
      expect(rhea.output()).not.toContain('[limits]')
      expect(logged(at).match(/they differ in \[limits\].*servers of one database differ/g)).toHaveLength(1)
    }
  })
})
