import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDeferred } from '../../src/base/jobs/waiting.ts'
import { createCluster, type ClusterStage } from '../support/cluster.ts'
import { oneTurnAtOnce, toldTurns } from '../support/cluster-turns.ts'
import { clockEnvironment } from '../support/faults/machine.ts'
import { says, startModelServer, type ModelServer } from '../support/model-server.ts'
import { lacks } from '../support/needs.ts'
import type { SshSession } from '../support/ssh.ts'

/** A busy machine takes long. */
const PATIENCE = { timeout: 20_000 }

/** A person, their room, an act in it while their server stands still, and its refusal; without one they are put out. */
const ACTS = [
  { name: 'mia', room: 'den', act: 'mute den mia 1h', read: /you are muted in den/g },
  { name: 'arno', room: 'attic', act: 'archive attic', read: /attic is archived/g },
  { name: 'kai', room: 'yard', act: 'kick yard kai', read: undefined },
  { name: 'uma', room: 'cave', act: 'uninvite cave uma', read: undefined },
  { name: 'bela', room: 'hall', act: 'ban bela', read: undefined },
] as const

/** Rooms in which somebody came or went, and no line says so yet; the lobby as long as somebody is there. */
const UNDER_WAY = `
  WITH told AS (
    SELECT room, count(*) FILTER (WHERE data LIKE '%"joined"%') AS joined, count(*) FILTER (WHERE data LIKE '%"left"%') AS gone
    FROM entries WHERE kind = 'presence' GROUP BY room)
  SELECT room FROM present LEFT JOIN told USING (room) GROUP BY room, joined, gone
    HAVING room = 'lobby' OR coalesce(joined - gone, 0) < count(DISTINCT person)
  UNION ALL SELECT room FROM told WHERE room = 'lobby' AND joined > gone`

