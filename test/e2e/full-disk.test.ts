import { join } from 'node:path'
import { test } from 'vitest'
import { expectAllIsWell, expectOpenDoor, ITS_OWN } from '../support/nothing-stored.ts'
import { createStage } from '../support/stage.ts'
import { onPostgres } from '../support/stored.ts'
import { tinyDisk } from '../support/tiny-disk.ts'

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
