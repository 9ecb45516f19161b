import { describe, expect, test } from 'vitest'
import { createDeferred } from '../../src/lib/deferred.ts'
import { createCluster, type ClusterStage } from '../support/cluster.ts'
import { fallsSilent, hang, says, startModelServer, type ModelServer } from '../support/model-server.ts'
import { lacks } from '../support/needs.ts'

const configFor = ({ endpoint }: ModelServer): string => `
[limits]
address_burst = 1000000
rate_burst = 1000
turns_per_room = 1
turns_queued = 1
[[models]]
name = "qwen"
backend = "openai-compatible"
endpoint = "${endpoint}/v1"
model = "test"
context_window = 8192
encoding = "r50k_base"
`

interface TurnRow {
  readonly outcome: string | null
  readonly ends: number
}

/** Each turn, and how many ends its room was told of. */
const turnsOf = async ({ database }: ClusterStage): Promise<readonly TurnRow[]> =>
  (await database.send(`
    SELECT outcome, (SELECT count(*)::int FROM entries WHERE data::json ->> 'turn' = turns.id
      AND (kind = 'notice' OR data::json ->> 'outcome' IS NOT NULL)) AS ends
    FROM turns ORDER BY started_at`)) as unknown as readonly TurnRow[]

/** The other servers take this one for dead at their next look. */
const age = async ({ database }: ClusterStage, port: number): Promise<void> =>
  void (await database.send(
    `UPDATE servers SET seen_at = seen_at - interval '1 minute' WHERE name LIKE '%:${port}'`,
  ))

describe.skipIf(lacks('postgres'))('turns of several servers', () => {
  test('wait for each other, are seen everywhere and stopped from anywhere', async () => {
    await using models = await startModelServer()
    await using cluster = await createCluster({ servers: 2, config: configFor(models) })
    await using alice = await cluster.open(0, 'alice', '-T')
    await alice.waitFor('-- lobby')
    await using bob = await cluster.open(1, 'bob', '-T')
    await bob.waitFor('-- lobby')
    models.play(hang(), says('now', ' me'))
    alice.write('@qwen hello\n')
    await models.arrived(1)
    await bob.waitFor('-- qwen is thinking')
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
      .poll(() => turnsOf(cluster))
      .toEqual([
        { outcome: 'stopped', ends: 1 },
        { outcome: 'done', ends: 1 },
      ])
  })

  test('are cut off once when their server is killed, and the next that waits begins', async () => {
    await using models = await startModelServer()
    await using cluster = await createCluster({ servers: 2, config: configFor(models) })
    await using alice = await cluster.open(0, 'alice', '-T')
    await alice.waitFor('-- lobby')
    await using bob = await cluster.open(1, 'bob', '-T')
    await bob.waitFor('-- lobby')
    models.play(fallsSilent('half', ' of'), says('all', ' of', ' it'))
    alice.write('@qwen hello\n')
    await models.arrived(1)
    bob.write('@qwen and me\n')
    await alice.waitFor('@qwen and me')
    const { port } = cluster.servers[0]!
    await cluster.servers[0]!.stop('SIGKILL')
    await age(cluster, port)
    await bob.waitFor("@qwen's answer to alice was cut off")
    await bob.waitFor('all of it')
    await expect
      .poll(() => turnsOf(cluster))
      .toEqual([
        { outcome: 'cut', ends: 1 },
        { outcome: 'done', ends: 1 },
      ])
  })

  test('have one end, though a server that stood still goes on with one that another has ended', async () => {
    await using models = await startModelServer()
    await using cluster = await createCluster({ servers: 2, config: configFor(models) })
    await using alice = await cluster.open(0, 'alice', '-T')
    await alice.waitFor('-- lobby')
    await using bob = await cluster.open(1, 'bob', '-T')
    await bob.waitFor('-- lobby')
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
    const { process, port } = cluster.servers[0]!
    process.kill('SIGSTOP')
    await age(cluster, port)
    await bob.waitFor("@qwen's answer to alice was cut off")
    isCut.resolve()
    process.kill('SIGCONT')
    await alice.waitFor("@qwen's answer to alice was cut off")
    // Its place is free, and the server is one of them again.
    alice.write('@qwen are you there\n')
    await alice.waitFor('again there')
    await bob.waitFor('again there')
    expect(bob.output()).not.toContain('too late')
    await expect
      .poll(() => turnsOf(cluster))
      .toEqual([
        { outcome: 'cut', ends: 1 },
        { outcome: 'done', ends: 1 },
      ])
  })
})
