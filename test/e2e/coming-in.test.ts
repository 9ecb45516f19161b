import { describe, expect, test } from 'vitest'
import { createAskpass } from '../support/askpass.ts'
import { forAllTests } from '../support/for-all-tests.ts'
import { startServer } from '../support/server.ts'
import { createStageHere, createStage } from '../support/stage.ts'
import { allStored, askStored, writeConfig } from '../support/stored.ts'
import { openSsh, ssh, type SshResult } from '../support/ssh.ts'
import { askForReload } from '../../src/server/reload-socket.ts'

/** Wrong codes would be answered late, and logins from here served late. */
const CONFIG = '[server]\naccess = "invite"\n'

const stage = await forAllTests(createStageHere({ config: CONFIG }))
await stage.claim('boss')
const askpass = await createAskpass(stage.dir)

/** A new code. */
async function newCode(...words: readonly string[]): Promise<string> {
  const { stdout, exitCode } = await stage.as('boss', ['invites', 'new', ...words])
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^[A-Z0-9-]{19}\n$/)
  return stdout.trim()
}

/** `ssh NAME@server whoami`, with the key of this name; the client answers `typed` where it is asked. */
async function login(user: string, key: string, typed?: string): Promise<SshResult> {
  const target = { user, port: stage.server.port, key: await stage.home.key(key) }
  return await ssh({ ...target, ...(typed === undefined ? {} : askpass.answering(typed)) }, ['whoami'])
}

const DENIED = { exitCode: 255, stdout: '' }

/** What a client prints, without the name that it repeats, and the port. */
const said = ({ stderr }: SshResult): string =>
  stderr.replace(/^.*@127\.0\.0\.1: /m, '').replace(/\[127\.0\.0\.1\]:\d+/, '')

/** A login that fails: from then on, until one does not, clients from here are shown the banner. */
const fail = (): Promise<SshResult> => login('nobody', 'nobody')

test('a new key registers with a typed invite code and later logs in without one', async () => {
  await stage.goOnWith(startServer)
  const code = await newCode()
  expect(await login('bea', 'bea', code)).toMatchObject({ exitCode: 0, stdout: 'bea (member)\n' })
  expect(await askpass.asked()).toContain('invite code: ')
  expect(await login('bea', 'bea')).toMatchObject({ exitCode: 0, stdout: 'bea (member)\n' })
  expect(await login('cy', 'cy', code)).toMatchObject(DENIED)
  await stage.restart('SIGKILL')
  expect(await login('bea', 'bea')).toMatchObject({ exitCode: 0, stdout: 'bea (member)\n' })
})

test('a new key registers with a code in the user name, even if the command is run again', async () => {
  const code = await newCode()
  for (const user of [`dan+${code}`, `dan+${code}`, 'dan'])
    expect(await login(user, 'dan')).toMatchObject({ exitCode: 0, stdout: 'dan (member)\n' })
  expect(await login(`eve+${code}`, 'eve')).toMatchObject(DENIED)
})

test('an invite code of a room invites the new person and announces them in the room', async () => {
  await stage.as('boss', ['create', '--private', 'den'])
  const code = await newCode('den')
  expect((await login(`fay+${code}`, 'fay')).exitCode).toBe(0)
  await using session = await stage.open('fay', '-T')
  await session.waitFor('boss invited you to den; /join den')
  expect((await stage.as('fay', ['join', 'den'])).stdout).toBe('you are a member of den now\n')
  const { stdout } = await stage.as('boss', ['history', 'den'])
  expect(stdout).toContain('fay came to the server with an invite code of boss for this room')
})

test('unknown keys that a client offers before a known one cause no question for an invite code', async () => {
  const known = await stage.home.key('boss')
  const before = await askpass.asked()
  const { options, env } = askpass.answering('no code')
  const strangers = await Promise.all(['stranger', 'other'].map((name) => stage.home.key(name)))
  const target = {
    user: 'boss',
    port: stage.server.port,
    // The client offers the keys of its options first.
    key: known,
    options: [...options, ...strangers.flatMap((key) => ['-i', key])],
    env,
  }
  expect(await ssh(target, ['whoami'])).toMatchObject({ exitCode: 0, stdout: 'boss (admin)\n' })
  expect(await askpass.asked()).toBe(before)
})

test('used, revoked, expired and wrong invite codes are rejected with the same answer', async () => {
  const [used, revoked, expired] = [await newCode(), await newCode(), await newCode('--days', '2')]
  expect((await login(`gus+${used}`, 'gus')).exitCode).toBe(0)
  const list = JSON.parse((await stage.as('boss', ['invites', 'list', '--json'])).stdout) as {
    id: number
  }[]
  const [first, last] = [list.at(-2)!.id, list.at(-1)!.id]
  expect((await stage.as('boss', ['invites', 'revoke', String(first)])).exitCode).toBe(0)
  await askStored(stage.server.dataDir, `UPDATE invites SET until = 1 WHERE id = ${last}`)
  const answers = new Set<string>()
  for (const round of ['before', 'after']) {
    await fail()
    for (const code of ['WRNG-WRNG-WRNG-WRNG', used, revoked, expired]) {
      const user = `hal+${code}`
      const typed = await login('hal', 'hal', code)
      const brought = await login(user, 'hal')
      expect([typed, brought]).toMatchObject([DENIED, DENIED])
      answers.add(`typed: ${said(typed)}`).add(`brought: ${said(brought)}`)
    }
    if (round === 'before') await stage.restart('SIGTERM')
  }
  expect([...answers]).toHaveLength(2)
  expect(await stage.as('hal', ['whoami'])).toMatchObject(DENIED)
})

