import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  stat,
  symlink,
  copyFile,
  readFile,
  writeFile,
} from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { existsSync } from 'node:fs'
import { execa } from 'execa'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dataDirProblem } from '../../src/server/data-dir.ts'
import { askForReload } from '../../src/server/reload-socket.ts'
import { paths } from '../../src/base/paths.ts'
import { lacks } from '../support/needs.ts'
import { lateOptimizing } from '../support/node-flags.ts'
import { type Server, startServer } from '../support/server.ts'
import { onPostgres } from '../support/stored.ts'
import { tinyDisk } from '../support/tiny-disk.ts'
import { createSshHome, ssh, type SshHome } from '../support/ssh.ts'

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname

let dir: string

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sshawl-start-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const sshawl = (args: readonly string[], env: Record<string, string> = {}) =>
  execa(process.execPath, [...lateOptimizing, MAIN, ...args], {
    env: { PATH: process.env['PATH'], HOME: dir, ...env },
    extendEnv: false,
    reject: false,
  })

/** This package with one of its directories emptied, in a place of its own. */
async function packageWithout(emptied: string): Promise<string> {
  const root = join(dir, 'package')
  for (const part of ['dist', 'lua', 'migrations', 'wrapped-tools', 'package.json'])
    await cp(join(paths.root, part), join(root, part), { recursive: true })
  await symlink(join(paths.root, 'node_modules'), join(root, 'node_modules'))
  await rm(join(root, emptied), { recursive: true })
  await mkdir(join(root, emptied))
  return root
}

test.each([
  ['lua/layers', 'lua/layers/*.lua: there are no layers; install sshawl again'],
  ['migrations', 'migrations: there are no migrations (001-….sql) in this directory; install sshawl again'],
])('a server whose directory %s is empty exits with status 1 and the reason', async (emptied, why) => {
  const root = await packageWithout(emptied)
  const serve = ['serve', '--data', join(dir, 'data'), '--listen', '127.0.0.1:0', '--log-level', 'silent']
  const ended = await execa(process.execPath, [...lateOptimizing, join(root, 'dist/main.js'), ...serve], {
    reject: false,
    timeout: 60_000,
  })
  expect(ended).toMatchObject({ exitCode: 1, stdout: '', stderr: `sshawl: ${join(root, why)}` })
})

const WARNING = 'is not encrypted, so tokens can be read on their way: have it listen on 127.0.0.1'

test('a server warns if HTTP listens on 0.0.0.0', async () => {
  await using server = await startServer({ dataDir: join(dir, 'data'), http: '0.0.0.0:0', config: '' })
  await server.stop('SIGTERM')
  expect(server.stderr()).toContain(`sshawl: HTTP on 0.0.0.0 ${WARNING}`)
})

describe('a server that was started, stopped and started again', () => {
  let home: string
  let dataDir: string
  let first: Server
  let firstExit: number | null
  let server: Server
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'sshawl-started-'))
    dataDir = join(home, 'data')
    first = await startServer({ dataDir, http: '127.0.0.1:0' })
    firstExit = await first.stop('SIGTERM')
    server = await startServer({ dataDir })
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await rm(home, { recursive: true, force: true })
  })

  test('a server prints host key, claim code, then addresses, and keeps its host key', () => {
    expect(first.lines).toEqual([
      expect.stringMatching(/^host key SHA256:[A-Za-z0-9+/]{43}$/),
      expect.stringMatching(
        new RegExp(
          `^claim code ([A-Z0-9]{4}-[A-Z0-9]{4}) — first admin: ssh -p ${first.port} \\$USER@127\\.0\\.0\\.1 claim \\1$`,
        ),
      ),
      `sshawl listening on ssh://127.0.0.1:${first.port}`,
      expect.stringMatching(/^sshawl listening on http:\/\/127\.0\.0\.1:\d+$/),
    ])
    expect(firstExit).toBe(0)
    expect(server.lines[0]).toBe(first.lines[0])
  })

  test('a server does not warn if HTTP listens on 127.0.0.1', () => {
    expect(first.stderr()).not.toContain(WARNING)
  })

  test('the data directory and its files are readable by their owner only', async ({ skip }) => {
    skip(onPostgres, 'it is about the file of the database')
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
    const files = (await readdir(dataDir, { withFileTypes: true })).filter((entry) => entry.isFile())
    expect(files.map((file) => file.name)).toEqual(expect.arrayContaining(['sshawl.db']))
    for (const file of files)
      expect((await stat(join(dataDir, file.name))).mode & 0o777, file.name).toBe(0o600)
  })

  test('a second server on the same data directory is rejected, and the first keeps running', async ({
    skip,
  }) => {
    skip(onPostgres, 'the file is what one server has alone; a PostgreSQL database bears several')
    const { exitCode, stderr } = await sshawl(['serve', '--listen', '127.0.0.1:0', '--data', dataDir])
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/another sshawl/)
    expect(server.process.exitCode).toBeNull()
  })

  test.skipIf(lacks('cc') || onPostgres).each(['EACCES', 'ENOLCK', 'EOPNOTSUPP'] as const)(
    'a server on a disk that refuses locks with %s says so and suggests a local disk',
    async (code) => {
      const library = join(dir, 'refuse-locks.so')
      const source = new URL('../support/faults/refuse-locks.c', import.meta.url).pathname
      await execa('cc', ['-shared', '-fPIC', '-o', library, source])
      const data = join(dir, 'far')
      const env = { LD_PRELOAD: library, REFUSE_LOCKS: String(constants.errno[code]) }
      const { exitCode, stderr } = await sshawl(['serve', '--listen', '127.0.0.1:0', '--data', data], env)
      expect(stderr).toContain(
        `sshawl: ${data} is on a file system that refuses locks, such as NFS or SMB; name a directory on a local disk`,
      )
      expect(exitCode).toBe(1)
      expect(await readdir(data)).not.toContainEqual(expect.stringMatching(/\.lock\../))
    },
  )

  test('a server on an address in use exits with status 1 and suggests --listen', async () => {
    const taken = `127.0.0.1:${server.port}`
    const { exitCode, stderr } = await sshawl(['serve', '--listen', taken, '--data', join(dir, 'second')])
    expect(stderr).toContain(
      `sshawl: cannot listen on ${taken}: something else listens there; choose another with --listen`,
    )
    expect(exitCode).toBe(1)
  })
})

