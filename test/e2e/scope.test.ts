import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, beforeEach } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { temporaryDir } from '../support/storage.ts'
import { sandboxConfig } from '../support/needs.ts'
import { startServer } from '../support/server.ts'
import { createStageHere } from '../support/stage.ts'
import { rawServer } from '../support/mcp/raw-servers.ts'

/** The program of the MCP server `holler`, which is down while its program is not there. */
const program = (name: string): string => join(dir, `${name}.mjs`)
const command = (name: string): readonly string[] => [process.execPath, program(name)]
const [, raw = ''] = rawServer('usual')
const bring = (name: string): Promise<void> => writeFile(program(name), `import ${JSON.stringify(raw)}\n`)
const dir = (await forAllTests(temporaryDir())).path
const holler = `[[mcp]]\nname = "holler"\ncommand = ${JSON.stringify(command('holler'))}\n`
const stage = await forAllTests(createStageHere({ config: sandboxConfig + holler, isShared: true }))
await stage.claim('rhea')

interface Listed {
  readonly scope: unknown
  readonly visible: number
  readonly tokens: number
  readonly warnings: readonly string[]
  readonly tools: readonly {
    readonly name: string
    readonly id: string
    readonly source: string
    readonly tokens: number
    readonly visible: boolean
    readonly reason: string
  }[]
}

const listed = async (): Promise<Listed> =>
  JSON.parse((await stage.as('rhea', ['tools', 'lobby', '--json'])).stdout) as Listed
const guide = async (words: string): Promise<string> =>
  (await stage.as('rhea', ['ask', 'lobby', '@guide', words])).stdout
/** ssh joins its words with spaces, and no shell is behind it: nothing needs quotes. */
const setScope = (...words: string[]) => stage.as('rhea', ['tools', 'lobby', ...words])

test('the scope of a room is all tools at first, and @guide is offered exactly the visible ones', async () => {
  const { tools, visible, tokens, scope, warnings } = await listed()
  expect({ scope, warnings }).toEqual({ scope: 'all', warnings: [] })
  expect(tools.map((tool) => tool.id)).toEqual(
    expect.arrayContaining([
      'sshawl_look',
      'sshawl_who',
      'sshawl_rooms',
      'sshawl_history',
      'sshawl_say',
      'read_file',
      'calculator',
      'run_command',
      'Glob',
      'Grep',
      'LS',
      'Read',
    ]),
  )
  const offered = tools.filter((tool) => tool.visible)
  expect(visible).toBe(offered.length)
  expect(tokens).toBe(offered.reduce((sum, tool) => sum + tool.tokens, 0))
  const answer = await guide('tools')
  for (const { name } of offered) expect(answer).toMatch(new RegExp(`\\b${name}\\b`))
})

test('/tools internal shows only internal tools', async () => {
  await setScope('internal')
  const { tools } = await listed()
  const offered = tools.filter(({ visible }) => visible)
  expect(offered.map(({ source }) => source)).toEqual(offered.map(() => 'internal'))
  // Those that walk wait for /nav on.
  const kept = tools.filter(({ source, visible }) => source === 'internal' && !visible)
  expect(kept.map(({ name, reason }) => [name, reason.includes('/nav on')])).toEqual([
    ['go', true],
    ['join', true],
    ['leave', true],
  ])
  const answer = await guide('tools')
  expect(answer).toMatch(/\blook\b/)
  expect(answer).not.toMatch(/Grep|calculator|read_file/)
})

test('excluding patterns win over including ones, and each hidden tool has a reason', async () => {
  await setScope('G*', '!Grep')
  const { tools, visible } = await listed()
  expect(tools.filter((tool) => tool.visible).map((tool) => tool.id)).toEqual(['Glob'])
  expect(visible).toBe(1)
  for (const tool of tools.filter((one) => !one.visible)) expect(tool.reason, tool.id).not.toBe('')
  expect(tools.find((tool) => tool.id === 'Grep')!.reason).toContain('!Grep')
  expect(await guide('tools')).not.toContain('Grep')
})

test('only managers can change the scope of a room, and each change is an entry of its log', async () => {
  await setScope('on')
  const refused = await stage.as('mallory', ['tools', 'lobby', 'off'])
  expect(refused).toMatchObject({ exitCode: 1 })
  expect(refused.stderr).toMatch(/only the owner of lobby, an op or an admin/)
  const byKey = await stage.as('rhea', ['kv', 'lobby', 'tool_scope', '"none"'])
  expect(byKey.exitCode).toBe(2)
  expect((await listed()).scope).toBe('all')
  await stage.as('olga', ['create', 'own'])
  expect((await stage.as('olga', ['tools', 'own', 'off'])).exitCode).toBe(0)
  const { stdout } = await stage.as('olga', ['history', 'own', '--json'])
  expect(JSON.parse(stdout.trim().split('\n').at(-1)!)).toMatchObject({
    kind: 'scope',
    author: 'olga',
    scope: 'none',
  })
})

test('the scope of a room survives a restart', async () => {
  await stage.goOnWith(startServer)
  await setScope('calculator')
  await stage.restart('SIGKILL')
  expect(await listed()).toMatchObject({ scope: ['calculator'], visible: 1 })
  await setScope('on')
})

test('@guide calls a visible tool and answers with its result', async () => {
  expect(await guide('call calculator {"expression":"2**10"}')).toContain('1024')
  expect(await guide('call who')).toContain('guide')
})

describe('servers that are down', () => {
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

  test('an MCP server that is down can be set as scope, and its tools appear when it is back', async () => {
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

  test('an MCP server connected by an admin can be set as scope while it is down', async () => {
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
  ])('the scope "%s" is rejected while the MCP server holler is down', async (words, problem) => {
    const { exitCode, stderr } = await setScope(...words.split(' '))
    expect(exitCode).toBe(1)
    expect(stderr).toContain(problem)
    expect((await scope()).scope).toBe('all')
  })
})
