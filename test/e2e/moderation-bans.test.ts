import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { moderated } from '../support/moderated.ts'
import { startServer, type AnyServer } from '../support/server.ts'
import { createModelStageHere, createStageHere, type Stage } from '../support/stage.ts'
import { openSsh } from '../support/ssh.ts'
import { openFile } from '../../src/storage/sqlite/driver.ts'
import { begun, hurry, inTime, PACED } from '../support/paced.ts'
import { onPostgres, writeConfig } from '../support/stored.ts'
import { askForReload } from '../../src/server/reload-socket.ts'

const stage = await forAllTests(moderated(await createModelStageHere('', { isShared: true })))

const { run, done } = stage

const DENIED = 'Permission denied (publickey).'
const isDenied = ({ exitCode, stdout, stderr }: Awaited<ReturnType<typeof run>>): boolean =>
  exitCode === 255 && stderr.trim().endsWith(DENIED) && stdout === ''

test('a ban ends all sessions of the key with the reason, and the lobby has a notice', async () => {
  await stage.goOnWith(startServer)
  await using session = await stage.open('mallory', '-tt')
  await session.waitFor(/[-─]\S* lobby/)
  await using other = await stage.open('max', '-T', 'mallory')
  await other.waitFor(/[-─]\S* lobby/)
  expect(await done('rhea', 'ban mallory 2h spam')).toBe('rhea banned mallory from the server for 2h: spam\n')
  for (const one of [session, other]) {
    expect(await one.exit).toBe(1)
    expect(one.output()).toContain('you were banned from this server for 2h: spam')
  }
  const [act] = await stage.entries('ann', 'lobby', 12).then((all) => all.filter((one) => 'act' in one))
  expect(act).toMatchObject({
    kind: 'notice',
    author: 'rhea',
    text: 'rhea banned mallory from the server for 2h: spam',
    act: { verb: 'ban', who: 'mallory', reason: 'spam', until: expect.any(String) as string },
  })
})

test('a banned key is rejected under every name, also after a restart', async () => {
  for (const signal of ['', 'SIGKILL'] as const) {
    if (signal) await stage.restart(signal)
    for (const name of ['mallory', 'max', 'fresh', 'ann'])
      expect(isDenied(await run(name, 'whoami', 'mallory')), `${name} ${signal}`).toBe(true)
  }
  expect(JSON.parse(await done('rhea', 'bans --json'))).toMatchObject([
    { kind: 'ban', who: 'mallory', by: 'rhea', reason: 'spam', room: null },
  ])
})

test('the name of a banned person stays reserved until unban lifts the ban', async () => {
  expect((await run('mallory', 'whoami', 'bob')).stdout).toMatch(/mallory-\d{3} \(guest\)/)
  expect(await done('rhea', 'unban MALLORY')).toBe('rhea lifted the ban of mallory from the server\n')
  expect(await done('mallory', 'whoami')).toBe('mallory (member)\n')
  expect(await done('rhea', 'bans')).toBe('nobody is banned\n')
})

test('a ban by fingerprint rejects the key, and its notice does not show the fingerprint', async () => {
  const fingerprint = await stage.home.fingerprint('mallory')
  expect(await done('rhea', `ban ${fingerprint}`)).toBe('rhea banned a key from the server without an end\n')
  expect(isDenied(await run('max', 'whoami', 'mallory'))).toBe(true)
  await done('rhea', `unban ${fingerprint}`)
  expect((await run('max', 'whoami', 'mallory')).exitCode).toBe(0)
})

test('an admin cannot ban themselves by name, key or network', async () => {
  const fingerprint = await stage.home.fingerprint('rhea')
  await stage.as('rhea-two', ['whoami'], { key: 'rhea' })
  for (const who of ['rhea', 'rhea-two', fingerprint, '127.0.0.1', '127.0.0.0/8', '0.0.0.0/0']) {
    const { exitCode, stderr } = await run('rhea', `ban ${who}`)
    expect({ exitCode, stderr }, who).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('yourself; nothing was done') as string,
    })
  }
  for (const who of ['10.0.0.0/33', '2001:db8::/96', '1.2.3', 'nobody-here', 'a/b'])
    expect((await run('rhea', `ban ${who}`)).exitCode, who).toBe(1)
  expect(await done('rhea', 'bans')).toBe('nobody is banned\n')
})

