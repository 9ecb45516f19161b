import { execa } from 'execa'
import { readFile } from 'node:fs/promises'
import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'
import { createSshHome, ssh, type SshResult } from '../support/ssh.ts'

/** How people log in: with questions, should the server have any. */
const LIKE_PEOPLE = ['-o', 'BatchMode=no', '-o', 'PreferredAuthentications=publickey,keyboard-interactive']

/** A server with a CA, where yves is the admin with a key of their own. */
async function createCertifiedStage(access: string) {
  const operator = await createSshHome()
  const ca = await operator.key('ca')
  const line = (await readFile(`${ca}.pub`, 'utf8')).trim()
  const server = `[server]\naccess = "${access}"\nuser_ca = ["${line}"]\n`
  const stage = await createStageHere({ config: server })
  const endStage = stage[Symbol.asyncDispose]
  await stage.claim('yves')
  return Object.assign(stage, {
    /** Makes `key-cert.pub` beside the key. */
    async sign(name: string, ...args: readonly string[]): Promise<string> {
      const key = await stage.home.key(name)
      await execa('ssh-keygen', ['-q', '-s', ca, '-I', name, ...args, `${key}.pub`])
      return key
    },
    async [Symbol.asyncDispose]() {
      await endStage()
      await operator[Symbol.asyncDispose]()
    },
  })
}

const login = (
  { server: { port } }: Stage<AnyServer>,
  user: string,
  key: string | undefined,
  options: readonly string[] = [],
  words = ['whoami'],
): Promise<SshResult> => ssh({ user, port, ...(key === undefined ? {} : { key }), options }, words)

/** An agent of OpenSSH with one key, and its certificate where that lies beside it. */
async function startAgent(dir: string, key: string): Promise<AsyncDisposable & { readonly socket: string }> {
  const socket = join(dir, 'agent')
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(agent.stdout, 'data')
  await execa('ssh-add', ['-q', key], { env: { SSH_AUTH_SOCK: socket } })
  return {
    socket,
    async [Symbol.asyncDispose]() {
      const ended = once(agent, 'close')
      agent.kill('SIGTERM')
      await ended
    },
  }
}

describe.each(['invite', 'closed', 'open'])('where access is "%s", a certificate lets in', (access) => {
  let stage: Awaited<ReturnType<typeof createCertifiedStage>>
  beforeAll(async () => {
    stage = await createCertifiedStage(access)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('a certificate of the key is accepted for all its principals, also after a restart', async () => {
    const key = await stage.sign('dora', '-n', 'dora,yves')
    expect(await login(stage, 'dora', key)).toMatchObject({ stdout: 'dora (member)\n' })
    expect(await login(stage, 'yves', key)).toMatchObject({ stdout: 'yves (admin)\n' })
    // Another name is not certified: the plain key registers it, if it may.
    const other = access === 'open' ? { stdout: 'other (member)\n' } : { exitCode: 255, stdout: '' }
    expect(await login(stage, 'other', key)).toMatchObject(other)
    const { stdout } = await login(stage, 'dora', key, [], ['keys', 'list'])
    expect(stdout).toContain('no key is stored for you')
    await stage.restart('SIGTERM')
    expect(await login(stage, 'dora', key)).toMatchObject({ stdout: 'dora (member)\n' })
  })

  test('a certificate is accepted from an SSH agent and after an unknown key', async () => {
    const key = await stage.sign('dora', '-n', 'dora')
    await using agent = await startAgent(stage.dir, key)
    const fromAgent = ['-o', `IdentityAgent=${agent.socket}`, '-o', 'IdentitiesOnly=no']
    expect(await login(stage, 'dora', undefined, fromAgent)).toMatchObject({ stdout: 'dora (member)\n' })
    const first = await stage.home.key('first')
    const both = ['-o', `IdentityFile=${first}`, '-o', `IdentityFile=${key}`]
    expect(await login(stage, 'dora', undefined, both)).toMatchObject({ stdout: 'dora (member)\n' })
  })
})

test('certificate principals match names in any case, and the log says why a certificate is rejected', async () => {
  await using stage = await createCertifiedStage('closed')
  const key = await stage.sign('dora', '-n', 'DORA,Yves')
  expect(await login(stage, 'dora', key)).toMatchObject({ stdout: 'dora (member)\n' })
  expect(await login(stage, 'YVES', key)).toMatchObject({ stdout: 'yves (admin)\n' })
  expect(await login(stage, 'eve', key)).toMatchObject({ exitCode: 255 })
  const old = await stage.sign('old', '-n', 'dora', '-V', '-2h:-1h')
  expect(await login(stage, 'dora', old)).toMatchObject({ exitCode: 255 })
  await stage.server.stop('SIGTERM')
  expect(stage.server.stderr()).toContain('the certificate was refused: it is not for this name')
  expect(stage.server.stderr()).toContain('the certificate was refused: it has expired')
})

test('a token made with a certificate expires no later than the certificate', async () => {
  await using stage = await createCertifiedStage('closed')
  const key = await stage.sign('dora', '-n', 'dora', '-V', '-1h:+1d')
  const made = async (...words: readonly string[]) =>
    JSON.parse((await login(stage, 'dora', key, [], ['token', 'new', '--json', ...words])).stdout)
  const { until } = await made('--days', '30')
  expect(Date.parse(until)).toBeLessThanOrEqual(Date.now() + 86_400_000)
  const forever = await stage.sign('yves', '-n', 'yves', '-V', 'always:forever')
  const { stdout } = await login(stage, 'yves', forever, [], ['token', 'new', '--json', '--days', '365'])
  expect(Date.parse(JSON.parse(stdout).until)).toBeGreaterThan(Date.parse(until))
})

test('a key without a certificate is registered if access is "open"', async () => {
  await using stage = await createCertifiedStage('open')
  const [dora, bad] = [await stage.home.key('dora'), await stage.sign('bad', '-n', 'bad', '-V', '-2h:-1h')]
  expect(await login(stage, 'dora', dora, LIKE_PEOPLE)).toMatchObject({ stdout: 'dora (member)\n' })
  expect(await login(stage, 'dora', dora)).toMatchObject({ stdout: 'dora (member)\n' })
  expect(await login(stage, 'bad', bad, LIKE_PEOPLE)).toMatchObject({ stdout: 'bad (member)\n' })
  const script = await stage.home.key('script')
  expect(await login(stage, 'script', script)).toMatchObject({ stdout: 'script (member)\n' })
  expect((await login(stage, 'yves', bad, LIKE_PEOPLE)).stdout).toMatch(/^yves-\d{3} \(guest\)\n$/)
  const system = await login(stage, 'system', dora, LIKE_PEOPLE)
  expect(system).toMatchObject({ exitCode: 1, stdout: '' })
  expect(system.stderr).toContain('nobody can be called system')
})
