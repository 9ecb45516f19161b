import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { paths } from '../../src/base/paths.ts'
import { checkConfig } from '../../src/server/config/file.ts'
import { operator } from '../support/operator.ts'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'
import { onPostgres } from '../support/stored.ts'

const page = readFileSync(join(paths.root, 'docs/admin.md'), 'utf8')
const lines = page.split('\n').filter((line) => line.startsWith('    '))
const blocks = [...page.matchAll(/(?:^ {4}.*\n|^\n(?= {4}))+/gm)].map(([block]) =>
  block.replaceAll(/^ {4}/gm, ''),
)
const configs = blocks.filter((block) => /^\[\[?\w+\]\]?$/m.test(block))

/** What people type at their own machine, by the line, without the address. */
const commands = lines.flatMap((line) => /^ {4}ssh -p 2222 \S+@host (.+)$/.exec(line)?.[1] ?? [])

let stage: Stage<AnyServer>
beforeAll(async () => {
  stage = await createStageHere({ config: '' })
  await stage.claim('ann')
  await stage.as('ann', ['create', 'dev'])
  await stage.as('pest', ['join', 'lobby'])
})
afterAll(() => stage[Symbol.asyncDispose]())

test('docs/admin.md has at least six example configs', () => {
  expect(configs.length).toBeGreaterThanOrEqual(6)
})

test.each(configs)('the example config %j is valid', (config) => {
  expect(() => checkConfig(config, 'sshawl.toml')).not.toThrow()
})

test('docs/admin.md has at least eight commands to run over SSH', () => {
  expect(commands.length).toBeGreaterThanOrEqual(8)
})

test.each(commands)('the command "%s" of docs/admin.md succeeds for an admin', async (command) => {
  const [line = '', file] = command.split(' < ')
  const open = await stage.as('ann', ['invites', 'list', '--json'])
  const [first] = JSON.parse(open.stdout || '[]') as readonly { readonly id: number }[]
  const laptop = await stage.home.key('laptop')
  const options = file === undefined ? {} : { input: await readFile(`${laptop}.pub`, 'utf8') }
  const words = line.replace('NUMBER', String(first?.id)).split(' ')
  expect(await stage.as('ann', words, options)).toMatchObject({ exitCode: 0 })
})

test.each(['audit', 'check'])('sshawl %s succeeds while the server runs', async (verb) => {
  expect(lines.some((line) => line.includes(`-- sshawl ${verb} --data`))).toBe(true)
  const place = ['--data', stage.server.dataDir, '--config', `${stage.server.dataDir}.toml`]
  expect(await operator([verb, ...place])).toMatchObject({ exitCode: 0 })
})

test.skipIf(onPostgres)(
  'a backup of a running server can be restored only after the server stops',
  async () => {
    const data = ['--data', stage.server.dataDir]
    const file = join(stage.dir, 'copy.db')
    expect(await operator(['backup', file, ...data])).toMatchObject({ exitCode: 0 })
    expect(await operator(['restore', file, ...data])).toMatchObject({ exitCode: 1 })
    await stage.server.stop('SIGTERM')
    expect(await operator(['restore', file, ...data])).toMatchObject({ exitCode: 0 })
  },
)
