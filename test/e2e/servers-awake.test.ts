import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCluster, type ClusterStage } from '../support/cluster.ts'
import { lacks } from '../support/needs.ts'
import type { SshSession } from '../support/ssh.ts'

/** A busy machine takes long. */
const PATIENCE = { timeout: 20_000 }

/** Who is where, what is decided there while their server stands still, and what they read for each line: who is put out goes. */
const ACTS = [
  { name: 'mia', room: 'den', act: 'mute den mia 1h', read: /you are muted in den/g },
  { name: 'arno', room: 'attic', act: 'archive attic', read: /attic is archived/g },
  { name: 'kai', room: 'yard', act: 'kick yard kai', read: undefined },
  { name: 'uma', room: 'cave', act: 'uninvite cave uma', read: undefined },
  { name: 'bela', room: 'hall', act: 'ban bela', read: undefined },
] as const

/** Ends the connections by which servers hear of changes. */
const ENDED = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = 'sshawl changes' AND datname = current_database()`

const LATE = ['late one', 'late two', 'late three']

describe.skipIf(lacks('postgres'))('a server that stood still', () => {
  let stage: ClusterStage
  beforeAll(async () => {
    stage = await createCluster({ servers: 2 })
    await stage.done(0, 'rhea', `claim ${stage.servers[0]!.claimCode}`)
    for (const { room } of ACTS)
      await stage.done(0, 'rhea', `create ${room === 'cave' ? '--private ' : ''}${room}`)
    await Promise.all(ACTS.map(({ name }) => stage.done(1, name, 'whoami')))
    await stage.done(0, 'rhea', 'invite cave uma')
  }, 30_000)
  afterAll(() => stage[Symbol.asyncDispose]())

  const said = async (): Promise<readonly string[]> =>
    (await stage.database.send(`SELECT room, text FROM entries WHERE kind = 'message'`)).map(
      ({ room, text }) => `${String(room)}: ${String(text)}`,
    )

  /** The second server does not run while this is done, and some seconds longer. */
  async function standStill(meanwhile: () => Promise<void>): Promise<void> {
    // Nothing that it has begun holds up the others.
    const begun = `SELECT 1 FROM present WHERE room = 'lobby'`
    await expect.poll(async () => (await stage.database.send(begun)).length, PATIENCE).toBe(0)
    const { process } = stage.servers[1]!
    process.kill('SIGSTOP')
    await meanwhile()
    const silent = `SELECT 1 FROM servers WHERE seen_at < clock_timestamp() - interval '4 s'`
    await expect.poll(async () => (await stage.database.send(silent)).length, PATIENCE).toBe(1)
    process.kill('SIGCONT')
  }

  test('stores no line of who may not speak there any more by what another server decided', async () => {
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

  test('hears what was decided also if its connection that listens was ended meanwhile', async () => {
    const session = await stage.inLobby(1, 'zoe')
    session.write('/join hall\n')
    await session.waitFor('-- hall')
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
