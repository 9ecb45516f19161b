import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCluster } from '../support/cluster.ts'
import { lacks } from '../support/needs.ts'

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

test.skipIf(lacks('postgres'))(
  'during a deployment, servers of two versions have the same rooms',
  async () => {
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
  },
)

test.skipIf(lacks('postgres'))(
  'servers that do not hear each other on the bus have every line once, in one order',
  async () => {
    await using before = await versionOnOtherChannel()
    await using cluster = await createCluster({
      servers: 2,
      main: (at) => (at === 0 ? before.main : undefined),
    })
    await using alice = await cluster.open(0, 'alice', '-T')
    await alice.waitFor('-- lobby')
    await using bob = await cluster.open(1, 'bob', '-T')
    await bob.waitFor('-- lobby')
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
