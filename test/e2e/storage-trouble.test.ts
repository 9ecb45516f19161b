import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFile } from '../../src/storage/sqlite/driver.ts'
import { expectAllIsWell, expectOpenDoor, ITS_OWN } from '../support/nothing-stored.ts'
import { createStage, createStageHere } from '../support/stage.ts'
import { onPostgres } from '../support/stored.ts'
import { tinyDisk } from '../support/tiny-disk.ts'

test('known people can log in, read and leave while another program locks the database', async ({ skip }) => {
  skip(onPostgres, ITS_OWN)
  await using stage = await createStageHere()
  for (const name of ['alice', 'bob']) await stage.as(name, ['say', 'lobby', 'before the trouble'])
  const other = openFile(join(stage.server.dataDir, 'sshawl.db'))
  other.exec('BEGIN IMMEDIATE')
  await expectOpenDoor(stage, 'another program holds the database')
  other.close()
  await expectAllIsWell(stage)
})

test('a server whose database is locked by another program stops within five seconds', async ({ skip }) => {
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
  'known people can log in, read and leave while the disk is full',
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
