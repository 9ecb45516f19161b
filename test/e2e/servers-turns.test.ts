import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createDeferred } from '../../src/base/jobs/waiting.ts'
import { createCluster, type ClusterStage } from '../support/cluster.ts'
import { oneTurnAtOnce, toldTurns } from '../support/cluster-turns.ts'
import {
  calls,
  fallsSilent,
  hang,
  says,
  startModelServer,
  type ModelServer,
  type RecordedRequest,
} from '../support/model-server.ts'
import { lacks } from '../support/needs.ts'
import type { SshSession } from '../support/ssh.ts'
import { createEmulator } from '../support/terminal.ts'

/** A busy machine takes long. */
const PATIENCE = { timeout: 20_000 }

const LIMITS = 'drain_s = 60\napprovals_per_person = 2\n'

/** A second model, which sums up. */
const memoAt = ({ endpoint }: ModelServer): string => `
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

const textOf = ({ body }: RecordedRequest): string => JSON.stringify(body.messages)

const write = (path: string): string => `/run write_file {"file_path":"${path}","content":"x"}\n`

describe.skipIf(lacks('postgres'))('two servers whose rooms have models', () => {
  let qwen: ModelServer
  let memo: ModelServer
  let stage: ClusterStage
  beforeAll(async () => {
    qwen = await startModelServer()
    memo = await startModelServer()
    stage = await createCluster({ servers: 2, config: oneTurnAtOnce(qwen, LIMITS) + memoAt(memo) })
    await stage.done(0, 'rhea', `claim ${stage.servers[0]!.claimCode}`)
  })
  beforeEach(async () => {
    const { exitCode, signalCode } = stage.servers[0]!.process
    if (exitCode !== null || signalCode !== null) await stage.start(0)
  })
  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    for (const models of [qwen, memo]) await models[Symbol.asyncDispose]()
  })

  /** A session in a room; each test has a room of its own. */
  async function inRoom(at: number, name: string, room: string): Promise<SshSession> {
    const session = await stage.inLobby(at, name)
    session.write(`/join ${room}\n`)
    await session.waitFor(`-- ${room}`)
    return session
  }

  test('turns on two servers wait for each other and can be stopped from either server', async () => {
    await stage.done(0, 'rhea', 'create queue')
    await using alice = await inRoom(0, 'alice', 'queue')
    await using bob = await inRoom(1, 'bob', 'queue')
    qwen.play(hang(), says('now', ' me'))
    const before = qwen.requests.length
    alice.write('@qwen hello\n')
    await qwen.arrived(before + 1)
    await bob.waitFor('-- qwen is thinking')
    await alice.waitFor('-- qwen is thinking')
    expect(alice.output() + bob.output(), 'nothing was there to wait for').not.toContain('qwen waits')
    bob.write('@qwen and me\n')
    await alice.waitFor('-- qwen waits')
    const carol = await stage.as(0, 'carol', ['ask', 'queue', '@qwen', 'me'])
    expect(carol.stderr).toContain('1 model is at work here and 1 waits')
    const others = await stage.as(1, 'carol', ['stop', 'queue'])
    expect(others.stderr).toContain('nothing that you could stop')
    const { exitCode } = await stage.as(1, 'alice', ['stop', 'queue', '@qwen'])
    expect(exitCode).toBe(0)
    await alice.waitFor('alice stopped @qwen')
    await bob.waitFor('now me')
    await alice.waitFor('now me')
    expect(qwen.requests).toHaveLength(before + 2)
    await expect
      .poll(() => toldTurns(stage, 'queue'), PATIENCE)
      .toEqual([
        { outcome: 'stopped', ends: 1 },
        { outcome: 'done', ends: 1 },
      ])
  })

  test('a tool that runs on one server can be stopped from the other', async () => {
    await stage.done(0, 'rhea', 'create shell')
    await using alice = await inRoom(0, 'alice', 'shell')
    await using bob = await inRoom(1, 'bob', 'shell')
    alice.write('/run run_command {"command":"sleep 600"}\n')
    await bob.waitFor('question 1: may alice use run_command')
    expect((await stage.as(1, 'alice', ['allow', 'shell', '1'])).exitCode).toBe(0)
    await bob.waitFor('allowed')
    const others = await stage.as(1, 'bob', ['stop', 'shell'])
    expect(others.stderr).toContain('nothing that you could stop')
    expect(await stage.as(1, 'alice', ['stop', 'shell'])).toMatchObject({ exitCode: 0, stderr: '' })
    for (const session of [alice, bob]) await session.waitFor('alice stopped it')
    await expect.poll(() => stage.database.send('SELECT id FROM work'), PATIENCE).toEqual([])
  })

  test('a turn is cut off once if its server is killed, and the next turn begins', async () => {
    await stage.done(0, 'rhea', 'create crash')
    await using alice = await inRoom(0, 'alice', 'crash')
    await using bob = await inRoom(1, 'bob', 'crash')
    await using carol = await stage.atTerminal(1, 'carol')
    carol.write('/join crash\n')
    await bob.waitFor('carol joined')
    const screenOfCarol = async (): Promise<string> => {
      const screen = createEmulator(80, 24)
      await screen.write(carol.output())
      return screen.screen().join('\n')
    }
    qwen.play(fallsSilent('half', ' of'), says('all', ' of', ' it'))
    alice.write('@qwen hello\n')
    // What is being written is drawn on the other server's screens, too.
    await expect.poll(screenOfCarol, PATIENCE).toContain('qwen: half of')
    bob.write('@qwen and me\n')
    await alice.waitFor('@qwen and me')
    await stage.servers[0]!.stop('SIGKILL')
    await bob.waitFor("@qwen's answer to alice was cut off")
    await bob.waitFor('all of it')
    await expect.poll(screenOfCarol, PATIENCE).toContain('qwen: all of it')
    expect(await screenOfCarol()).not.toContain('half of')
    await expect
      .poll(() => toldTurns(stage, 'crash'), PATIENCE)
      .toEqual([
        { outcome: 'cut', ends: 1 },
        { outcome: 'done', ends: 1 },
      ])
  })

  test('questions of two servers share one numbering, and are denied if their server ends', async () => {
    await stage.done(0, 'rhea', 'create asked')
    await using alice = await inRoom(0, 'alice', 'asked')
    await using bob = await inRoom(1, 'bob', 'asked')

    qwen.play(calls('write_file', { file_path: 'one.txt', content: 'x' }), says('it is', ' written'))
    alice.write('@qwen please\n')
    await bob.waitFor(/question 1: may [^]*\/deny 1\n/)
    bob.write(write('two.txt'))
    await alice.waitFor('question 2: may bob')
    expect((await stage.as(0, 'bob', ['allow', 'asked', '1'])).stderr).toContain('only alice')
    const answers = await Promise.all([
      stage.as(1, 'alice', ['allow', 'asked', '1']),
      stage.as(0, 'alice', ['deny', 'asked', '1']),
      stage.as(1, 'alice', ['allow', 'asked', 'room', '1']),
    ])
    expect(answers.filter(({ exitCode }) => exitCode === 0)).toHaveLength(1)
    await bob.waitFor('it is written')
    await alice.waitFor('it is written')
    expect(alice.output().match(/(allowed|denied).*\(question 1: /g)).toHaveLength(1)

    const denied = await stage.as(0, 'bob', ['deny', 'asked', '2'])
    expect(denied.exitCode).toBe(0)
    await alice.waitFor('denied (question 2: write_file for bob)')
    await bob.waitFor('Permission denied')

    alice.write(write('three.txt'))
    await bob.waitFor('question 3: may alice')
    alice.write(write('four.txt'))
    await bob.waitFor('question 4: may alice')
    alice.write(write('five.txt'))
    await bob.waitFor('alice has 2 open questions here already')
    await stage.servers[0]!.stop('SIGKILL')
    expect((await stage.as(1, 'alice', ['allow', 'asked', '4'])).stdout).toMatch(
      /^allowed once \(question 4: .*\), as soon as the server that asked gets this answer\n$/,
    )
    await bob.waitFor('denied: the server of question 4 ended')
    await bob.waitFor('denied: the server of question 3 ended')
    const late = await stage.as(1, 'alice', ['allow', 'asked', '3'])
    expect(late.stderr).toContain('question 3 is not open in asked')
    expect(bob.output().match(/the server of question 3 ended/g)).toHaveLength(1)
  })

  test('a question stays open while its requester moves to another server, and the turn continues', async () => {
    await stage.done(0, 'rhea', 'create drained')
    await using rhea = await inRoom(1, 'rhea', 'drained')
    await using ann = await inRoom(0, 'ann', 'drained')
    const hasGone = createDeferred<void>()
    qwen.play(
      calls('write_file', { file_path: 'one.txt', content: 'x' }),
      async (response, request) => {
        await hasGone.promise
        await calls('write_file', { file_path: 'two.txt', content: 'x' })(response, request)
      },
      says('both', ' written'),
    )
    const before = qwen.requests.length
    ann.write('@qwen please\n')
    await rhea.waitFor('question 1: may @qwen, for ann')
    const stopped = stage.servers[0]!.stop('SIGTERM')
    await ann.exit
    await rhea.waitFor('ann left')
    expect((await stage.as(1, 'rhea', ['allow', 'drained', '1'])).exitCode).toBe(0)
    await qwen.arrived(before + 2)
    hasGone.resolve()
    await rhea.waitFor('question 2: may @qwen, for ann')
    await using again = await inRoom(1, 'ann', 'drained')
    expect((await stage.as(1, 'ann', ['allow', 'drained', '2'])).exitCode).toBe(0)
    await again.waitFor('both written')
    expect(await stopped).toBe(0)
    expect(rhea.output()).not.toContain('denied')
  })

  test('a summary is made by one server at a time and is shown on both', async () => {
    const shownOn = async (at: number): Promise<Shown> =>
      JSON.parse(await stage.done(at, 'rhea', 'summary --json den')) as Shown
    await stage.done(0, 'rhea', 'create den')
    await stage.done(0, 'rhea', 'kv den summarizer memo')
    await stage.done(0, 'rhea', 'say den the vault opens with heron-17')
    memo.play(hang(), says('Known:', ' heron-17'))
    memo.always(says('Known: all of it'))
    await stage.done(0, 'rhea', 'summary den new')
    await memo.arrived(1)
    await expect.poll(async () => (await shownOn(1)).working, PATIENCE).toBe(true)
    // Enough for the other one to look at the room as well.
    const lines = Array.from({ length: 25 }, (_, n) => `line ${n}`).join('\n')
    await using rhea = await inRoom(1, 'rhea', 'den')
    rhea.write(`${lines}\n`)
    await rhea.waitFor('rhea: line 24')
    expect(memo.requests).toHaveLength(1)

    await stage.done(1, 'rhea', 'summary den new')
    await memo.abandoned()
    for (const at of [0, 1])
      await expect
        .poll(() => shownOn(at), PATIENCE)
        .toMatchObject({ summary: { text: expect.stringContaining('Known:') as string }, working: false })
    const [first, ...others] = memo.requests.map(textOf)
    expect(first).toContain('heron-17')
    expect(
      others.filter((text) => text.includes('line 3')),
      'nothing is summed up twice',
    ).toHaveLength(1)
  })
})
