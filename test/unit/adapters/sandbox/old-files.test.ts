import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { removeOldFiles } from '../../../../src/adapters/sandbox/old-files.ts'
import { temporaryDir } from '../../../support/storage.ts'

const HOUR = 3_600_000

/** A room's files beside other files, to which a link in the room leads. */
function files() {
  const dir = temporaryDir()
  const [room, outside] = [join(dir.path, 'room'), join(dir.path, 'outside')]
  mkdirSync(join(room, 'src'), { recursive: true })
  mkdirSync(outside)
  for (const path of [join(room, 'a'), join(room, 'src/b'), join(outside, 'c')]) writeFileSync(path, 'x')
  symlinkSync(outside, join(room, 'link'))
  const list = (path: string) => readdirSync(path, { recursive: true }).map(String).toSorted()
  return { room, outside, list, [Symbol.dispose]: () => dir[Symbol.dispose]() }
}

test('files that nobody changed since are removed, and none that a link leads to', async () => {
  using at = files()
  await removeOldFiles(at.room, Date.now() + HOUR)
  expect(at.list(at.room)).toEqual(['src'])
  expect(at.list(at.outside)).toEqual(['c'])
})

test('files that are new stay, also those that an archive gave an old time', async () => {
  using at = files()
  utimesSync(join(at.room, 'a'), 0, 0)
  await removeOldFiles(at.room, Date.now() - HOUR)
  expect(at.list(at.room)).toContain('a')
})

test('a room without files has none to remove', async () => {
  using at = files()
  await removeOldFiles(join(at.room, 'none'), Date.now() + HOUR)
  expect(at.list(at.room)).toContain('a')
})
