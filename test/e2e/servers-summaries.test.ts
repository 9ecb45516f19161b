import { describe, expect, test } from 'vitest'
import { createCluster, type ClusterStage } from '../support/cluster.ts'
import {
  hang,
  says,
  startModelServer,
  type ModelServer,
  type RecordedRequest,
} from '../support/model-server.ts'
import { lacks } from '../support/needs.ts'

/** A busy machine takes long. */
const PATIENCE = { timeout: 20_000 }

const configFor = ({ endpoint }: ModelServer): string => `
[limits]
address_burst = 1000000
rate_burst = 1000
[[models]]
name = "memo"
backend = "openai-compatible"
endpoint = "${endpoint}/v1"
model = "summarizer"
encoding = "r50k_base"
context_window = 16000
max_output = 1000
`

interface Shown {
  readonly summary: { readonly text: string } | null
  readonly working: boolean
}

async function shownOn(cluster: ClusterStage, at: number): Promise<Shown> {
  const { stdout } = await cluster.as(at, 'rhea', ['summary', '--json', 'den'])
  return JSON.parse(stdout) as Shown
}

const textOf = ({ body }: RecordedRequest): string => JSON.stringify(body.messages)

describe.skipIf(lacks('postgres'))('the summary of a room of two servers', () => {
  test('is made by one at a time, is known on both, and made anew by the other once that is asked there', async () => {
    await using models = await startModelServer()
    await using cluster = await createCluster({ servers: 2, config: configFor(models) })
    const done = async (at: number, ...words: string[]): Promise<void> => {
      const { exitCode, stderr } = await cluster.as(at, 'rhea', words)
      expect({ words, exitCode, stderr }).toEqual({ words, exitCode: 0, stderr: '' })
    }
    await done(0, 'create', 'den')
    await done(0, 'kv', 'den', 'summarizer', 'memo')
    await done(0, 'say', 'den', 'the vault opens with heron-17')
    models.play(hang(), says('Known:', ' heron-17'))
    models.always(says('Known: all of it'))
    await done(0, 'summary', 'den', 'new')
    await models.arrived(1)
    await expect.poll(async () => (await shownOn(cluster, 1)).working, PATIENCE).toBe(true)
    // Enough for the other one to look at the room as well.
    const lines = Array.from({ length: 25 }, (_, n) => `line ${n}`).join('\n')
    await using rhea = await cluster.open(1, 'rhea', '-T')
    rhea.write(`/join den\n${lines}\n`)
    await rhea.waitFor('rhea: line 24')
    expect(models.requests).toHaveLength(1)

    await done(1, 'summary', 'den', 'new')
    await models.abandoned()
    for (const at of [0, 1])
      await expect
        .poll(() => shownOn(cluster, at), PATIENCE)
        .toMatchObject({
          summary: { text: expect.stringContaining('Known:') as string },
          working: false,
        })
    const [first, ...others] = models.requests.map(textOf)
    expect(first).toContain('heron-17')
    expect(
      others.filter((text) => text.includes('line 3')),
      'nothing is summed up twice',
    ).toHaveLength(1)
  })
})
