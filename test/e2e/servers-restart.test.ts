import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { askForReload } from '../../src/server/reload-socket.ts'
import { createCluster, type ClusterStage } from '../support/cluster.ts'
import { lacks } from '../support/needs.ts'
import { startServer } from '../support/server.ts'
import type { SshSession } from '../support/ssh.ts'

/** A command takes long on a busy machine. */
const PATIENCE = { timeout: 20_000, interval: 100 }

const DIFFER = /the server \S+ \(\S+\) runs another version or config/g

const ROOT = join(import.meta.dirname, '../..')

/** This program in another directory. */
async function copyOfProgram(): Promise<AsyncDisposable & { readonly dir: string; readonly main: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-next-'))
  for (const part of ['dist', 'lua', 'migrations', 'wrapped-tools', 'package.json'])
    await cp(join(ROOT, part), join(dir, part), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  return {
    dir,
    main: join(dir, 'dist', 'main.js'),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  }
}

/** This program with one more migration, which takes nothing away. */
async function nextVersion() {
  const next = await copyOfProgram()
  const migrations = join(next.dir, 'migrations', 'postgres')
  const number = String((await readdir(migrations)).length + 1).padStart(3, '0')
  await writeFile(
    join(migrations, `${number}-more.sql`),
    "ALTER TABLE entries ADD COLUMN more TEXT NOT NULL DEFAULT ''",
  )
  return next
}

/** This program, where it publishes what it says on another channel, as versions before did. */
async function versionOnOtherChannel() {
  const other = await copyOfProgram()
  const dist = join(other.dir, 'dist')
  const changed: string[] = []
  for (const name of await readdir(dist, { recursive: true })) {
    if (!name.endsWith('.js')) continue
    const text = await readFile(join(dist, name), 'utf8')
    if (!text.includes('sshawl_hints')) continue
    await writeFile(join(dist, name), text.replaceAll('sshawl_hints', 'sshawl_sealed'))
    changed.push(name)
  }
  expect(changed).toHaveLength(1)
  return other
}

test.skipIf(lacks('postgres'))('servers of two versions share their rooms during a deployment', async () => {
  await using next = await nextVersion()
  let isDeployed = false
  await using cluster = await createCluster({
    servers: 2,
    main: (at) => (at === 1 && isDeployed ? next.main : undefined),
  })
  await using alice = await cluster.inLobby(0, 'alice')
  isDeployed = true
  await cluster.restart(1, 'SIGTERM')
  expect((await cluster.as(1, 'bob', ['say', 'lobby', 'from the next version'])).exitCode).toBe(0)
  await alice.waitFor('from the next version')
  alice.write('from the version before\n')
  await alice.waitFor('from the version before')
  await cluster.restart(0, 'SIGTERM')
  const { stdout } = await cluster.as(0, 'alice', ['history', 'lobby'])
  expect(stdout).toMatch(/from the next version[^]*from the version before/)
})

test.skipIf(lacks('postgres'))(
  'servers without a common bus channel show every line once, in one order',
  async () => {
    await using before = await versionOnOtherChannel()
    await using cluster = await createCluster({
      servers: 2,
      main: (at) => (at === 0 ? before.main : undefined),
    })
    await using alice = await cluster.inLobby(0, 'alice')
    await using bob = await cluster.inLobby(1, 'bob')
    for (let n = 0; n < 10; n++) {
      alice.write(`from alice ${n}\n`)
      bob.write(`from bob ${n}\n`)
    }
    for (const session of [alice, bob])
      for (const name of ['alice', 'bob']) await session.waitFor(`from ${name} 9`)
    const said = (text: string): readonly string[] => text.match(/from \w+ \d+/g) ?? []
    expect(said(alice.output())).toEqual(said(bob.output()))
    expect(said(alice.output())).toHaveLength(20)
  },
)

describe.skipIf(lacks('postgres'))('three servers that are started again', () => {
  const SERVERS = [0, 1, 2]
  let stage: ClusterStage
  beforeAll(async () => {
    stage = await createCluster({ servers: SERVERS.length })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('three servers share one claim code, which makes one admin', async () => {
    const codes = (): readonly (string | undefined)[] => stage.servers.map(({ claimCode }) => claimCode)
    const code = stage.servers[0]!.claimCode!
    expect(codes()).toEqual([code, code, code])
    await stage.restart(1, 'SIGKILL')
    expect(codes()).toEqual([code, code, code])
    expect((await stage.as(2, 'mallory', ['claim', 'WRNG-WRNG'])).exitCode).toBe(1)
    const claims = await Promise.all(SERVERS.map((at) => stage.as(at, `rhea${at}`, ['claim', code])))
    expect(claims.map(({ exitCode }) => String(exitCode)).toSorted()).toEqual(['0', '1', '1'])
    expect(await stage.database.send('SELECT count(*)::int AS admins FROM people WHERE admin = 1')).toEqual([
      { admins: 1 },
    ])
    await stage.restart(2, 'SIGTERM')
    expect(stage.servers[2]!.claimCode).toBeUndefined()
    expect((await stage.as(2, 'mallory', ['claim', code])).exitCode).toBe(1)
    // Once nobody is admin any more, the old code is good for nothing.
    await stage.database.send('UPDATE people SET admin = 0')
    await stage.restart(0, 'SIGTERM')
    expect(stage.servers[0]!.claimCode).not.toBe(code)
    expect((await stage.as(0, 'rhea1', ['claim', code])).exitCode).toBe(1)
    expect((await stage.as(0, 'rhea1', ['claim', stage.servers[0]!.claimCode!])).exitCode).toBe(0)
  })

  test('a data directory is used by one server at a time, and is free once that is killed', async () => {
    const [first] = stage.servers
    const { dataDir } = first!
    const config = await readFile(`${dataDir}.toml`, 'utf8')
    const second = startServer({ dataDir, config, env: { DATABASE: stage.database.url } })
    await expect(second).rejects.toThrow(
      `another sshawl is using ${dataDir}; stop that one, or give this one another directory with --data`,
    )
    expect((await askForReload(dataDir)).problems).toEqual([])
    expect((await stage.as(0, 'alice', ['whoami'])).exitCode).toBe(0)
    for (const how of ['SIGKILL', 'SIGTERM'] as const) await stage.restart(0, how)
    expect((await askForReload(dataDir)).problems).toEqual([])
  })
})

describe.skipIf(lacks('postgres'))('two servers, of which the second starts with another config', () => {
  let stage: ClusterStage
  beforeAll(async () => {
    stage = await createCluster({ servers: 1, own: (at) => (at === 1 ? 'turns_per_room = 3\n' : '') })
    await stage.done(0, 'rhea', `claim ${stage.servers[0]!.claimCode}`)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const sentence = (other: number): string =>
    `the server ${hostname()} (127.0.0.1:${stage.servers[other]!.port}) runs another version or config`

  /** Waits until an admin who logs in is told it: a server that has just begun may not have looked at the others. */
  async function greeted(at: number, difference: string): Promise<void> {
    await vi.waitFor(async () => {
      await using rhea = await stage.inLobby(at, 'rhea')
      // The greeting ends with who is here; what it lacks by then, only another login can bring.
      expect(await rhea.waitFor(/-- (here:|nobody else)/)).toContain(`-- ${difference}`)
    }, PATIENCE)
  }

  test('admins who are present read once that another server has another config', async () => {
    // In rooms that the other server has never opened.
    const inRoom = async (name: string): Promise<SshSession> => {
      await stage.as(0, 'rhea', ['create', name])
      const session = await stage.open(0, 'rhea', '-T')
      session.write(`/join ${name}\n`)
      await session.waitFor(`-- ${name}`)
      return session
    }
    await using rhea = await inRoom('den')
    await using other = await inRoom('attic')
    await stage.start(1)
    await vi.waitFor(() => expect((rhea.output() + other.output()).match(DIFFER)).toHaveLength(1), PATIENCE)
    for (const [session, name] of [[rhea, 'den'] as const, [other, 'attic'] as const]) {
      await stage.as(1, 'rhea', ['say', name, 'and'])
      await session.waitFor('rhea: and')
    }
    expect((rhea.output() + other.output()).match(DIFFER)).toHaveLength(1)
  })

  test('each server logs a different config once and shows it to admins who log in', async () => {
    const logged = (at: number): string => stage.servers[at]!.stderr()
    for (const at of [0, 1])
      await vi.waitFor(() => expect(logged(at)).toContain('runs another version or config'), PATIENCE)
    for (const at of [0, 1]) {
      await greeted(at, sentence(1 - at))
      await using bob = await stage.inLobby(at, 'bob')
      await bob.waitFor('type to speak')
      expect(bob.output()).not.toContain('the server')
    }
    for (const at of [0, 1]) expect(logged(at).match(/runs another version or config/g)).toHaveLength(1)
  })
})
