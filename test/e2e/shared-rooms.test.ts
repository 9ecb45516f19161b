import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxConfig } from '../support/needs.ts'
import type { AnyServer } from '../support/server.ts'
import { operator } from '../support/operator.ts'
import { createStage, createStageHere, type Stage } from '../support/stage.ts'

let dir: string
let rooms: string
/** Two servers with a database each, and one directory for the files of their rooms. */
let one: Stage<AnyServer>
let two: Stage

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sshawl-shared-'))
  rooms = join(dir, 'rooms')
  await mkdir(rooms, { mode: 0o700 })
  const config = `${sandboxConfig}rooms_dir = "${rooms}"\n[limits]\nrate_burst = 1000\n`
  ;[one, two] = await Promise.all([
    createStageHere({ config, isShared: true }),
    createStage({ config, isShared: true }),
  ])
  await Promise.all([one.claim('rhea'), two.claim('rhea')])
})
afterAll(async () => {
  await Promise.all([one[Symbol.asyncDispose](), two[Symbol.asyncDispose]()])
  await rm(dir, { recursive: true })
})

/** Runs a tool in a room as an admin. */
const tool = async (stage: Stage<AnyServer>, room: string, name: string, given: object): Promise<string> => {
  const words = ['run', '--allow', name, room, name, JSON.stringify(given)]
  const { exitCode, stdout, stderr } = await stage.as('rhea', words)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}

test('a room file written on one server can be read and edited on the other', async () => {
  await tool(one, 'lobby', 'write_file', { file_path: 'notes', content: 'first\n' })
  await tool(two, 'lobby', 'edit_file', { file_path: 'notes', old_text: 'first', new_text: 'second' })
  expect(await tool(one, 'lobby', 'read_file', { file_path: 'notes' })).toContain('second')
  expect(await readdir(rooms)).toEqual(['lobby'])
  for (const { server } of [one, two]) expect(await readdir(server.dataDir)).not.toContain('rooms')
})

test('concurrent edits of one file on two servers are all applied', async () => {
  const words = Array.from({ length: 4 }, (_, number) => `word${number}`)
  await tool(one, 'lobby', 'write_file', { file_path: 'many', content: words.join('\n') })
  const edits = words.map((word, number) =>
    tool(number % 2 ? one : two, 'lobby', 'edit_file', {
      file_path: 'many',
      old_text: word,
      new_text: word.toUpperCase(),
    }),
  )
  await Promise.all(edits)
  const text = await tool(one, 'lobby', 'read_file', { file_path: 'many' })
  for (const word of words) expect(text).toContain(word.toUpperCase())
  expect((await readdir(join(rooms, 'lobby'))).toSorted()).toEqual(['backups', 'backups.jsonl', 'files'])
})

test('the files of a deleted room are moved to .deleted in rooms_dir', async () => {
  expect((await one.as('rhea', ['create', 'den'])).exitCode).toBe(0)
  await tool(one, 'den', 'write_file', { file_path: 'kept', content: 'kept\n' })
  const { exitCode, stderr } = await one.as('rhea', ['delete', 'den', 'den'])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  const [kept = ''] = await readdir(join(rooms, '.deleted'))
  expect(kept).toMatch(/^den-.*-files$/)
  expect(await readdir(join(rooms, '.deleted', kept, 'files'))).toEqual(['kept'])
  expect(await readdir(join(one.server.dataDir, 'exports'))).toEqual([
    expect.stringMatching(/^den-.*\.jsonl$/),
  ])
  expect(await readdir(rooms)).not.toContain('den')
})

test('check and serve reject a world-writable rooms_dir; check warns of a group-writable one', async () => {
  const file = join(dir, 'open.toml')
  const open = join(dir, 'open')
  await mkdir(open)
  await chmod(open, 0o777)
  await writeFile(file, `[sandbox]\nmode = "none"\nrooms_dir = "${open}"\n`)
  const words = ['--config', file, '--data', join(dir, 'never')]
  const sentence = `${file}:3: sandbox.rooms_dir: everybody on this machine can write to ${open}; run: chmod o-w ${open}`
  expect(await operator(['check', ...words])).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining(sentence) as string,
  })
  expect(await operator(['serve', ...words])).toMatchObject({ exitCode: 2, stderr: `sshawl: ${sentence}` })
  await chmod(open, 0o770)
  const { exitCode, stdout } = await operator(['check', ...words])
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^warning: sandbox\.rooms_dir: \S+\/open can be written by the group \d+/m)
})
