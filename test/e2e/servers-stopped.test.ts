import { describe, expect, test } from 'vitest'
import { createCluster } from '../support/cluster.ts'
import { oneTurnAtOnce, unfinished } from '../support/cluster-turns.ts'
import { hang, startModelServer } from '../support/model-server.ts'
import { lacks } from '../support/needs.ts'

/** A busy machine takes long. */
const PATIENCE = { timeout: 20_000 }

describe.skipIf(lacks('postgres'))('what works on one server and is stopped through another', () => {
  test('turns end where somebody is banned on another server, also those that begin just then', async () => {
    await using models = await startModelServer()
    await using cluster = await createCluster({ servers: 2, config: oneTurnAtOnce(models) })
    await cluster.as(0, 'rhea', ['claim', cluster.servers[0]!.claimCode!])
    await using rhea = await cluster.open(0, 'rhea', '-T')
    await rhea.waitFor('-- lobby')
    for (let round = 0; round < 4; round++) {
      await using mallory = await cluster.open(1, 'mallory', '-T')
      await mallory.waitFor('-- lobby')
      models.play(hang())
      mallory.write('@qwen hello\n')
      if (round === 0) await models.arrived(1)
      const from = rhea.output().length
      await cluster.as(0, 'rhea', ['ban', 'mallory'])
      expect(await mallory.exit).toBe(1)
      // Nothing is at work any more for somebody who is out.
      await expect.poll(() => unfinished(cluster), PATIENCE).toBe(0)
      if (round === 0) await rhea.waitFor('@qwen was stopped: mallory was banned', from)
      await cluster.as(0, 'rhea', ['unban', 'mallory'])
      await expect.poll(async () => (await cluster.as(1, 'mallory', ['whoami'])).exitCode, PATIENCE).toBe(0)
    }
  })

  test('a tool that somebody runs is stopped from another server', async () => {
    await using cluster = await createCluster({ servers: 2 })
    await using alice = await cluster.open(0, 'alice', '-T')
    await alice.waitFor('-- lobby')
    await using bob = await cluster.open(1, 'bob', '-T')
    await bob.waitFor('-- lobby')
    alice.write('/run run_command {"command":"sleep 600"}\n')
    await bob.waitFor('question 1: may alice use run_command')
    expect((await cluster.as(1, 'alice', ['allow', 'lobby', '1'])).exitCode).toBe(0)
    await bob.waitFor('allowed')
    const others = await cluster.as(1, 'bob', ['stop', 'lobby'])
    expect(others.stderr).toContain('nothing that you could stop')
    expect(await cluster.as(1, 'alice', ['stop', 'lobby'])).toMatchObject({ exitCode: 0, stderr: '' })
    for (const session of [alice, bob]) await session.waitFor('alice stopped it')
    await expect.poll(() => cluster.database.send('SELECT id FROM work'), PATIENCE).toEqual([])
  })
})
