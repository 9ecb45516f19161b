import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lateOptimizing } from '../support/node-flags.ts'
import { rawServer } from '../support/mcp/raw-servers.ts'
import { type AnyServer, startServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'
import { writeConfig } from '../support/stored.ts'

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname

let stage: Stage<AnyServer>
let config: string
beforeAll(async () => {
  stage = await createStageHere({ config: '', isShared: true })
  config = join(stage.dir, 'data.toml')
  await stage.claim('rhea')
  await stage.as('rhea', ['mcp', 'connect', 'gen', ...rawServer('usual')])
})
afterAll(() => stage[Symbol.asyncDispose]())

const reload = () =>
  execa(process.execPath, [...lateOptimizing, MAIN, 'reload', '--data', join(stage.dir, 'data')], {
    reject: false,
  })
const disabling = (...ids: readonly string[]) => `[tools]\ndisabled = ${JSON.stringify(ids)}\n`
const withDisabled = (...ids: readonly string[]) => writeConfig(stage.server.dataDir, disabling(...ids))

/** Ids of the tools of the server, as they are listed. */
const listed = async (): Promise<readonly string[]> =>
  (
    JSON.parse((await stage.as('rhea', ['tools', 'lobby', '--json'])).stdout) as {
      tools: readonly { id: string }[]
    }
  ).tools
    .map(({ id }) => id)
    .filter((id) => id.startsWith('gen'))

test('a tool of a server that was connected by a command can be disabled: it is gone, and is no mistake of the config', async () => {
  expect(await listed()).toContain('gen_echo')
  await withDisabled('gen_echo')
  expect(await reload()).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await listed()).not.toContain('gen_echo')
  expect(await listed()).toContain('gen_look')
  expect((await stage.as('rhea', ['run', 'lobby', '--allow', 'gen_echo', 'gen_echo'])).stderr).toContain(
    'there is no tool called gen_echo in lobby',
  )
  const check = await execa(process.execPath, [
    MAIN,
    'check',
    '--config',
    config,
    '--data',
    join(stage.dir, 'data'),
  ])
  expect(check.stdout).toContain('no problems')
})

test('an id of a server that nobody connected is a mistake, as soon as that can be known', async () => {
  await withDisabled('gen_echo', 'gem_echo')
  const { exitCode, stderr } = await reload()
  expect(exitCode).not.toBe(0)
  expect(stderr).toContain('data.toml:2: tools.disabled: there is no tool called gem_echo')
  await stage.server.stop('SIGTERM')
  await using again = await startServer({
    dataDir: join(stage.dir, 'data'),
    config: disabling('gen_echo', 'gem_echo'),
  })
  expect(again.stderr()).toContain('there is no tool called gem_echo')
  expect(again.stderr()).not.toContain('there is no tool called gen_echo')
})

test('a server of the config that is called like a tool keeps the server from starting, with the reason', async () => {
  const named = '[[mcp]]\nname = "run_command"\ncommand = ["/bin/true"]\n'
  await expect(startServer({ dataDir: join(stage.dir, 'other'), config: named })).rejects.toThrow(
    'other.toml:2: mcp.name: a tool is called run_command, so a scope that names it would let in all',
  )
})