test('a banned key stays rejected after an admin adds it, and the admin keeps access', async () => {
  await stage.goOnWith(startServer)
  const fingerprint = await stage.home.fingerprint('zy')
  const line = await readFile(`${await stage.home.key('zy')}.pub`, 'utf8')
  await stage.done('rhea', `ban ${fingerprint}`)
  const added = await stage.as('rhea', ['keys', 'add'], { input: line })
  expect(added).toMatchObject({ exitCode: 0, stderr: '' })
  expect(added.stdout).not.toContain('banned')
  expect((await stage.run('rhea', 'whoami', 'zy')).exitCode).toBe(255)
  expect(await stage.done('rhea', 'whoami')).toBe('rhea (admin)\n')
  await stage.restart('SIGKILL')
  expect(await stage.done('rhea', 'whoami')).toBe('rhea (admin)\n')
})

test('a rename to an IP address or a flag is rejected', async () => {
  for (const name of ['203.0.113.9', '--room', '-n']) {
    const { exitCode, stderr } = await stage.as('bob', ['rename', '--', name])
    expect({ name, exitCode }).toEqual({ name, exitCode: 1 })
    expect(stderr).toContain('you cannot be called that')
  }
})

test('a ban ends an SSH connection without a session, too', async () => {
  const key = await stage.home.key('mallory')
  await using idle = openSsh({ user: 'mallory', port: stage.server.port, key, options: ['-N', '-v'] })
  await idle.waitForError('Entering interactive session')
  await stage.done('rhea', 'ban mallory 1h')
  expect(await idle.exit).not.toBeNull()
  expect(idle.errors()).not.toContain('Timeout')
})

test('/usage omits rooms that the person is banned from', async () => {
  await stage.done('ann', 'create hall')
  await stage.done('bob', 'ask hall @guide hello')
  expect(await stage.done('bob', 'usage')).toContain('hall')
  await stage.done('ann', 'ban --room hall bob')
  expect(await stage.done('bob', 'usage')).not.toContain('hall')
})

test('a queued line and a queued command are dropped after a ban from the server', async () => {
  await using stage = await createStageHere({ config: PACED, isShared: true })
  await stage.claim('rhea')
  await using session = await stage.open('mallory', '-T')
  await session.waitFor(/[-─]\S* lobby/)
  session.write('one\ntwo\n')
  await session.waitFor('mallory: two')
  await hurry(stage, 'mallory')
  session.write('three\n')
  await using making = await begun(stage, 'mallory', 'token new')
  await inTime(stage, 'rhea', 'ban mallory')
  expect([await session.exit, await making.exit]).toEqual([1, 1])
  await inTime(stage, 'rhea', 'unban mallory')
  // What waited before comes before.
  expect(await inTime(stage, 'mallory', 'token list')).toBe('you have no token\n')
  const said = await inTime(stage, 'ann', 'history lobby')
  expect(said).toMatch(/two[^]*banned mallory/)
  expect(said).not.toMatch(/three|banned mallory[^]*in a hurry/)
})

test('piped lines are not sent after a ban from the room or from the server', async () => {
  await using stage = await createStageHere({ isShared: true })
  await stage.claim('rhea')
  await stage.as('ann', ['create', 'den'])
  await using bob = await begun(stage, 'bob', 'say den')
  await using max = await begun(stage, 'max', 'say den')
  for (const client of [bob, max]) client.write('half\n')
  await stage.as('ann', ['ban', '--room', 'den', 'bob'])
  await stage.as('rhea', ['ban', 'max'])
  for (const client of [bob, max]) client.write('rest\n')
  for (const client of [bob, max]) client.close()
  expect([await bob.exit, await max.exit]).toEqual([1, 1])
  expect(bob.errors()).toContain('you are banned from den')
  expect(await inTime(stage, 'ann', 'history den')).not.toContain('half')
})

test('a ban, a mute and an archive apply even if their notice cannot be stored', async ({ skip }) => {
  skip(onPostgres, "it is about SQLite's file")
  await using stage = await createStageHere({ isShared: true })
  await stage.claim('rhea')
  await stage.as('ann', ['create', 'den'])
  await using session = await stage.open('mallory', '-T')
  await session.waitFor(/[-─]\S* lobby/)
  await stage.as('bob', ['say', 'den', 'I am here'])
  const other = openFile(join(stage.server.dataDir, 'sshawl.db'))
  other.exec("CREATE TRIGGER full BEFORE INSERT ON entries BEGIN SELECT raise(ABORT, 'no more'); END")
  for (const [line, holds] of [
    [
      'ban mallory',
      'rhea banned mallory from the server without an end; this is in force, but lobby could not be notified: ',
    ],
    ['mute den bob', 'rhea muted bob; this is in force, but den could not be notified: '],
    ['unmute den bob', 'rhea unmuted bob; this is in force, but den could not be notified: '],
    ['archive den', 'this is in force, but den could not be notified: '],
    [
      'unban mallory',
      'rhea lifted the ban of mallory from the server; this is in force, but lobby could not be notified: ',
    ],
  ] as const) {
    const { exitCode, stderr } = await stage.as('rhea', line.split(' '))
    expect({ exitCode, stderr }, line).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining(holds) as string,
    })
    if (line === 'ban mallory') {
      expect(await session.exit).toBe(1)
      expect(session.output() + session.errors()).toContain('you were banned from this server')
      expect((await stage.as('mallory', ['whoami'])).exitCode).toBe(255)
    }
  }
  other.close()
  expect(stage.server.stderr()).toContain('could not announce a moderation act in its room')
})