test('a rejected client reads the same for existing, unknown and impossible names', async () => {
  const texts = new Set<string>()
  await fail()
  for (const user of ['boss', 'nobody', 'guide', 'lobby', 'bea', '\u3164', 'x'.repeat(300)]) {
    const plain = await login(user, 'spy')
    const wrong = await login(user, 'spy', 'WRNG')
    expect([plain, wrong]).toMatchObject([DENIED, DENIED])
    expect(plain.stderr).toContain('If you are new here: ask somebody who is here for an invite code.')
    expect(plain.stderr).toContain('may be wrong, used up or expired')
    texts.add(said(plain)).add(said(wrong))
  }
  expect([...texts]).toHaveLength(2)
})

test('a valid invite code with a taken name is rejected with the reason and stays valid', async () => {
  const code = await newCode()
  for (const user of ['boss', 'guide', `boss+${code}`]) {
    const target = {
      user,
      port: stage.server.port,
      key: await stage.home.key('ida'),
      ...askpass.answering(code),
    }
    const { exitCode, stderr } = await ssh(target, ['whoami'])
    expect(exitCode).toBe(255)
    expect(stderr).toMatch(/right and was not used up, but the name (boss|guide) is taken/)
  }
  expect(await login('ida', 'ida', code)).toMatchObject({ exitCode: 0, stdout: 'ida (member)\n' })
})

test('two simultaneous logins with one invite code register one person and use the code once', async () => {
  const code = await newCode('--uses', '2')
  const both = await Promise.all([1, 2].map(() => login(`jo+${code}`, 'jo')))
  expect(both).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }])
  expect(await login(`kim+${code}`, 'kim')).toMatchObject({ exitCode: 0, stdout: 'kim (member)\n' })
  expect(await login(`lou+${code}`, 'lou')).toMatchObject(DENIED)
})

test('an invite code appears neither in the database nor in the log', async () => {
  const code = await newCode()
  await login(`max+${code}`, 'max')
  const rows = await allStored(stage.server.dataDir)
  const everything = `${JSON.stringify(rows)}${stage.server.stderr()}`
  expect(everything).toContain('max')
  for (const part of [code, code.replaceAll('-', '')]) expect(everything).not.toContain(part)
})

test('an unanswered question for an invite code blocks neither other logins nor the stop', async () => {
  const { options, env } = askpass.answering('')
  const key = await stage.home.key('slow')
  await using waiting = openSsh({
    user: 'slow',
    port: stage.server.port,
    key,
    options: [...options, '-tt'],
    env: { ...env, SSH_ASKPASS: '/bin/cat' },
  })
  expect((await stage.as('boss', ['whoami'])).exitCode).toBe(0)
  await stage.server.stop('SIGTERM')
  expect(await waiting.exit).toBe(255)
})

const serverSection = (access: string, admins: readonly string[] = []): string =>
  `[server]\naccess = "${access}"\nadmins = ${JSON.stringify(admins)}\n`

const denied = { exitCode: 255, stdout: '' }

describe.each(['invite', 'closed'])('a server with access "%s"', (access) => {
  test('a server is claimed only by its claim code, and rejects all other keys', async () => {
    await using stage = await createStageHere({ config: serverSection(access) })
    const code = stage.server.claimCode!
    expect(await stage.as('mallory', ['whoami'])).toMatchObject(denied)
    expect(await stage.as('mallory', ['claim', code])).toMatchObject(denied)
    expect(await stage.as('mallory+WRNG-WRNG', ['whoami'], { key: 'mallory' })).toMatchObject(denied)
    for (const name of ['system', 'everyone', 'you'])
      expect(await stage.as(`${name}+${code}`, ['claim', code], { key: 'rhea' })).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining(`nobody can be called ${name}`) as string,
      })
    await stage.claim('rhea')
    expect((await stage.as('rhea', ['whoami'])).stdout).toBe('rhea (admin)\n')
    for (const name of ['mallory', `mallory+${code}`])
      expect(await stage.as(name, ['whoami'], { key: 'mallory' })).toMatchObject(denied)
  })
})

test('a server with access "invite" prints the claim command with the code in the user name', async () => {
  await using stage = await createStage({ config: serverSection('invite') })
  const code = stage.server.claimCode!
  expect(stage.server.lines.join('\n')).toContain(`$USER+${code}@127.0.0.1 claim ${code}`)
})

test('a person is an admin as long as the config lists their key in admins', async () => {
  await using stage = await createStageHere({ config: serverSection('closed') })
  const { dataDir } = stage.server
  const [rhea, two] = await Promise.all(['rhea', 'two'].map((name) => stage.home.fingerprint(name)))
  const role = async (name: string) => (await stage.as(name, ['whoami'])).stdout
  const reloadWith = async (admins: readonly string[]) => {
    await writeConfig(dataDir, serverSection('closed', admins))
    expect((await askForReload(dataDir)).problems).toEqual([])
  }
  await reloadWith([rhea!, two!])
  expect([await role('rhea'), await role('two')]).toEqual(['rhea (admin)\n', 'two (admin)\n'])
  expect(await stage.as('mallory', ['whoami'])).toMatchObject(denied)
  expect(await stage.as(`mallory+${stage.server.claimCode!}`, ['whoami'], { key: 'mallory' })).toMatchObject(
    denied,
  )
  await using session = await stage.open('two', '-T')
  await session.waitFor(/[-─]\S* lobby/)
  await reloadWith([rhea!])
  expect([await role('rhea'), await role('two')]).toEqual(['rhea (admin)\n', 'two (member)\n'])
  session.write('/ban mallory\n')
  await session.waitFor('only an admin can ban')
  await stage.restart('SIGTERM')
  expect(await role('rhea')).toBe('rhea (member)\n')
  expect(stage.server.claimCode).toBeDefined()
  await stage.claim('rhea')
  expect(await role('rhea')).toBe('rhea (admin)\n')
})
