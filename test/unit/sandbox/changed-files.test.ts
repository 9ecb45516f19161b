import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readFileStamps } from '../../../src/sandbox/changed-files.ts'
import type { FileNote } from '../../../src/words/entry.ts'
import { OUTPUT_LIMITS } from '../../../src/tools/workspace.ts'
import { openWorkspace, type OneWorkspace } from '../../support/workspace.ts'

let one: OneWorkspace
beforeEach(async () => {
  one = await openWorkspace()
})
afterEach(() => one[Symbol.asyncDispose]())

const never = new AbortController().signal

/** Runs a command and returns what it did to files; undefined if nothing was reported. */
async function run(shell: string, { readOnly = false, signal = never } = {}) {
  let reported: readonly FileNote[] | undefined
  const limits = { ...OUTPUT_LIMITS, timeoutMs: 30_000 }
  await one.workspace
    .run({ shell, readOnly }, limits, signal, async (files) => void (reported = files))
    .catch(() => undefined)
  return reported
}

test('a command reports the files that it made, changed and removed, with sizes and types', async () => {
  await writeFile(join(one.files, 'old'), 'one')
  await writeFile(join(one.files, 'gone'), 'one')
  const files = await run('mkdir d; printf two2 > old; rm gone; printf "\\211PNG\\r\\n\\032\\n" > d/p.png')
  expect(files).toEqual([
    { name: 'd/p.png', event: 'made', size: 8, type: 'PNG picture' },
    { name: 'gone', event: 'removed' },
    { name: 'old', event: 'changed', size: 4, type: 'text' },
  ])
})

test('a command that changed no file, or only directories that searches skip, reports none', async () => {
  await writeFile(join(one.files, 'same'), 'one')
  expect(await run('cat same; mkdir -p d .git node_modules; echo x > .git/HEAD')).toBeUndefined()
  expect(await run('echo x > made', { readOnly: true })).toBeUndefined()
})

test('a stopped command reports the files that it made until then', async () => {
  const stop = new AbortController()
  const running = run('echo x > made; sleep 60', { signal: stop.signal })
  await expect.poll(() => readdir(one.files), { timeout: 10_000 }).toContain('made')
  stop.abort(new Error('stopped'))
  expect(await running).toMatchObject([{ name: 'made', event: 'made' }])
})

test('a file that a tool wrote while a command ran is not reported as changed by the command', async () => {
  const running = run('while [ ! -e told ]; do :; done; echo x > own')
  await one.workspace.changeText('told', () => 'by a tool')
  expect(await running).toMatchObject([{ name: 'own' }])
})

test("a command's file names are reported without control characters, and long ones are cut", async () => {
  const files = await run(`printf x > "$(printf 'a\\nb')"; printf x > ${'n'.repeat(250)}`)
  expect(files?.map(({ name }) => name)).toEqual(['a\\u{a}b', `…/${'n'.repeat(200)}`])
})

test('changed files are not searched in a workspace of more than 5,000 entries', async () => {
  await mkdir(join(one.files, 'many'))
  await run('cd many; i=0; while [ $i -lt 5000 ]; do : > $i; i=$((i+1)); done')
  expect(await readFileStamps(one.files)).toBeUndefined()
  expect(await run('echo x > more')).toBeUndefined()
})
