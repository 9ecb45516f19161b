import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { tmpdir } from 'node:os'
import { loadToolFiles } from '../../../../src/tools/wrapped/load.ts'
import { NO_LOG } from '../../../../src/wrap/embedding/context.ts'
import { type WrappedTools, createWrappedTools } from '../../../../src/tools/wrapped/wrapped-tools.ts'
import { BUILTIN_IDS, builtinTools } from '../../../../src/tools/builtin/index.ts'
import { ODD_NAMES } from '../../../support/odd-names.ts'
import { temporaryDir } from '../../../support/storage.ts'

const ALIAS = '@name shout\n@wrapped write_file\n'

test.each([...ODD_NAMES, 'a\\b'])(
  '.tool files are found in a directory called %j and through a link to it',
  async (name) => {
    using dir = temporaryDir()
    const [path, link] = [join(dir.path, name), join(dir.path, `${name} link`)]
    await mkdir(path)
    await writeFile(join(path, 'a.tool'), ALIAS)
    await symlink(path, link)
    for (const from of [path, link]) {
      const { definitions, complete } = await loadToolFiles([from])
      expect({ files: definitions.map(({ file }) => file), complete }).toEqual({
        files: [join(from, 'a.tool')],
        complete: true,
      })
    }
  },
)

test('files of wrapped tools end with .tool and are not hidden', async () => {
  using dir = temporaryDir()
  const names = ['!a.tool', '[b].tool', 'c d.tool', 'e\\f.tool', '{g,h}.tool']
  for (const name of [...names, '.hidden.tool', 'i.TOOL', 'j.tool~'])
    await writeFile(join(dir.path, name), ALIAS)
  await mkdir(join(dir.path, 'deep.tool'))
  await writeFile(join(dir.path, 'deep.tool/k.tool'), ALIAS)
  const { definitions } = await loadToolFiles([dir.path])
  expect(definitions.map(({ file }) => basename(file))).toEqual(names)
})

test('a .tool link without a target is reported as a problem', async () => {
  using dir = temporaryDir()
  await symlink(join(dir.path, 'nowhere'), join(dir.path, 'lost.tool'))
  const { problems } = await loadToolFiles([dir.path])
  expect(problems).toEqual([
    { file: join(dir.path, 'lost.tool'), line: 1, message: 'it cannot be read (ENOENT)' },
  ])
})

let home: string
let dir: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'sshawl-watch-'))
})
afterAll(() => rm(home, { recursive: true }))
beforeEach(async () => {
  dir = await mkdtemp(join(home, 'tools-'))
})

const load = (...dirs: readonly string[]): Promise<WrappedTools> =>
  createWrappedTools({
    dirs,
    bases: { tools: builtinTools(), ids: BUILTIN_IDS, kept: [], disabled: [] },
    log: NO_LOG,
    pollMs: 20,
  })

const alias = (name: string): string => `@name ${name}\n@wrapped read_file\n`

const becomes = (wrapped: WrappedTools, ...names: readonly string[]) =>
  expect.poll(() => wrapped.tools().map(({ id }) => id), { timeout: 10_000 }).toEqual(names)

test('.tool files are read again when one is added, changed, replaced or removed', async () => {
  await using wrapped = await load(dir)
  await writeFile(join(dir, 'a.tool'), alias('One'))
  await becomes(wrapped, 'One')
  await writeFile(join(dir, 'a.tool'), alias('Two'))
  await becomes(wrapped, 'Two')
  await writeFile(join(dir, 'draft'), alias('Three'))
  await rename(join(dir, 'draft'), join(dir, 'a.tool'))
  await becomes(wrapped, 'Three')
  await rm(join(dir, 'a.tool'))
  await becomes(wrapped)
})

test('.tool files are read when their missing directory is created together with its parents', async () => {
  const late = join(dir, 'etc', 'sshawl', 'tools')
  await using wrapped = await load(dir, late)
  expect(wrapped.problems()).toEqual([])
  expect(wrapped.warnings()).toHaveLength(1)
  await mkdir(late, { recursive: true })
  await writeFile(join(late, 'a.tool'), alias('Late'))
  await becomes(wrapped, 'Late')
  expect(wrapped.warnings()).toEqual([])
  await writeFile(join(late, 'a.tool'), alias('Later'))
  await becomes(wrapped, 'Later')
  await rm(join(dir, 'etc'), { recursive: true })
  await becomes(wrapped)
})

test('.tool files are read again when the link to them is replaced, as in a Kubernetes ConfigMap', async () => {
  /** Puts all files into a new directory, and the link to it in place in one step. */
  const publish = async (version: string): Promise<void> => {
    await mkdir(join(dir, `..${version}`))
    await writeFile(join(dir, `..${version}`, 'a.tool'), alias(version))
    await symlink(`..${version}`, join(dir, '..data_tmp'))
    await rename(join(dir, '..data_tmp'), join(dir, '..data'))
  }
  await publish('v1')
  await symlink('..data/a.tool', join(dir, 'a.tool'))
  await using wrapped = await load(dir)
  for (const version of ['v2', 'v3']) {
    await publish(version)
    await becomes(wrapped, version)
  }
})

test('.tool files are read again each time a link on the path to their directory is replaced', async () => {
  const publish = async (version: string): Promise<void> => {
    await mkdir(join(dir, version, 'tools'), { recursive: true })
    await writeFile(join(dir, version, 'tools', 'a.tool'), alias(version))
    await symlink(version, join(dir, 'next'))
    await rename(join(dir, 'next'), join(dir, 'now'))
  }
  await publish('v1')
  await using wrapped = await load(join(dir, 'now', 'tools'))
  for (const version of ['v2', 'v3']) {
    await publish(version)
    await becomes(wrapped, version)
  }
  await writeFile(join(dir, 'v3', 'tools', 'a.tool'), alias('changed'))
  await becomes(wrapped, 'changed')
})

test('.tool files are read again when another directory replaces theirs', async () => {
  const place = join(dir, 'tools')
  await mkdir(place)
  await writeFile(join(place, 'a.tool'), alias('Old'))
  await using wrapped = await load(place)
  for (const name of ['New', 'Newer']) {
    await mkdir(join(dir, name))
    await writeFile(join(dir, name, 'a.tool'), alias(name))
    await rename(place, join(dir, `before-${name}`))
    await rename(join(dir, name), place)
    await becomes(wrapped, name)
  }
  await writeFile(join(place, 'a.tool'), alias('Changed'))
  await becomes(wrapped, 'Changed')
})

test('.tool files are not read again after their watcher was disposed', async () => {
  const ended = await load(dir)
  await using going = await load(dir)
  await ended[Symbol.asyncDispose]()
  await writeFile(join(dir, 'a.tool'), alias('One'))
  await becomes(going, 'One')
  expect(ended.tools()).toEqual([])
})

test('no .tool files and no problem are found if no directories are configured', async () => {
  await using wrapped = await load()
  expect([wrapped.tools(), wrapped.problems()]).toEqual([[], []])
})
