import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { replaceRun } from '../../../../src/app/cluster/earlier-run.ts'
import type { ServerId } from '../../../../src/cluster/server-id.ts'
import { temporaryDir } from '../../../support/storage.ts'

const [one, two] = ['one', 'two'] as [ServerId, ServerId]

test('the run before is known, unless its process is still there', async () => {
  using dir = temporaryDir()
  const remember = (pid: unknown): void =>
    writeFileSync(join(dir.path, 'server.json'), JSON.stringify({ id: 'before', pid }))
  expect(await replaceRun(dir.path, one)).toBeUndefined()
  expect(await replaceRun(dir.path, two)).toBe(one)
  remember(process.ppid)
  expect(await replaceRun(dir.path, one)).toBeUndefined()
  remember(spawnSync('true').pid)
  expect(await replaceRun(dir.path, one)).toBe('before')
})

test('what cannot be read or written tells nothing', async () => {
  using dir = temporaryDir()
  const file = join(dir.path, 'server.json')
  for (const text of ['', 'null', '{"id":1,"pid":2}', '{"id":"a"}', '[]']) {
    writeFileSync(file, text)
    expect(await replaceRun(dir.path, one)).toBeUndefined()
  }
  expect(await replaceRun(join(dir.path, 'missing'), one)).toBeUndefined()
})
