import { cp, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { ENGINE_NAMES } from '../../../../src/wrap/lua/engines.ts'
import { createComposer } from '../../../../src/wrap/lua/composer.ts'
import { paths } from '../../../../src/base/paths.ts'
import { listLua, readBundle } from '../../../../src/wrap/lua/bundle.ts'
import { inRoom, openPool, recordingLog } from '../../../support/pool.ts'
import { ODD_NAMES } from '../../../support/odd-names.ts'
import { temporaryDir } from '../../../support/storage.ts'

/** What each package of the wrap process depends on. */
const PACKAGES = {
  tiktoken: [],
  'fastest-levenshtein': [],
  wasmoon: [],
  luaparse: [],
  printj: [],
  'lua-in-js': ['luaparse', 'printj'],
}

let root: string
const storeOf = (name: string): string => join(root, 'node_modules/.pnpm', `${name}@1`, 'node_modules', name)

// As pnpm lays packages out: each in a place of its own, with links to it and beside it to what it depends on.
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sshawl-linked-'))
  for (const part of ['dist', 'lua', 'package.json'])
    await cp(join(paths.root, part), join(root, part), { recursive: true })
  for (const [name, dependencies] of Object.entries(PACKAGES)) {
    const place = storeOf(name)
    await mkdir(dirname(place), { recursive: true })
    await cp(join(paths.root, 'node_modules', name), place, { recursive: true })
    for (const one of dependencies) await symlink(storeOf(one), join(dirname(place), one))
    if (name !== 'printj') await symlink(place, join(root, 'node_modules', name))
  }
})
afterAll(() => rm(root, { recursive: true, force: true }))

const open = (engine: (typeof ENGINE_NAMES)[number], log = recordingLog().log) =>
  createComposer({ entry: join(root, 'dist/wrap-process.js'), packageRoot: root, engine, log })

test.each(ENGINE_NAMES)('a prompt is composed by %s if all packages are links', async (engine) => {
  await using composer = open(engine)
  const { system } = await composer.compose(inRoom('lobby'))
  expect(system).toContain('You take part in a chat room')
})

test('a prompt is composed if the directory of all packages is a link', async () => {
  const place = join(root, 'elsewhere')
  for (const part of ['dist', 'lua', 'package.json'])
    await cp(join(paths.root, part), join(place, part), { recursive: true })
  await symlink(await realpath(join(paths.root, 'node_modules')), join(place, 'node_modules'))
  const { log } = recordingLog()
  const entry = join(place, 'dist/wrap-process.js')
  await using composer = createComposer({ entry, packageRoot: place, engine: 'wasmoon', log })
  expect((await composer.compose(inRoom('lobby'))).system).toContain('You take part in a chat room')
})

test('a composer whose process does not start rejects prompts and logs the reason', async () => {
  await rm(join(root, 'node_modules/tiktoken'))
  const { lines, log } = recordingLog()
  await using composer = open('wasmoon', log)
  const starting = composer.ready(AbortSignal.timeout(60_000))
  await expect(starting).rejects.toThrow('no model can answer now: the server cannot compose prompts')
  expect(lines.at(-1)).toMatchObject({
    level: 'error',
    text: 'the wrap process does not start',
    facts: { why: expect.stringContaining('tiktoken') },
  })
})

test('the bundled Lua modules have the names that require() expects', async () => {
  const names = [...(await readBundle(listLua(paths.lua))).keys()]
  expect(names).toEqual(expect.arrayContaining(['sandbox', 'wrap', 'layers.history', 'layers.tools']))
  expect(names).toEqual(names.filter((name) => /^(layers\.)?[a-z_]+$/.test(name)))
})

test.each(ODD_NAMES)(
  'Lua modules are found in a directory called %j and through a symlink to it',
  async (name) => {
    using dir = temporaryDir()
    const [path, link] = [join(dir.path, name), join(dir.path, `${name} link`)]
    cpSync(paths.lua, path, { recursive: true })
    symlinkSync(path, link)
    const expected = await readBundle(listLua(paths.lua))
    expect(await readBundle(listLua(path))).toEqual(expected)
    expect(await readBundle(listLua(link))).toEqual(expected)
  },
)

test('a composer throws at creation if the package has no Lua modules or no layers', () => {
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
