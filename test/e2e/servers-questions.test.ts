import { describe, expect, test } from 'vitest'
import { createDeferred } from '../../src/lib/jobs/waiting.ts'
import { createCluster } from '../support/cluster.ts'
import { calls, says, startModelServer } from '../support/model-server.ts'
import { lacks } from '../support/needs.ts'
import type { SshSession } from '../support/ssh.ts'

const configFor = (endpoint: string): string => `
[limits]
drain_s = 60
address_burst = 1000000
rate_burst = 1000
approvals_per_person = 2
[[models]]
name = "qwen"
backend = "openai-compatible"
endpoint = "${endpoint}/v1"
model = "test"
context_window = 8192
encoding = "r50k_base"
`

/** The number of the newest question that a session was shown. */
async function questionNumber(session: SshSession, from = 0): Promise<string> {
  await session.waitFor(/question \d+: may [^]*\/deny \d+\n/, from)
  return /[^]*question (\d+): may/.exec(session.output())?.[1] ?? ''
}

const write = (path: string): string => `/run write_file {"file_path":"${path}","content":"x"}\n`

describe.skipIf(lacks('postgres'))('questions of several servers', () => {
  test('have one row of numbers, are answered anywhere, once, and end with their server', async () => {
    await using models = await startModelServer()
    await using cluster = await createCluster({ servers: 2, config: configFor(models.endpoint) })
    await using alice = await cluster.inLobby(0, 'alice')
    await using bob = await cluster.inLobby(1, 'bob')

    models.play(calls('write_file', { file_path: 'one.txt', content: 'x' }), says('it is', ' written'))
    alice.write('@qwen please\n')
    expect(await questionNumber(bob)).toBe('1')
    bob.write(write('two.txt'))
    await alice.waitFor('question 2: may bob')
    expect((await cluster.as(0, 'bob', ['allow', 'lobby', '1'])).stderr).toContain('only alice')
    const answers = await Promise.all([
      cluster.as(1, 'alice', ['allow', 'lobby', '1']),
      cluster.as(0, 'alice', ['deny', 'lobby', '1']),
      cluster.as(1, 'alice', ['allow', 'lobby', 'room', '1']),
    ])
    expect(answers.filter(({ exitCode }) => exitCode === 0)).toHaveLength(1)
    await bob.waitFor('it is written')
    await alice.waitFor('it is written')
    expect(alice.output().match(/(allowed|denied).*\(question 1: /g)).toHaveLength(1)

    const denied = await cluster.as(0, 'bob', ['deny', 'lobby', '2'])
    expect(denied.exitCode).toBe(0)
    await alice.waitFor('denied (question 2: write_file for bob)')
    await bob.waitFor('Permission denied')

    alice.write(write('three.txt'))
    await bob.waitFor('question 3: may alice')
    alice.write(write('four.txt'))
    await bob.waitFor('question 4: may alice')
    alice.write(write('five.txt'))
    await bob.waitFor('alice has 2 open questions here already')
    await cluster.servers[0]!.stop('SIGKILL')
    expect((await cluster.as(1, 'alice', ['allow', 'lobby', '4'])).stdout).toMatch(
      /^allowed once \(question 4: .*\), once the server that asked takes it up\n$/,
    )
    await bob.waitFor('denied: the server of question 4 ended')
    await bob.waitFor('denied: the server of question 3 ended')
    const late = await cluster.as(1, 'alice', ['allow', 'lobby', '3'])
    expect(late.stderr).toContain('question 3 is not open in lobby')
    expect(bob.output().match(/the server of question 3 ended/g)).toHaveLength(1)
  })

  test('stay open while their requester goes to another server, and the turn that waits goes on', async () => {
    await using models = await startModelServer()
    await using cluster = await createCluster({ servers: 2, config: configFor(models.endpoint) })
    await cluster.as(0, 'rhea', ['claim', cluster.servers[0]!.claimCode!])
    await using rhea = await cluster.open(1, 'rhea', '-T')
    await rhea.waitFor('-- lobby')
    await using ann = await cluster.open(0, 'ann', '-T')
    await ann.waitFor('-- lobby')
    const hasGone = createDeferred<void>()
    models.play(
      calls('write_file', { file_path: 'one.txt', content: 'x' }),
      async (response, request) => {
        await hasGone.promise
        await calls('write_file', { file_path: 'two.txt', content: 'x' })(response, request)
      },
      says('both', ' written'),
    )
    ann.write('@qwen please\n')
    await rhea.waitFor('question 1: may @qwen, for ann')
    const stopped = cluster.servers[0]!.stop('SIGTERM')
    await ann.exit
    await rhea.waitFor('ann left')
    expect((await cluster.as(1, 'rhea', ['allow', 'lobby', '1'])).exitCode).toBe(0)
    await models.arrived(2)
    hasGone.resolve()
    await rhea.waitFor('question 2: may @qwen, for ann')
    await using again = await cluster.open(1, 'ann', '-T')
    await again.waitFor('-- lobby')
    expect((await cluster.as(1, 'ann', ['allow', 'lobby', '2'])).exitCode).toBe(0)
    await again.waitFor('both written')
    expect(await stopped).toBe(0)
    expect(rhea.output()).not.toContain('denied')
  })
})
