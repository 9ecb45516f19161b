import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sandboxConfig } from '../support/needs.ts'
import { startServer, type AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

let stage: Stage<AnyServer>
beforeAll(async () => {
  stage = await createStageHere({ config: sandboxConfig, isShared: true })
  await stage.claim('rhea')
})
afterAll(() => stage[Symbol.asyncDispose]())

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

describe("the room's scope", () => {
  test('is everything at first, and the guide is given exactly what is listed', async () => {
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

  test('off: there are none, on: all are back', async () => {
    expect((await setScope('off')).exitCode).toBe(0)
    expect(await guide('tools')).toBe('There are no tools in the request I was given.\n')
    expect(await listed()).toMatchObject({ scope: 'none', visible: 0, tokens: 0 })
    await setScope('on')
    expect(await guide('tools')).toMatch(/\bGrep\b/)
  })

  test('internal: only the internal ones', async () => {
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

  test('patterns, where taking away wins, with one reason for each hidden tool', async () => {
    await setScope('G*', '!Grep')
    const { tools, visible } = await listed()
    expect(tools.filter((tool) => tool.visible).map((tool) => tool.id)).toEqual(['Glob'])
    expect(visible).toBe(1)
    for (const tool of tools.filter((one) => !one.visible)) expect(tool.reason, tool.id).not.toBe('')
    expect(tools.find((tool) => tool.id === 'Grep')!.reason).toContain('!Grep')
    expect(await guide('tools')).not.toContain('Grep')
  })

  test('a pattern without a tool, and patterns that leave none, are refused and change nothing', async () => {
    const before = await listed()
    for (const words of [['holler'], ['Gr*', '!Grep']]) {
      const { stderr, exitCode } = await setScope(...words)
      expect(exitCode).toBe(1)
      expect(stderr).toContain('the scope was not changed')
    }
    expect((await listed()).scope).toEqual(before.scope)
  })

  test('can be changed by owner, op and admin only, and every change is told in the room', async () => {
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

  test('is kept over a restart', async () => {
    await stage.goOnWith(startServer)
    await setScope('calculator')
    await stage.restart('SIGKILL')
    expect(await listed()).toMatchObject({ scope: ['calculator'], visible: 1 })
    await setScope('on')
  })
})

describe('a call by the guide', () => {
  test('runs a visible tool and answers with its result', async () => {
    expect(await guide('call calculator {"expression":"2**10"}')).toContain('1024')
    expect(await guide('call who')).toContain('guide')
  })

  test('of a hidden tool runs nothing and is told what there is', async () => {
    await setScope('calculator')
    const answer = await guide('call Grep {"arguments":["-rn","x","."]}')
    expect(answer).toContain(
      "ERROR: You requested a tool called 'Grep', however we only have these tools: 'calculator'",
    )
    await setScope('on')
  })

  test.each([
    ['Grep', '{"arguments":["-rn","$(touch pwned)","."]}'],
    ['Grep', '{"arguments":["; touch pwned"]}'],
    ['Glob', '{"arguments":[".","-name","`touch pwned`"]}'],
    ['LS', '{"arguments":["$(touch pwned)"]}'],
  ])('%s %s makes nothing', async (tool, args) => {
    await guide(`call ${tool} ${args}`)
    expect(await allFiles(stage.dir)).not.toContainEqual(expect.stringContaining('pwned'))
  })

  test.each([
    ['Glob', '["-delete"]', '-delete'],
    ['Glob', '[".","-exec","rm","{}",";"]', '-exec'],
    ['Grep', '["-f","/etc/shadow","."]', '-f'],
    ['Grep', '["x","/etc/passwd"]', '/etc/passwd'],
    ['LS', '["../.."]', '../..'],
  ])('%s %s is refused before it runs, and the message names %s', async (tool, args, named) => {
    const answer = await guide(`call ${tool} {"arguments":${args}}`)
    expect(answer).toMatch(/^ERROR: /)
    expect(answer).toContain(named)
  })

  test('that writes or executes is denied to a script, which nobody can ask', async () => {
    const answer = await guide('call run_command {"command":"touch made"}')
    expect(answer).toMatch(/^ERROR: Permission denied: .*touch made/)
    expect(await allFiles(stage.dir)).not.toContainEqual(expect.stringMatching(/made$/))
  })
})

const allFiles = async (dir: string): Promise<string[]> =>
  (await readdir(dir, { recursive: true })).map((name) => join(dir, name))
