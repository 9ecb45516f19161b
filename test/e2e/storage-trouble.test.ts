import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFile } from '../../src/adapters/storage/sqlite/driver.ts'
import { type AnyServer } from '../support/server.ts'
import { createStage, createStageHere, type Stage } from '../support/stage.ts'
import { onPostgres } from '../support/stored.ts'
import { tinyDisk } from '../support/tiny-disk.ts'

const ITS_OWN = "it is about SQLite's file; PostgreSQL's own trouble is in postgres-trouble.test.ts"

/** What a person can do while nothing can be stored: come in, read, look around and leave, and be told. */
async function expectOpenDoor(stage: Stage<AnyServer>, told: string): Promise<void> {
  const session = await stage.open('alice', '-T')
  await session.waitFor('before the trouble')
  session.write('lost words\n')
  await session.waitFor(`not stored: ${told}`)
  // Whatever is to be stored waits for whoever holds the database: these wait together.
  const [history, found, said] = await Promise.all([
    stage.as('bob', ['history', 'lobby']),
    stage.as('bob', ['search', 'lobby', 'trouble']),
    stage.as('bob', ['say', 'lobby', 'lost too']),
  ])
  for (const read of [history, found])
    expect(read).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('before the trouble') as string,
    })
  expect(said).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(told) as string })
  session.close()
  expect(await session.exit).toBe(0)
  expect(await stage.as('newcomer', ['whoami'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`You cannot come in now: ${told}`) as string,
  })
}

async function expectAllIsWell(stage: Stage<AnyServer>): Promise<void> {
  expect(await stage.as('bob', ['say', 'lobby', 'stored again'])).toMatchObject({ exitCode: 0 })
  // Who came meanwhile is told once, as soon as anything can be stored: before what is said next, or behind it.
  await expect
    .poll(async () => (await stage.as('bob', ['history', 'lobby'])).stdout.split('1 person came and went'))
    .toHaveLength(2)
  const { stdout } = await stage.as('alice', ['history', 'lobby'])
  expect(stdout).toContain('stored again')
  expect(stdout).not.toContain('lost')
}

test('while another program holds the database, people come in, read and leave, and are told', async ({
  skip,
}) => {
  skip(onPostgres, ITS_OWN)
  await using stage = await createStageHere()
  for (const name of ['alice', 'bob']) await stage.as(name, ['say', 'lobby', 'before the trouble'])
  const other = openFile(join(stage.server.dataDir, 'sshawl.db'))
  other.exec('BEGIN IMMEDIATE')
  await expectOpenDoor(stage, 'another program holds the database')
  other.close()
  await expectAllIsWell(stage)
})

test('a server whose database somebody else holds stops in time all the same', async ({ skip }) => {
  skip(onPostgres, ITS_OWN)
  await using stage = await createStage()
  const names = ['alice', 'bob', 'carol']
  const sessions = await Promise.all(names.map((name) => stage.open(name, '-T')))
  await Promise.all(sessions.map((session, index) => session.waitFor(`${names[index]} joined`)))
  const other = openFile(join(stage.server.dataDir, 'sshawl.db'))
  other.exec('BEGIN EXCLUSIVE')
  for (const session of sessions) session.write('lost words\n'.repeat(3))
  const start = performance.now()
  expect(await stage.server.stop('SIGTERM')).toBe(0)
  expect(performance.now() - start).toBeLessThan(5_000)
  other.close()
})

const disk = tinyDisk()

test.skipIf(disk === undefined)(
  'while the disk is full, people come in, read and leave, and are told',
  async ({ skip }) => {
    skip(onPostgres, ITS_OWN)
    using full = disk
    await using stage = await createStage(full ? { dataDir: join(full.path, 'data') } : {})
    for (const name of ['alice', 'bob']) await stage.as(name, ['say', 'lobby', 'before the trouble'])
    // The index has what was said until now, and not what follows.
    await stage.as('bob', ['search', 'lobby', 'trouble'])
    await stage.as('bob', ['say', 'lobby', 'and then it came'])
    const filler = full?.fill()
    await expectOpenDoor(stage, 'the disk is full')
    filler?.free()
    await expectAllIsWell(stage)
  },
)
