import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lateOptimizing } from '../support/node-flags.ts'
import { startServer, type Server } from '../support/server.ts'
import { createSshHome, ssh, type SshHome } from '../support/ssh.ts'

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname
const sshawl = (...words: readonly string[]) =>
  execa(process.execPath, [...lateOptimizing, MAIN, ...words], { reject: false, timeout: 20_000 })

let dir: string
let home: SshHome
/** With the same host keys, one by paths relative to its config. */
let servers: readonly Server[] = []
const at = (name: string): string => join(dir, name)
const keygen = (name: string, ...words: readonly string[]) =>
  execa('ssh-keygen', ['-q', '-N', '', '-f', at(name), ...words], { stdin: 'ignore' })
const configWith = (...keys: readonly string[]): string =>
  `[server]\nmotd = "hello"\nhost_keys = ${JSON.stringify(keys)}\n`

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sshawl-host-keys-'))
  home = await createSshHome()
  await keygen('ed', '-t', 'ed25519')
  await keygen('rsa', '-t', 'rsa', '-b', '2048')
  servers = await Promise.all([
    startServer({ dataDir: at('one'), config: configWith(at('ed'), at('rsa')) }),
    startServer({ dataDir: at('two'), config: configWith('ed', 'rsa') }),
  ])
})
afterAll(async () => {
  for (const server of servers) await server[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

const fingerprint = async (name: string): Promise<string> =>
  (await execa('ssh-keygen', ['-lf', at(name)])).stdout.split(' ')[1] ?? ''

test('two servers print and show the same keys, and make none of their own', async () => {
  const lines = [`host key ${await fingerprint('ed')}`, `host key ${await fingerprint('rsa')}`]
  const known = at('known_hosts')
  for (const server of servers) {
    expect(server.lines.filter((line) => line.startsWith('host key'))).toEqual(lines)
    expect(existsSync(join(server.dataDir, 'host_key_ed25519'))).toBe(false)
    for (const algorithm of ['ssh-ed25519', 'rsa-sha2-512', 'rsa-sha2-256']) {
      const type = algorithm.replace(/rsa.*/, 'ssh-rsa')
      // The first server teaches the client each key, and the second must have the same under the same name.
      const strict = server === servers[0] ? 'accept-new' : 'yes'
      const options = Object.entries({
        HostKeyAlias: `chat.example.org-${type}`,
        HostKeyAlgorithms: algorithm,
        UserKnownHostsFile: known,
        StrictHostKeyChecking: strict,
      }).flatMap(([name, value]) => ['-o', `${name}=${value}`])
      const target = { user: 'ann', port: server.port, key: await home.key('ann'), options }
      expect(await ssh(target, ['whoami']), algorithm).toMatchObject({ stdout: 'ann (member)\n' })
    }
  }
  expect((await readFile(known, 'utf8')).match(/\n/g)).toHaveLength(2)
})

/** What a reload of the first server prints, with this config. */
async function reloaded(config: string): Promise<{ exitCode: number | undefined; text: string }> {
  await writeFile(`${at('one')}.toml`, config)
  const { exitCode, stdout, stderr } = await sshawl('reload', '--data', at('one'))
  return { exitCode, text: `${stdout}${stderr}` }
}

test('a reload says that other keys need a restart, as often as it is asked, and follows the rest', async () => {
  await keygen('other', '-t', 'ed25519')
  const note = /one\.toml:3: server\.host_keys needs a restart; the old ones stay/
  for (const config of [configWith(at('other')), configWith(at('rsa')), configWith()]) {
    expect((await reloaded(config)).text, config).toMatch(note)
    expect((await reloaded(config)).text, config).toMatch(note)
  }
  for (const config of [configWith('ed', 'rsa'), configWith('rsa', 'ed')])
    expect((await reloaded(config)).text).not.toContain('restart')

  // The same path, and another key in it.
  await copyFile(at('ed'), at('kept'))
  await copyFile(at('other'), at('ed'))
  expect((await reloaded(configWith(at('ed'), at('rsa')))).text).toMatch(note)
  await copyFile(at('kept'), at('ed'))
})

test('a reload with a key that cannot be used leaves all as it was', async () => {
  const { exitCode, text } = await reloaded(configWith(at('ed'), at('gone')))
  expect(exitCode).toBe(1)
  expect(text).toMatch(/one\.toml:3: server\.host_keys: there is no file \S+\/gone/)
})

test('check and the start say what is wrong with each key, and make nothing', async () => {
  await keygen('locked', '-t', 'rsa')
  await execa('ssh-keygen', ['-q', '-p', '-P', '', '-N', 'secret', '-f', at('locked')])
  const file = at('wrong.toml')
  await writeFile(file, configWith(at('gone'), at('locked'), at('ed')))
  const words = ['--config', file, '--data', at('never'), '--listen', '127.0.0.1:0']
  const checked = await sshawl('check', ...words)
  expect(checked.exitCode).toBe(1)
  expect(checked.stdout).toMatch(/wrong\.toml:3: server\.host_keys: there is no file \S+\/gone; make a key/)
  expect(checked.stdout).toMatch(/wrong\.toml:3: server\.host_keys: \S+\/locked has a passphrase/)
  const started = await sshawl('serve', ...words)
  expect(started).toMatchObject({ exitCode: 2, stdout: '' })
  expect(started.stderr).toMatch(/^sshawl: \S+wrong\.toml:3: server\.host_keys: there is no file/)
  expect(existsSync(at('never'))).toBe(false)
})
