import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listLua, readBundle } from '../../../../src/adapters/lua/bundle.ts'
import { paths } from '../../../../src/app/paths.ts'
import { ODD_NAMES } from '../../../support/odd-names.ts'
import { openPool } from '../../../support/pool.ts'
import { temporaryDir } from '../../../support/storage.ts'

test('the bundled Lua has its layers under the names that require takes', async () => {
  const names = [...(await readBundle(listLua(paths.lua))).keys()]
  expect(names).toEqual(expect.arrayContaining(['sandbox', 'wrap', 'layers.history', 'layers.tools']))
  expect(names).toEqual(names.filter((name) => /^(layers\.)?[a-z_]+$/.test(name)))
})

test.each(ODD_NAMES)('layers are found in a directory called %j, and through a link to it', async (name) => {
  using dir = temporaryDir()
  const [path, link] = [join(dir.path, name), join(dir.path, `${name} link`)]
  cpSync(paths.lua, path, { recursive: true })
  symlinkSync(path, link)
  const expected = await readBundle(listLua(paths.lua))
  expect(await readBundle(listLua(path))).toEqual(expected)
  expect(await readBundle(listLua(link))).toEqual(expected)
})

test('a composer is not made without layers', () => {
  using dir = temporaryDir()
  const lua = join(dir.path, 'lua')
  const open = () => openPool({ packageRoot: dir.path })
  expect(open).toThrow(`${lua}/*.lua: there is no Lua; install sshawl again`)
  cpSync(paths.lua, lua, { recursive: true })
  rmSync(join(lua, 'layers'), { recursive: true })
  expect(open).toThrow(`${lua}/layers/*.lua: there are no layers; install sshawl again`)
  mkdirSync(join(lua, 'layers'))
  expect(open).toThrow(`${lua}/layers/*.lua: there are no layers; install sshawl again`)
})
