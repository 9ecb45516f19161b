import { cp, mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dataDirProblem } from '../../src/app/data-dir.ts'
import { paths } from '../../src/app/paths.ts'
import { lateOptimizing } from '../support/node-flags.ts'
import { type Server, startServer } from '../support/server.ts'
import { onPostgres } from '../support/stored.ts'
import { tinyDisk } from '../support/tiny-disk.ts'

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
])('a server whose directory %s is empty does not start, and says so', async (emptied, why) => {
  const root = await packageWithout(emptied)
  const serve = ['serve', '--data', join(dir, 'data'), '--listen', '127.0.0.1:0', '--log-level', 'silent']
  const ended = await execa(process.execPath, [...lateOptimizing, join(root, 'dist/main.js'), ...serve], {
    reject: false,
    timeout: 60_000,
  })
  expect(ended).toMatchObject({ exitCode: 1, stdout: '', stderr: `sshawl: ${join(root, why)}` })
})

describe('a server with HTTP', () => {
  const errorsWith = async (http: string, config: string): Promise<string> => {
    await using server = await startServer({ dataDir: join(dir, 'data'), http, config })
    await server.stop('SIGTERM')
    return server.stderr()
  }
  const WARNING = 'is not encrypted, so tokens can be read on their way: have it listen on 127.0.0.1'

  test('warns where others than this machine reach it', async () => {
    expect(await errorsWith('0.0.0.0:0', '')).toContain(`sshawl: HTTP on 0.0.0.0 ${WARNING}`)
    expect(await errorsWith('127.0.0.1:0', '')).not.toContain(WARNING)
  })
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
    first = await startServer({ dataDir })
    firstExit = await first.stop('SIGTERM')
    server = await startServer({ dataDir })
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await rm(home, { recursive: true, force: true })
  })

  test('prints the host key, a claim code and the address, in this order, and keeps the key', () => {
    expect(first.lines).toEqual([
      expect.stringMatching(/^host key SHA256:[A-Za-z0-9+/]{43}$/),
      expect.stringMatching(
        new RegExp(
          `^claim code ([A-Z0-9]{4}-[A-Z0-9]{4}) — first admin: ssh -p ${first.port} \\$USER@127\\.0\\.0\\.1 claim \\1$`,
        ),
      ),
      `sshawl listening on ssh://127.0.0.1:${first.port}`,
    ])
    expect(firstExit).toBe(0)
    expect(server.lines[0]).toBe(first.lines[0])
  })

  test('makes everything it writes readable by its owner only', async ({ skip }) => {
    skip(onPostgres, 'it is about the file of the database')
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
    const files = (await readdir(dataDir, { withFileTypes: true })).filter((entry) => entry.isFile())
    expect(files.map((file) => file.name)).toEqual(expect.arrayContaining(['sshawl.db']))
    for (const file of files)
      expect((await stat(join(dataDir, file.name))).mode & 0o777, file.name).toBe(0o600)
  })

  test('goes on while a second one on the same data is refused', async ({ skip }) => {
    skip(onPostgres, 'the file is what one server has alone; a PostgreSQL database bears several')
    const { exitCode, stderr } = await sshawl(['serve', '--listen', '127.0.0.1:0', '--data', dataDir])
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/another sshawl/)
    expect(server.process.exitCode).toBeNull()
  })

  test('has its address alone: another server is told that it is taken, and what to do', async () => {
    const taken = `127.0.0.1:${server.port}`
    const { exitCode, stderr } = await sshawl(['serve', '--listen', taken, '--data', join(dir, 'second')])
    expect(stderr).toContain(
      `sshawl: cannot listen on ${taken}: something else listens there; choose another with --listen`,
    )
    expect(exitCode).toBe(1)
  })
})

describe('starting', () => {
  test.each([
    [['serve', '--lisen', 'x'], 'sshawl: unknown flag --lisen; did you mean --listen?; see sshawl --help'],
    [
      ['serve', '--listen', 'nowhere'],
      'sshawl: --listen: "nowhere" is no address; write HOST:PORT, such as 127.0.0.1:2222',
    ],
    [
      ['serve', '--log-level', 'loud'],
      /^sshawl: --log-level: "loud" is no log level; write one of trace, debug/,
    ],
    [['srve'], 'sshawl: unknown command srve; did you mean serve?; see sshawl --help'],
    [['serve', '--config', '/nowhere.toml'], /^sshawl: \/nowhere\.toml: cannot be read/],
  ])('%j is one line on standard error and exit 2, and nothing is made', async (args, message) => {
    const { exitCode, stdout, stderr } = await sshawl([...args, '--data', join(dir, 'data')])
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    if (typeof message === 'string') expect(stderr).toBe(message)
    else expect(stderr).toMatch(message)
    expect(stderr.split('\n')).toHaveLength(1)
    expect(await readdir(dir)).toEqual([])
  })

  test.each(['/proc/x/y', '/dev/null/data'])(
    'a data directory that cannot be made (%s) is exit 2 at once',
    async (data) => {
      const { exitCode, stderr } = await sshawl(['serve', '--listen', '127.0.0.1:0', '--data', data])
      expect(stderr).toMatch(/^sshawl: --data: \S+ cannot be a directory here \(E[A-Z]+\)/)
      expect(exitCode).toBe(2)
    },
  )

  test('a data directory that cannot be made is a problem to sshawl check, too, and nothing is made', async () => {
    const { exitCode, stdout } = await sshawl(['check', '--data', '/dev/null/data'])
    expect(stdout).toContain('--data: /dev/null/data cannot be a directory here (ENOTDIR)')
    expect(exitCode).toBe(1)
    expect(await dataDirProblem(join(dir, 'a', 'b'))).toBe(undefined)
    expect(await readdir(dir)).toEqual([])
  })

  const disk = tinyDisk()
  test.skipIf(disk === undefined)(
    'a data directory on a read-only disk is refused with what to do, by serve and by check',
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

  test('--version and --help answer and start nothing', async () => {
    expect((await sshawl(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+$/)
    expect((await sshawl(['--help'])).stdout).toContain('sshawl check')
    expect(await readdir(dir)).toEqual([])
  })
})
