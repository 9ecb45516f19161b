import { describe, expect, test } from 'vitest'
import { createDeferred } from '../../src/lib/jobs/waiting.ts'
import { createCluster } from '../support/cluster.ts'
import { oneTurnAtOnce, toldTurns } from '../support/cluster-turns.ts'
import { says, startModelServer } from '../support/model-server.ts'
import { lacks } from '../support/needs.ts'

const CUT = "@qwen's answer to alice was cut off"

/** A busy machine takes long. */
const PATIENCE = { timeout: 20_000 }

describe.skipIf(lacks('postgres'))('turns of a server that is silent', () => {
  test('have one end, though a server that stood still goes on with one that another has ended', async () => {
    await using models = await startModelServer()
    await using cluster = await createCluster({ servers: 2, config: oneTurnAtOnce(models) })
    await using alice = await cluster.inLobby(0, 'alice')
    await using bob = await cluster.inLobby(1, 'bob')
    const isCut = createDeferred<void>()
    models.play(
      async (response, request) => {
        await isCut.promise
        await says('too', ' late')(response, request)
      },
      says('again', ' there'),
    )
    alice.write('@qwen hello\n')
    await models.arrived(1)
    const { process } = cluster.servers[0]!
    // That somebody has gone is told first as it wakes up.
    await cluster.as(0, 'dave', ['whoami'])
    process.kill('SIGSTOP')
    await bob.waitFor(CUT)
    isCut.resolve()
    process.kill('SIGCONT')
    // Whoever comes in as it wakes up is told of once the others know the server again.
    await using carol = await cluster.open(0, 'carol', '-T')
    await alice.waitFor(CUT)
    // Its place is free, and the server is one of them again.
    await bob.waitFor(/alice left[^]*alice joined/)
    alice.write('@qwen are you there\n')
    await alice.waitFor('again there')
    await bob.waitFor('again there')
    expect(bob.output()).not.toContain('too late')
    await carol.waitFor('-- lobby')
    await bob.waitFor('carol joined')
    expect(cluster.servers[0]!.stderr()).not.toContain('foreign key')
    await expect
      .poll(() => toldTurns(cluster), PATIENCE)
      .toEqual([
        { outcome: 'cut', ends: 1 },
        { outcome: 'done', ends: 1 },
      ])
  })
})