/** Ends the connections by which servers hear of changes. */
const ENDED = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = 'sshawl changes' AND datname = current_database()`

const LATE = ['late one', 'late two', 'late three']

const CUT = "@qwen's answer to alice was cut off"

describe.skipIf(lacks('postgres'))('two servers, of which one is paused while the other moderates', () => {
  let stage: ClusterStage
  beforeAll(async () => {
    stage = await createCluster({ servers: 2 })
    await stage.done(0, 'rhea', `claim ${stage.servers[0]!.claimCode}`)
    for (const { room } of ACTS)
      await stage.done(0, 'rhea', `create ${room === 'cave' ? '--private ' : ''}${room}`)
    await Promise.all(ACTS.map(({ name }) => stage.done(1, name, 'whoami')))
    await stage.done(0, 'rhea', 'invite cave uma')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const said = async (): Promise<readonly string[]> =>
    (await stage.database.send(`SELECT room, text FROM entries WHERE kind = 'message'`)).map(
      ({ room, text }) => `${String(room)}: ${String(text)}`,
    )

  /** The second server does not run while this is done, and some seconds longer. */
  async function standStill(meanwhile: () => Promise<void>): Promise<void> {
    // A transaction that it has begun would hold up the others: all comings and goings are in the logs.
    await expect.poll(async () => (await stage.database.send(UNDER_WAY)).length, PATIENCE).toBe(0)
    const { process } = stage.servers[1]!
    process.kill('SIGSTOP')
    await meanwhile()
    const silent = `SELECT 1 FROM servers WHERE seen_at < clock_timestamp() - interval '4 s'`
    await expect.poll(async () => (await stage.database.send(silent)).length, PATIENCE).toBe(1)
    process.kill('SIGCONT')
  }

  test('a paused server stores no line that another server forbade in the meantime', async () => {
    const sessions = await Promise.all(
      ACTS.map(async ({ name, room }) => {
        const session = await stage.inLobby(1, name)
        session.write(`/join ${room}\n`)
        await session.waitFor(`-- ${room}`)
        return session
      }),
    )
    await standStill(async () => {
      for (const session of sessions) session.write(LATE.map((line) => `${line}\n`).join(''))
      for (const { act } of ACTS) await stage.done(0, 'rhea', act)
    })
    for (const [at, { name, read }] of ACTS.entries()) {
      const session = sessions[at]!
      const refused = (): number => session.output().match(read!)?.length ?? 0
      if (read) await expect.poll(refused, { ...PATIENCE, message: name }).toBeGreaterThanOrEqual(LATE.length)
      else expect(await session.exit).toBe(1)
    }
    expect(await said()).toEqual([])
    for (const session of sessions) await session[Symbol.asyncDispose]()
    // It goes on as before.
    await stage.done(1, 'mia', 'say hall here again')
    expect(await said()).toContain('hall: here again')
  })

  test('a paused server applies bans and mutes even if its listening connection was ended', async () => {
    const session = await stage.inLobby(1, 'zoe')
    session.write('/join hall\n')
    await session.waitFor(/[-─]\S* hall/)
    let another: SshSession | undefined
    await standStill(async () => {
      another = await stage.inLobby(0, 'yves')
      for (const act of ['ban zoe', 'mute hall mia 1h']) await stage.done(0, 'rhea', act)
      await stage.database.send(ENDED)
      session.write(LATE.map((line) => `${line}\n`).join(''))
    })
    expect(await session.exit).toBe(1)
    const { stderr } = await stage.run(1, 'mia', 'say hall late too')
    expect(stderr).toContain('muted in hall')
    expect(await stage.done(1, 'rhea', 'who lobby')).toContain('yves')
    await another?.[Symbol.asyncDispose]()
    expect((await said()).filter((line) => line.startsWith('hall: late'))).toEqual([])
    await session[Symbol.asyncDispose]()
  })
})

describe.skipIf(lacks('postgres'))('two servers, of which one is considered dead', () => {
  let models: ModelServer
  let stage: ClusterStage
  beforeAll(async () => {
    models = await startModelServer()
    stage = await createCluster({ servers: 2, config: oneTurnAtOnce(models) })
  })
  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await models[Symbol.asyncDispose]()
  })

  test('a turn ends once, even if its paused server continues after another server ended it', async () => {
    await using alice = await stage.inLobby(0, 'alice')
    await using bob = await stage.inLobby(1, 'bob')
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
    const { process } = stage.servers[0]!
    // That somebody has gone is told first as it wakes up.
    await stage.as(0, 'dave', ['whoami'])
    process.kill('SIGSTOP')
    await bob.waitFor(CUT)
    isCut.resolve()
    process.kill('SIGCONT')
    // A person who comes in as it wakes up is told of once the others know the server again.
    await using carol = await stage.open(0, 'carol', '-T')
    await alice.waitFor(CUT)
    // Its place is free, and the server is one of them again.
    await bob.waitFor(/alice left[^]*alice joined/)
    alice.write('@qwen are you there\n')
    await alice.waitFor('again there')
    await bob.waitFor('again there')
    expect(bob.output()).not.toContain('too late')
    await carol.waitFor(/[-─]\S* lobby/)
    await bob.waitFor('carol joined')
    expect(stage.servers[0]!.stderr()).not.toContain('foreign key')
    await expect
      .poll(() => toldTurns(stage), PATIENCE)
      .toEqual([
        { outcome: 'cut', ends: 1 },
        { outcome: 'done', ends: 1 },
      ])
  })
})

test.skipIf(lacks('postgres'))(
  'a server with a clock 10 s ahead warns once, but enforces mutes and bans',
  async () => {
    await using stage = await createCluster({
      servers: 2,
      env: (at) => (at === 1 ? clockEnvironment(10_000) : {}),
    })
    const [one, two] = stage.servers
    await stage.done(0, 'rhea', `claim ${one!.claimCode}`)
    for (const name of ['cat', 'gus']) await stage.done(0, name, 'whoami')
    expect(two!.stderr().match(/the clock of this machine is not the database's/g)).toHaveLength(1)
    expect(two!.stderr()).toContain('"seconds":10')
    expect(one!.stderr()).not.toContain('the clock of this machine')
    await stage.done(0, 'rhea', 'mute lobby cat 20m')
    await stage.done(0, 'rhea', 'ban gus 20m')
    // What another server decided is in force within a moment.
    async function refused(name: string, line: string, why: RegExp): Promise<void> {
      for (;;) if (why.test((await stage.run(1, name, line)).stderr)) return
    }
    await refused('cat', 'say lobby x', /you are muted in lobby/)
    await refused('gus', 'whoami', /Permission denied/)
  },
)
