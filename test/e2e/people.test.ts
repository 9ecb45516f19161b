import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { execa } from 'execa'
import { forAllTests } from '../support/for-all-tests.ts'
import { startServer, type AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'
import { createSshHome, ssh, type SshHome, type SshResult } from '../support/ssh.ts'
import { createAskpass, type Askpass } from '../support/askpass.ts'

const stage = await forAllTests(createStageHere({ isShared: true }))

test('a claim with a wrong code is rejected', async () => {
  const { exitCode, stderr } = await stage.as('me', ['claim', 'AAAA-AAAA'])
  expect(exitCode).toBe(1)
  expect(stderr).toMatch(/wrong or was used/)
})

test('the claim code makes exactly one person admin', async () => {
  const code = stage.server.claimCode!
  const claims = await Promise.all([stage.as('me', ['claim', code]), stage.as('rival', ['claim', code])])
  expect(claims.map((claim) => String(claim.exitCode)).toSorted()).toEqual(['0', '1'])
  const again = await stage.as('late', ['claim', code])
  expect(again.exitCode).toBe(1)
  expect(again.stderr).toMatch(/wrong or was used/)
})

test('the first admin is still admin after a restart, and no claim code is printed', async () => {
  await stage.restart('SIGTERM')
  expect(stage.server.claimCode).toBeUndefined()
  const roles = await Promise.all(
    ['me', 'rival'].map(async (name) => JSON.parse((await stage.as(name, ['whoami', '--json'])).stdout).role),
  )
  expect((roles as string[]).toSorted()).toEqual(['admin', 'member'])
})

test("a key that logs in with another key's name becomes a guest, also after a restart", async () => {
  await stage.goOnWith(startServer)
  await stage.as('alice', ['whoami'])
  const thief = JSON.parse((await stage.as('alice', ['whoami', '--json'], { key: 'thief' })).stdout)
  expect(thief).toEqual({ name: expect.stringMatching(/^alice-\d{3}$/), role: 'guest' })
  await stage.restart('SIGKILL')
  const later = JSON.parse((await stage.as('alice', ['whoami', '--json'], { key: 'thief' })).stdout)
  expect(later).toEqual(thief)
  expect((await stage.as('alice', ['whoami'])).stdout).toBe('alice (member)\n')
})

test.each(['ALICE', 'a1ice', 'аlice', 'аӏісе'])(
  'a lookalike (%s) of a name makes another key a guest or is rejected',
  async (name) => {
    const { stdout } = await stage.as(name, ['whoami', '--json'], { key: 'thief' })
    if (stdout !== '') expect(JSON.parse(stdout).role).toBe('guest')
  },
)

test('a rename to a Cyrillic lookalike of another name is rejected', async () => {
  await stage.as('bob', ['whoami'])
  const { exitCode, stderr } = await stage.as('bob', ['rename', 'аӏісе'])
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('аӏісе') })
  expect((await stage.as('bob', ['whoami'])).stdout).toBe('bob (member)\n')
})

test.each([
  ['guide', 'the name guide is taken; choose another'],
  ['system', 'nobody can be called system: the server speaks in this name'],
  ['lobby', 'nobody can be called lobby'],
  ['NOBODY', 'nobody can be called NOBODY: messages of the server use it for no particular person'],
  ['s0mebody', 'nobody can be called s0mebody'],
  ['YOU', 'nobody can be called YOU: messages of the server use it for their reader; choose another name'],
  ['r00t', 'nobody can be called r00t: it sounds like a person who runs the server; choose another name'],
  [
    'assistant',
    'nobody can be called assistant: models read it as a role in their prompt; choose another name',
  ],
  ['everyone', 'choose another name. Log in as ssh NAME@…'],
  ['a b', 'a name is 1-24 letters, digits, _ . or -'],
  ['_', 'a name needs a letter or a digit'],
])('the name %j is rejected with the reason for commands and sessions', async (name, why) => {
  const { exitCode, stdout, stderr } = await stage.as(name, ['whoami'])
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  expect(stderr).toContain(`You cannot come in under this name: `)
  expect(stderr).toContain(why)
  await using session = await stage.open(name, '-T')
  await session.waitFor(why)
  expect(await session.exit).toBe(1)
})

