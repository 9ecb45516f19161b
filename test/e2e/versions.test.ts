import { cp, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCluster } from '../support/cluster.ts'
import { lacks } from '../support/needs.ts'

const ROOT = join(import.meta.dirname, '../..')

/** This program with one more migration, which takes nothing away. */
async function nextVersion(): Promise<AsyncDisposable & { readonly main: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-next-'))
  for (const part of ['dist', 'lua', 'migrations', 'wrapped-tools', 'package.json'])
    await cp(join(ROOT, part), join(dir, part), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  const migrations = join(dir, 'migrations', 'postgres')
  const number = String((await readdir(migrations)).length + 1).padStart(3, '0')
  await writeFile(
    join(migrations, `${number}-more.sql`),
    "ALTER TABLE entries ADD COLUMN more TEXT NOT NULL DEFAULT ''",
  )
  return {
    main: join(dir, 'dist', 'main.js'),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  }
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
