import { describe, expect, test } from 'vitest'
import { createCluster } from '../support/cluster.ts'
import { oneTurnAtOnce, toldTurns } from '../support/cluster-turns.ts'
import { fallsSilent, hang, says, startModelServer } from '../support/model-server.ts'
import { lacks } from '../support/needs.ts'
import { createEmulator } from '../support/terminal.ts'

/** A busy machine takes long. */
const PATIENCE = { timeout: 20_000 }

describe.skipIf(lacks('postgres'))('turns of several servers', () => {
  test('wait for each other, are seen everywhere and stopped from anywhere', async () => {
    await using models = await startModelServer()
    await using cluster = await createCluster({ servers: 2, config: oneTurnAtOnce(models) })
    await using alice = await cluster.inLobby(0, 'alice')
    await using bob = await cluster.inLobby(1, 'bob')
    models.play(hang(), says('now', ' me'))
    alice.write('@qwen hello\n')
    await models.arrived(1)
    await bob.waitFor('-- qwen is thinking')
    await alice.waitFor('-- qwen is thinking')
    expect(alice.output() + bob.output(), 'nothing was there to wait for').not.toContain('qwen waits')
    bob.write('@qwen and me\n')
    await alice.waitFor('-- qwen waits')
    const carol = await cluster.as(0, 'carol', ['ask', 'lobby', '@qwen', 'me'])
    expect(carol.stderr).toContain('1 model is at work here and 1 waits')
    const others = await cluster.as(1, 'carol', ['stop', 'lobby'])
    expect(others.stderr).toContain('nothing that you could stop')
    const { exitCode } = await cluster.as(1, 'alice', ['stop', 'lobby', '@qwen'])
    expect(exitCode).toBe(0)
    await alice.waitFor('alice stopped @qwen')
    await bob.waitFor('now me')
    await alice.waitFor('now me')
    expect(models.requests).toHaveLength(2)
    await expect
      .poll(() => toldTurns(cluster), PATIENCE)
      .toEqual([
        { outcome: 'stopped', ends: 1 },
        { outcome: 'done', ends: 1 },
      ])
  })

  test('are cut off once when their server is killed, and the next that waits begins', async () => {
    await using models = await startModelServer()
    await using cluster = await createCluster({ servers: 2, config: oneTurnAtOnce(models) })
    await using alice = await cluster.inLobby(0, 'alice')
    await using bob = await cluster.inLobby(1, 'bob')
    await using carol = await cluster.open(1, 'carol', '-tt')
    await bob.waitFor('carol joined')
    const screenOfCarol = async (): Promise<string> => {
      const screen = createEmulator(80, 24)
      await screen.write(carol.output())
      return screen.screen().join('\n')
    }
    models.play(fallsSilent('half', ' of'), says('all', ' of', ' it'))
    alice.write('@qwen hello\n')
    // What is being written is drawn on the other server's screens, too.
    await expect.poll(screenOfCarol, PATIENCE).toContain('qwen: half of')
    bob.write('@qwen and me\n')
    await alice.waitFor('@qwen and me')
    await cluster.servers[0]!.stop('SIGKILL')
    await bob.waitFor("@qwen's answer to alice was cut off")
    await bob.waitFor('all of it')
    await expect.poll(screenOfCarol, PATIENCE).toContain('qwen: all of it')
    expect(await screenOfCarol()).not.toContain('half of')
    await expect
      .poll(() => toldTurns(cluster), PATIENCE)
      .toEqual([
        { outcome: 'cut', ends: 1 },
        { outcome: 'done', ends: 1 },
      ])
  })
})