describe('keys and certificates', () => {
  let stage: Stage<AnyServer>
  let cas: SshHome
  beforeAll(async () => {
    cas = await createSshHome()
    const lines = await Promise.all([
      publicLine('ca'),
      publicLine('ca-rsa', ['-t', 'rsa', '-b', '2048']),
      publicLine('ca-ecdsa', ['-t', 'ecdsa', '-b', '384']),
    ])
    const config = `[server]\naccess = "closed"\nuser_ca = [${lines.map((line) => JSON.stringify(line)).join(', ')}]\n`
    stage = await createStageHere({ config })
    await stage.as(`ann+${stage.server.claimCode!}`, ['whoami'], { key: 'ann' })
    await stage.claim('boss')
  })
  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await cas[Symbol.asyncDispose]()
  })

  async function publicLine(name: string, args?: readonly string[]): Promise<string> {
    return (await readFile(`${await cas.key(name, args)}.pub`, 'utf8')).trim()
  }

  test('an added key logs in to the account until it is removed, also after restarts', async () => {
    await stage.goOnWith(startServer)
    const line = await readFile(`${await stage.home.key('laptop')}.pub`, 'utf8')
    const fingerprint = await stage.home.fingerprint('laptop')
    const byLaptop = () => stage.as('ann', ['whoami'], { key: 'laptop' })
    expect((await byLaptop()).exitCode).toBe(255)
    expect((await stage.as('ann', ['keys', 'add'], { input: line })).stdout).toContain(`${fingerprint} waits`)
    await stage.restart('SIGKILL')
    expect(await byLaptop()).toMatchObject({
      stdout: 'ann (member)\n',
      stderr: expect.stringMatching(/^! ann added this key, /),
    })
    expect(await byLaptop()).toMatchObject({ stdout: 'ann (member)\n', stderr: '' })
    expect((await stage.as('boss', ['keys', 'add'], { input: line })).exitCode).toBe(0)
    expect((await stage.as('boss', ['whoami'], { key: 'laptop' })).exitCode).toBe(255)
    expect((await stage.as('boss', ['keys', 'remove', fingerprint])).exitCode).toBe(0)
    await using elsewhere = await stage.open('ann', '-T', 'laptop')
    await elsewhere.waitFor('ann joined')
    // What came in with a key may remove it, is answered, and is the last that this key did.
    expect(await stage.as('ann', ['keys', 'remove', fingerprint], { key: 'laptop' })).toMatchObject({
      stdout: `${fingerprint} lets nobody in as ann any more\n`,
      stderr: '',
      exitCode: 0,
    })
    await elsewhere.waitFor(`the key of this login, ${fingerprint}, was removed`)
    expect(await elsewhere.exit).toBe(1)
    expect((await byLaptop()).exitCode).toBe(255)
    await stage.restart('SIGTERM')
    expect((await byLaptop()).exitCode).toBe(255)
    const own = await stage.home.fingerprint('ann')
    expect((await stage.as('ann', ['keys', 'remove', own])).stderr).toContain('your last key')
  })

  test('a rename is shown in open sessions, survives a restart and reserves the old name', async () => {
    await using watcher = await stage.open('boss', '-T')
    await using session = await stage.open('ann', '-T')
    await watcher.waitFor('ann joined')
    session.write('/rename anna\n')
    await watcher.waitFor('ann is called anna now')
    session.write('who am I\n')
    await watcher.waitFor('anna: who am I')
    expect((await stage.as('boss', ['who', 'lobby'])).stdout).toContain('anna')
    session.close()
    await watcher.waitFor('anna left')
    await stage.restart('SIGTERM')
    for (const name of ['ann', 'anna'])
      expect((await stage.as(name, ['whoami'], { key: 'ann' })).stdout).toBe('anna (member)\n')
    expect((await stage.as('boss', ['rename', 'ann'])).stderr).toContain('the name ann is taken')
    expect((await stage.as('boss', ['history', 'lobby'])).stdout).toMatch(
      /ann is called anna now[^]*anna: who am I/,
    )
  })

  describe('a certificate of a CA that the config names', () => {
    /** Signs the key of this name, and logs in with that alone. */
    async function withCertificate(
      user: string,
      signing: {
        readonly ca?: string
        readonly key: string
        readonly args: readonly string[]
        readonly type?: readonly string[]
      },
    ): Promise<SshResult> {
      const key = await stage.home.key(signing.key, signing.type)
      const ca = await cas.key(signing.ca ?? 'ca')
      await execa('ssh-keygen', ['-q', '-s', ca, '-I', 'somebody', ...signing.args, `${key}.pub`])
      const options = ['-o', `CertificateFile=${key}-cert.pub`]
      return await ssh({ user, port: stage.server.port, key, options }, ['whoami'])
    }

    test.each([
      ['Ed25519', 'ca', ['-t', 'ed25519']],
      ['ECDSA', 'ca-ecdsa', ['-t', 'ecdsa', '-b', '521']],
      ['RSA', 'ca-rsa', ['-t', 'rsa', '-b', '2048']],
    ])('a certificate for a key of type %s is accepted if access is "closed"', async (label, ca, type) => {
      const user = `cert-${label.toLowerCase()}`
      const args = ['-n', `other,${user}`, '-V', '-1h:+1h', '-O', 'source-address=127.0.0.0/8,::1']
      expect(await withCertificate(user, { ca, key: user, type, args })).toMatchObject({
        stdout: `${user} (member)\n`,
      })
      const alone = await ssh(
        {
          user,
          port: stage.server.port,
          key: await stage.home.key(user),
          options: ['-o', 'CertificateFile=none'],
        },
        ['whoami'],
      )
      expect(alone).toMatchObject({ exitCode: 255, stdout: '' })
      const other = await withCertificate(user, { ca, key: user, args: ['-n', 'other'] })
      expect(other).toMatchObject({ exitCode: 255, stdout: '' })
    })

    test.each([
      ['is for another name', ['-n', 'other']],
      ['is for no name', []],
      ['has expired', ['-n', 'cert-bad', '-V', '-2h:-1h']],
      ['is not valid yet', ['-n', 'cert-bad', '-V', '+1h:+2h']],
      ['is for a host', ['-h', '-n', 'cert-bad']],
      ['is for another network', ['-n', 'cert-bad', '-O', 'source-address=10.0.0.0/8']],
      ['wants a command that we would not force', ['-n', 'cert-bad', '-O', 'force-command=whoami']],
    ])('a certificate is rejected if it %s', async (_, args) => {
      expect(await withCertificate('cert-bad', { key: 'bad', args })).toMatchObject({
        exitCode: 255,
        stdout: '',
      })
    })

    test('a certificate for a lookalike name is rejected, and one for the exact name is accepted', async () => {
      const args = (name: string) => ({ key: 'like', args: ['-n', name] })
      for (const name of ['b0ss', 'b\u043ess', 'b\u03bfss'])
        expect(await withCertificate(name, args(name))).toMatchObject({ exitCode: 255, stdout: '' })
      expect(await withCertificate('boss', args('boss'))).toMatchObject({ stdout: 'boss (admin)\n' })
    })

    test('a certificate is rejected if its key or its person is banned, also after a restart', async () => {
      await stage.goOnWith(startServer)
      const enter = (name: string, key = 'pest') => withCertificate(name, { key, args: ['-n', name] })
      expect((await enter('pest')).stdout).toBe('pest (member)\n')
      expect((await enter('guest-of-all', 'other-pest')).stdout).toBe('guest-of-all (member)\n')
      await stage.as('boss', ['ban', await stage.home.fingerprint('pest')])
      await stage.as('boss', ['ban', 'guest-of-all'])
      const expectOut = async (): Promise<void> => {
        for (const name of ['pest', 'pest-again', 'boss'])
          expect(await enter(name)).toMatchObject({ exitCode: 255, stdout: '' })
        // The name is banned with its bearer, whatever key the certificate is for.
        for (const key of ['other-pest', 'third-pest'])
          expect(await enter('guest-of-all', key)).toMatchObject({ exitCode: 255, stdout: '' })
      }
      await expectOut()
      await stage.restart('SIGKILL')
      await expectOut()
      await stage.as('boss', ['unban', await stage.home.fingerprint('pest')])
      expect((await enter('pest')).stdout).toBe('pest (member)\n')
    })

    test('a certificate of an unknown CA is rejected', async () => {
      const result = await withCertificate('cert-bad', {
        ca: 'stranger',
        key: 'bad',
        args: ['-n', 'cert-bad'],
      })
      expect(result).toMatchObject({ exitCode: 255, stdout: '' })
    })
  })
})