describe('an added key', () => {
  const config = (...admins: readonly string[]): string =>
    `[server]\naccess = "invite"\nadmins = ${JSON.stringify(admins)}\n`

  let stage: Stage<AnyServer>
  beforeAll(async () => {
    stage = await createStageHere({ config: config() })
    await stage.claim('ann')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** Somebody new comes in with a code. */
  async function comesIn(name: string, key = name): Promise<void> {
    const code = (await stage.as('ann', ['invites', 'new'])).stdout.trim()
    const { stdout } = await stage.as(`${name}+${code}`, ['whoami'], { key })
    expect(stdout).toBe(`${name} (member)\n`)
  }

  /** Adds a key of which only the public half is known. */
  async function adds(name: string, victim: string, key = name): Promise<void> {
    const input = await readFile(`${await stage.home.key(victim)}.pub`, 'utf8')
    const { exitCode, stdout } = await stage.as(name, ['keys', 'add'], { input, key })
    expect(exitCode).toBe(0)
    expect(stdout).toContain('waits')
  }

  const whoami = async (name: string, key = name): Promise<string> =>
    (await stage.as(name, ['whoami'], { key })).stdout

  const done = async (name: string, line: string): Promise<string> => {
    const { exitCode, stdout, stderr } = await stage.as(name, line.split(' '))
    expect({ line, exitCode, stderr }).toEqual({ line, exitCode: 0, stderr: '' })
    return stdout
  }

  test("a person is not muted or banned with a spammer who added the person's public key", async () => {
    await stage.goOnWith(startServer)
    await comesIn('mallory')
    await adds('mallory', 'victoria')
    await comesIn('victoria')
    await done('ann', 'mute lobby mallory 1h')
    await done('victoria', 'say lobby hello')
    await done('ann', 'ban mallory 1h spam')
    await done('ann', `ban ${await stage.home.fingerprint('mallory')} 1h`)
    expect(await whoami('victoria')).toBe('victoria (member)\n')
    expect(await whoami('mallory', 'victoria')).toBe('')
    await stage.restart('SIGKILL')
    expect(await whoami('victoria')).toBe('victoria (member)\n')
    expect(await whoami('mallory')).toBe('')
    await adds('ann', 'victoria')
    await done('victoria', 'say lobby hello')
  })

  test('a ban of an added key leaves its person their other keys', async () => {
    await comesIn('dan')
    await adds('dan', 'spare')
    expect(await whoami('dan', 'spare')).toBe('dan (member)\n')
    await done('ann', `ban ${await stage.home.fingerprint('spare')}`)
    expect(await whoami('dan', 'spare')).toBe('')
    expect(await whoami('dan')).toBe('dan (member)\n')
    await stage.restart('SIGTERM')
    expect(await whoami('dan', 'spare')).toBe('')
    expect(await whoami('dan')).toBe('dan (member)\n')
  })

  test("a person who added an admin's key is no admin, and the key does not log in as them", async () => {
    await comesIn('boss', 'attacker')
    await adds('boss', 'chief', 'attacker')
    const { dataDir } = stage.server
    const reloadWith = async (...admins: readonly string[]) => {
      await writeConfig(dataDir, config(...admins))
      expect((await askForReload(dataDir)).problems).toEqual([])
    }
    await reloadWith(await stage.home.fingerprint('chief'))
    expect(await whoami('boss', 'chief')).toMatch(/^boss-\d{3} \(guest\)\n$/)
    expect(await whoami('boss', 'attacker')).toBe('boss (member)\n')
    expect(await whoami('chief')).toBe('chief (admin)\n')
    await adds('chief', 'laptop')
    expect(await whoami('chief', 'laptop')).toBe('chief (member)\n')
    const asLaptop = await stage.as('chief', ['bans'], { key: 'laptop' })
    expect(asLaptop).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('only an admin') })
    await done('chief', 'bans')
    expect((await stage.as('ann', ['ban', 'chief', '1h'])).stderr).toBe(
      "chief is an admin by the server's config; only that can change it\n",
    )
    await done('ann', 'ban boss 1h')
    expect(await whoami('boss', 'attacker')).toBe('')
    await using session = await stage.open('chief', '-T')
    await session.waitFor(/[-─]\S* lobby/)
    await reloadWith()
    session.write('/ban dan\n')
    await session.waitFor('only an admin can ban')
  })
})
