import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { rawServer } from '../support/mcp/raw-servers.ts'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

let stage: Stage<AnyServer>
let dir: string
/** The program of a server: while it is not there, the server is down. */
const program = (name: string): string => join(dir, `${name}.mjs`)
const command = (name: string): readonly string[] => [process.execPath, program(name)]
const [, raw = ''] = rawServer('usual')
const bring = (name: string): Promise<void> => writeFile(program(name), `import ${JSON.stringify(raw)}\n`)

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sshawl-scope-'))
  const config = `[[mcp]]\nname = "holler"\ncommand = ${JSON.stringify(command('holler'))}\n`
  stage = await createStageHere({ isShared: true, config })
  await stage.claim('rhea')
})
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

const setScope = (...words: readonly string[]) => stage.as('rhea', ['tools', 'lobby', ...words])
const manage = (...words: readonly string[]) => stage.as('rhea', ['mcp', ...words])

async function bringDown(name: string): Promise<void> {
  await rm(program(name), { force: true })
  await stage.as('rhea', ['run', 'lobby', '--allow', `${name}_die`, `${name}_die`])
  await manage('refresh', name)
  expect((await manage('list')).stdout).toMatch(new RegExp(`^${name}  down `, 'm'))
}

/** The room's scope, the ids of the tools that it shows, and what is said of it. */
async function scope() {
  const { stdout } = await stage.as('rhea', ['tools', 'lobby', '--json'])
  const list = JSON.parse(stdout) as {
    readonly scope: unknown
    readonly tools: readonly { readonly id: string; readonly visible: boolean }[]
    readonly warnings: readonly string[]
  }
  const visible = list.tools.flatMap((tool) => (tool.visible ? tool.id : []))
  return { scope: list.scope, visible, warnings: list.warnings }
}

beforeEach(async () => {
  await setScope('on')
  await bringDown('holler')
})

test('a server that is down can be the scope: the room has no tools, and all of that server once it is back', async () => {
  const { exitCode, stdout, stderr } = await setScope('holler')
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: 'the MCP server holler is down; its tools come when it is back\n',
  })
  expect(stdout).toMatch(/^scope holler: 0 of \d+ tools, 0 tokens/)
  expect((await stage.as('rhea', ['ask', 'lobby', '@guide tools'])).stdout).toBe(
    'There are no tools in the request I was given.\n',
  )
  await bring('holler')
  expect((await manage('refresh', 'holler')).exitCode).toBe(0)
  const { visible, warnings } = await scope()
  expect(visible.length).toBeGreaterThan(3)
  expect(visible.every((id) => id.startsWith('holler_'))).toBe(true)
  expect(warnings).toEqual([])
})

test('a server that is down can be in a scope beside tools that are there', async () => {
  expect((await setScope('calculator', 'holler:*')).exitCode).toBe(0)
  expect(await scope()).toMatchObject({ scope: ['calculator', 'holler:*'], visible: ['calculator'] })
})

test('tools of a server that is down can be taken away before they come back', async () => {
  const { exitCode, stderr } = await setScope('!holler_echo', '!internal')
  expect(exitCode).toBe(0)
  expect(stderr).toBe('the MCP server holler is down; its tools stay hidden when it is back\n')
  await bring('holler')
  await manage('refresh', 'holler')
  const { visible } = await scope()
  expect(visible).toContain('holler_look')
  expect(visible).not.toContain('holler_echo')
})

test('a server that an admin connected can be the scope while it is down', async () => {
  await bring('gen')
  expect((await manage('connect', 'gen', ...command('gen'))).exitCode).toBe(0)
  await bringDown('gen')
  expect((await setScope('gen_echo')).exitCode).toBe(0)
  expect(await scope()).toMatchObject({ scope: ['gen_echo'], visible: [] })
  await manage('disconnect', 'gen')
})

test.each([
  ['hollar', 'did you mean holler?'],
  ['hollering', 'hollering matches no tool'],
  ['holler,calculator', 'holler,calculator matches no tool'],
  ['holler nope', 'nope matches no tool'],
  ['off holler', 'off matches no tool'],
  ['calc* !calculator !holler', 'leaves no tool'],
])('%s is refused while holler is down, and the scope stays as it was', async (words, problem) => {
  const { exitCode, stderr } = await setScope(...words.split(' '))
  expect(exitCode).toBe(1)
  expect(stderr).toContain(problem)
  expect((await scope()).scope).toBe('all')
})

test('a tool that a server does not have is refused while the server is there', async () => {
  await bring('holler')
  await manage('refresh', 'holler')
  const { exitCode, stderr } = await setScope('holler_ehco')
  expect(exitCode).toBe(1)
  expect(stderr).toContain('did you mean holler_echo?')
})
