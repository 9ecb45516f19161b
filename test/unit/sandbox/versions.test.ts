import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWorkspace } from '../../support/workspace.ts'

const ann = { name: 'ann' }
const text = (content: string) => () => content

test('a version of a file can be restored, and the replaced file becomes a version, too', async () => {
  await using own = await openWorkspace()
  await own.workspace.changeText('d/a', text('one'))
  await own.workspace.changeText('d/a', text('two'))
  await own.workspace.kept.putBack('d/a', 1, ann)
  expect(await readFile(join(own.files, 'd', 'a'), 'utf8')).toBe('one')
  expect(await own.workspace.kept.versions('d/a')).toMatchObject([
    { version: 1, by: 'a program', size: 3 },
    { version: 2, by: 'ann', size: 3 },
  ])
  expect((await own.workspace.kept.readVersion('d/a', 2)).toString()).toBe('two')
})

test('the paths for completion are those of files and of removed files with versions', async () => {
  await using own = await openWorkspace()
  await own.workspace.changeText('d/a', text('one'))
  await own.workspace.changeText('b', text('one'))
  await own.workspace.filesBy(ann).remove('b', 'file')
  expect((await own.workspace.kept.paths()).toSorted()).toEqual(['b', 'd/a'])
})

test('a line of the change list that a crash cut off does not hide later changes', async () => {
  await using own = await openWorkspace()
  await own.workspace.changeText('a', text('one'))
  const list = join(own.root, 'lobby', 'backups.jsonl')
  await writeFile(list, `${await readFile(list, 'utf8')}{"at":1,"by":"x`)
  await own.workspace.changeText('a', text('two'))
  await own.workspace.changeText('a', text('three'))
  expect(await own.workspace.kept.versions('a')).toMatchObject([{ version: 1 }, { version: 2 }])
})

test('a version is refused if its file name leads out of the workspace', async () => {
  await using own = await openWorkspace()
  await expect(own.workspace.kept.versions('../backups')).rejects.toThrow('outside the workspace')
  await expect(own.workspace.kept.putBack('../x', 1, ann)).rejects.toThrow('outside the workspace')
})

/** Writes and puts back two texts of one letter each without end, and prints a line before it begins. */
const WRITER = `
  import { openWorkspace } from './src/sandbox/open-workspace.ts'
  const [directory, backups] = process.argv.slice(2)
  const own = openWorkspace({ directory, backups, mode: 'none' })
  const size = 2_000_000
  await own.changeText('a', () => 'x'.repeat(size))
  console.log('ready')
  for (;;) {
    await own.changeText('a', () => 'y'.repeat(size))
    const { version } = (await own.kept.versions('a')).at(-1)
    await own.kept.putBack('a', version, { name: 'ann' })
  }
`

test('a file has its old or new text after kill -9 while it is written or restored', async () => {
  await using own = await openWorkspace()
  const script = join(own.root, 'writer.mts')
  await writeFile(script, WRITER.replaceAll("'./src", `'${process.cwd()}/src`))
  for (let round = 0; round < 4; round += 1) {
    const jiti = join(process.cwd(), 'node_modules', '.bin', 'jiti')
    const writer = spawn(jiti, [script, own.files, join(own.root, 'old')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(writer.stdout, 'data')
    const drafts = async (): Promise<boolean> =>
      (await readdir(own.files)).some((name) => name.endsWith('.draft'))
    for (let seen = 0; seen <= round;) if (await drafts()) seen += 1
    writer.kill('SIGKILL')
    await once(writer, 'exit')
    const content = await readFile(join(own.files, 'a'), 'utf8')
    expect(content).toHaveLength(2_000_000)
    expect(['x', 'y'].map((letter) => letter.repeat(2_000_000))).toContain(content)
  }
}, 120_000)