describe('a client with several keys', () => {
  let stage: Stage<AnyServer>
  let askpass: Askpass
  beforeAll(async () => {
    stage = await createStageHere({ config: '[server]\naccess = "open"\n' })
    askpass = await createAskpass(stage.dir)
    await stage.as('ann', ['whoami'], { key: 'mine' })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** `ssh -i KEY… NAME@server whoami`, of a script or of a client that would answer questions. */
  async function whoami(name: string, keys: readonly string[], how: 'script' | 'person'): Promise<string> {
    const { options, env } = askpass.answering('no code')
    const files = await Promise.all(keys.map((key) => stage.home.key(key)))
    const result = await ssh(
      {
        user: name,
        port: stage.server.port,
        key: files.at(-1)!,
        options: [
          ...files.slice(0, -1).flatMap((file) => ['-i', file]),
          ...(how === 'person' ? options : []),
        ],
        ...(how === 'person' ? { env } : {}),
      },
      ['whoami'],
    )
    return result.stdout
  }

  test.each(['script', 'person'] as const)(
    'an owner is recognized if the client offers other keys, too (%s)',
    async (how) => {
      expect(await whoami('ann', ['other', 'mine'], how)).toBe('ann (member)\n')
      expect(await whoami('ann', ['mine', 'other'], how)).toBe('ann (member)\n')
      expect(await whoami('ann', ['other', 'third', 'mine', 'fourth'], how)).toBe('ann (member)\n')
    },
  )

  test.each(['script', 'person'] as const)(
    "a client without the owner's key becomes a guest without a question (%s)",
    async (how) => {
      expect(await whoami('ann', ['other'], how)).toMatch(/^ann-\d{3} \(guest\)\n$/)
      expect(await whoami('ann', ['other', 'third'], how)).toMatch(/^ann-\d{3} \(guest\)\n$/)
      expect(await askpass.asked()).toBe('')
    },
  )

  test('a free name is registered to the first key that the client offers', async () => {
    expect(await whoami('bob', ['bobs', 'mine'], 'script')).toBe('bob (member)\n')
    expect(await whoami('bob', ['bobs'], 'script')).toBe('bob (member)\n')
    expect(await whoami('bob', ['mine'], 'script')).toMatch(/guest/)
  })
})
