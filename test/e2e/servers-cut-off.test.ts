import { describe, expect, test } from 'vitest'
import { createCluster } from '../support/cluster.ts'
import { oneTurnAtOnce, toldTurns } from '../support/cluster-turns.ts'
import { startCutProxy } from '../support/cut-proxy.ts'
import { fallsSilent, says, startModelServer } from '../support/model-server.ts'
import { lacks } from '../support/needs.ts'

const CUT = "@qwen's answer to alice was cut off"

/** A busy machine takes long. */
const PATIENCE = { timeout: 20_000 }

describe.skipIf(lacks('postgres'))('turns of a server', () => {
  test('end there while it is cut off from the database, and it goes on when it is back', async () => {
    await using proxy = await startCutProxy()
    await using models = await startModelServer()
    await using cluster = await createCluster({
      servers: 2,
      config: oneTurnAtOnce(models),
      env(at, url) {
        if (at > 0) return { DATABASE: url }
        proxy.to = Number(new URL(url).port)
        return { DATABASE: url.replace(`:${proxy.to}/`, `:${proxy.port}/`) }
      },
    })
    await using alice = await cluster.inLobby(0, 'alice')
    await using bob = await cluster.inLobby(1, 'bob')
    models.play(fallsSilent('half', ' of'), says('again', ' there'))
    alice.write('@qwen hello\n')
    await models.arrived(1)
    proxy.cut()
    await bob.waitFor(CUT)
    await models.abandoned()
    proxy.heal()
    await alice.waitFor(CUT)
    await bob.waitFor(/alice left[^]*alice joined/)
    alice.write('@qwen are you there\n')
    await alice.waitFor('again there')
    await bob.waitFor('again there')
    await expect
      .poll(() => toldTurns(cluster), PATIENCE)
      .toEqual([
        { outcome: 'cut', ends: 1 },
        { outcome: 'done', ends: 1 },
      ])
  })
})
