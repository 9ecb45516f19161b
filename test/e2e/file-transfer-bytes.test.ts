import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scp } from '../support/scp.ts'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

let stage: Stage<AnyServer>
beforeAll(async () => {
  stage = await createStageHere({ config: '[limits]\nbytes_per_person_day = 100_000\n' })
})
afterAll(() => stage[Symbol.asyncDispose]())

test('a file that is more than a person may store in a day is not put', async () => {
  await writeFile(join(stage.dir, 'small'), 'x'.repeat(60_000))
  expect(await scp(stage, 'ann', ['small', 'host:lobby/'])).toMatchObject({ exitCode: 0 })
  const { exitCode, stderr } = await scp(stage, 'ann', ['small', 'host:lobby/again'])
  expect(exitCode).not.toBe(0)
  expect(stderr).toContain('as much as one person may store in a day (bytes_per_person_day, 100000)')
  expect(await readdir(join(stage.server.dataDir, 'rooms', 'lobby', 'files'))).toEqual(['small'])
})