test.each([
  [['serve', '--lisen', 'x'], 'sshawl: unknown flag --lisen; did you mean --listen?; see sshawl --help'],
  [['srve'], 'sshawl: unknown command srve; did you mean serve?; see sshawl --help'],
  [['serve', '--config', '/nowhere.toml'], /^sshawl: \/nowhere\.toml: cannot be read/],
])(
  'the command %j exits with status 2 after one line on standard error and creates nothing',
  async (args, message) => {
    const { exitCode, stdout, stderr } = await sshawl([...args, '--data', join(dir, 'data')])
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    if (typeof message === 'string') expect(stderr).toBe(message)
    else expect(stderr).toMatch(message)
    expect(stderr.split('\n')).toHaveLength(1)
    expect(await readdir(dir)).toEqual([])
  },
)

test.each(['/proc/x/y', '/dev/null/data'])(
  'serve exits with status 2 if the data directory cannot be created (%s)',
  async (data) => {
    const { exitCode, stderr } = await sshawl(['serve', '--listen', '127.0.0.1:0', '--data', data])
    expect(stderr).toMatch(/^sshawl: --data: \S+ cannot be a directory here \(E[A-Z]+\)/)
    expect(exitCode).toBe(2)
  },
)

test('sshawl check reports a data directory that cannot be created, and creates nothing', async () => {
  const { exitCode, stdout } = await sshawl(['check', '--data', '/dev/null/data'])
  expect(stdout).toContain('--data: /dev/null/data cannot be a directory here (ENOTDIR)')
  expect(exitCode).toBe(1)
  expect(await dataDirProblem(join(dir, 'a', 'b'))).toBe(undefined)
  expect(await readdir(dir)).toEqual([])
})

const disk = tinyDisk()
test.skipIf(disk === undefined)(
  'serve and check reject a data directory on a read-only disk with a hint',
  async () => {
    using full = disk
    const data = join(full?.path ?? '', 'data')
    const server = await startServer({ dataDir: data })
    await server.stop('SIGTERM')
    full?.makeReadOnly()
    const sentence = `--data: the disk of ${data} is read-only (EROFS); mount it so that it can be written, or name another directory`
    expect(await sshawl(['serve', '--listen', '127.0.0.1:0', '--data', data])).toMatchObject({
      exitCode: 2,
      stderr: `sshawl: ${sentence}`,
    })
    const checked = await sshawl(['check', '--data', data])
    expect(checked.stdout.split('\n')[0]).toBe(sentence)
    expect(checked.exitCode).toBe(1)
  },
)

test('--version and --help print their text without creating files', async () => {
  expect((await sshawl(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+$/)
  const help = (await sshawl(['--help'])).stdout
  expect(help).toContain('sshawl check')
  expect(help.split('\n').filter((line) => line.length > 80)).toEqual([])
  expect(await readdir(dir)).toEqual([])
})

describe('host keys of the config', () => {
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

  test('two servers with the same host_keys show the same keys and create none', async () => {
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

  /** What the first server answers to a reload with this config; reload.test.ts is about the command. */
  async function reloaded(config: string): Promise<string> {
    await writeFile(`${at('one')}.toml`, config)
    const { notes, problems } = await askForReload(at('one'))
    return [...notes, ...problems].join('\n')
  }

  test('a reload reports each time that changed host_keys need a restart', async () => {
    await keygen('other', '-t', 'ed25519')
    const note = /one\.toml:3: server\.host_keys needs a restart; the old keys stay/
    for (const config of [configWith(at('other')), configWith(at('rsa')), configWith()]) {
      expect(await reloaded(config), config).toMatch(note)
      expect(await reloaded(config), config).toMatch(note)
    }
    for (const config of [configWith('ed', 'rsa'), configWith('rsa', 'ed')])
      expect(await reloaded(config)).not.toContain('restart')

    // The same path, and another key in it.
    await copyFile(at('ed'), at('kept'))
    await copyFile(at('other'), at('ed'))
    expect(await reloaded(configWith(at('ed'), at('rsa')))).toMatch(note)
    await copyFile(at('kept'), at('ed'))
  })

  test('a reload with an unusable host key exits with 1 and the reason', async () => {
    await writeFile(`${at('one')}.toml`, configWith(at('ed'), at('gone')))
    const { exitCode, stderr } = await sshawl('reload', '--data', at('one'))
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/one\.toml:3: server\.host_keys: there is no file \S+\/gone/)
  })

  test('sshawl check and the start reject unusable host keys without creating files', async () => {
    await keygen('locked', '-t', 'rsa', '-b', '2048', '-N', 'secret')
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
})
