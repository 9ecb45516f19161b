import { join } from 'node:path'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROVIDERS } from '../../src/models/providers.ts'
import type { AnyServer } from '../support/server.ts'
import {
  createStage,
  createStageHere,
  type Stage,
  createModelStageHere,
  type ModelStage,
} from '../support/stage.ts'
import { openAgent } from '../support/mcp/agent.ts'
import { startManyMcpServers, type ManyMcpServers } from '../support/mcp/many-servers.ts'
import { calls, says, startModelServer, type ModelServer } from '../support/model-server.ts'
import { paths } from '../../src/base/paths.ts'

/** The script of docs/wrap.md, as it is on the page. */
const page = await readFile(join(paths.root, 'docs/wrap.md'), 'utf8')
const [, example = ''] = /^## A tools layer of your own\n[^]*?^```lua\n([^]*?)^```$/m.exec(page) ?? []

interface Listed {
  readonly visible: number
  readonly tokens: number
  readonly tools: readonly {
    readonly name: string
    readonly tokens: number
    readonly visible: boolean
    readonly reason: string
  }[]
}

const listed = async (stage: Stage<AnyServer>): Promise<Listed> =>
  JSON.parse((await stage.as('ann', ['tools', 'lobby', '--json'])).stdout) as Listed
const guide = async (stage: Stage<AnyServer>, words: string): Promise<string> =>
  (await stage.as('ann', ['ask', 'lobby', '@guide', words])).stdout

/** The tools that are offered of these. */
const offered = ({ tools }: Listed, ...names: readonly string[]): readonly string[] =>
  tools.flatMap(({ name, visible }) => (visible && names.includes(name) ? name : []))

/** Names that do the same. */
const TWINS = ['read_file', 'Read', 'glob', 'Glob', 'grep', 'Grep', 'todo_write', 'TodoWrite']

/** A server of which nothing is known: its tools are counted with all that such a one may add to them. */
const UNKNOWN_PROVIDER = `
[[models]]
name = "qwen"
backend = "openai-compatible"
model = "qwen3"
endpoint = "http://127.0.0.1:9"
`

describe('an empty room', () => {
  let stage: Stage<AnyServer>
  beforeAll(async () => {
    stage = await createStageHere({ isShared: true, config: UNKNOWN_PROVIDER })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('an empty room offers each function once, for fewer than 2,000 tokens', async () => {
    const { stdout } = await stage.as('ann', ['wrap', 'lobby', '@guide', '--json'])
    const prompt = JSON.parse(stdout) as {
      readonly budget: { readonly tools: number }
      readonly tools: readonly { readonly name: string; readonly tokens: number }[]
    }
    expect(prompt.budget.tools).toBeLessThan(2000)
    expect(prompt.budget.tools).toBe(prompt.tools.reduce((sum, { tokens }) => sum + tokens, 0))
    const { perTool, factor } = PROVIDERS.anthropic.framing
    const counted = prompt.tools.map(({ tokens }) => Math.ceil(tokens * factor) + perTool)
    expect(counted.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(2750)
    const list = await listed(stage)
    expect(list.tokens).toBe(prompt.budget.tools)
    expect(prompt.tools.map(({ name }) => name)).toEqual(
      list.tools.flatMap(({ name, visible }) => (visible ? name : [])),
    )
    expect(offered(list, ...TWINS)).toHaveLength(TWINS.length / 2)
    expect(await guide(stage, 'tools')).toContain(`Tools in the request I was given (${list.visible})`)
  })

  test('an unknown provider is offered tools for at most 2,500 tokens in an empty room', async () => {
    const { stdout } = await stage.as('ann', ['wrap', 'lobby', '@qwen', '--json'])
    const { budget, tools } = JSON.parse(stdout) as {
      readonly budget: { readonly tools: number }
      readonly tools: readonly { readonly form: string }[]
    }
    expect(budget.tools).toBeLessThanOrEqual(2500)
    expect(tools.length).toBeGreaterThan(20)
    expect(new Set(tools.map(({ form }) => form))).toEqual(new Set(['full']))
  })

  test('the tools named go, join and leave are offered only after /nav on', async () => {
    const walks = ['go', 'join', 'leave']
    expect(offered(await listed(stage), ...walks)).toEqual([])
    await stage.claim('rhea')
    await stage.as('rhea', ['nav', 'lobby', 'on'])
    expect(offered(await listed(stage), ...walks)).toEqual(walks)
    await stage.as('rhea', ['nav', 'lobby', 'off'])
    const { tools } = await listed(stage)
    expect(tools.find(({ name }) => name === 'go')?.reason).toBe(
      'cannot run here: models may not walk from this room (/nav on)',
    )
  })

  test('each hidden tool has a reason in the list of tools', async () => {
    const { tools } = await listed(stage)
    const reasons = new Map(tools.map(({ name, reason }) => [name, reason]))
    for (const { visible, reason, name } of tools) expect(reason !== '', name).toBe(!visible)
    expect(reasons.get('read_file')).toBe('Read stands for it')
    expect(reasons.get('web_search')).toBe(
      'cannot run here: no search provider is configured ([tools.web] search)',
    )
    const { stdout } = await stage.as('ann', ['tools', 'lobby'])
    expect(stdout).toMatch(/^- todo_write .*TodoWrite stands for it$/m)
  })

  test('a tool can be called by its alias that is not offered, if the scope includes that alias', async () => {
    expect(await guide(stage, 'call todo_write {"todos":[{"content":"sow"}]}')).toContain('sow')
    await stage.as('rhea', ['tools', 'lobby', '!TodoWrite'])
    expect(await guide(stage, 'call todo_write {"todos":[]}')).toContain('however we only have these tools')
    await stage.as('rhea', ['tools', 'lobby', 'todo_write'])
    expect(offered(await listed(stage), ...TWINS)).toEqual(['todo_write'])
    expect(await guide(stage, 'call TodoWrite {"todos":[]}')).toContain('however we only have these tools')
    await stage.as('rhea', ['tools', 'lobby', 'on'])
  })

  test('a call of a tool that cannot run fails with the reason', async () => {
    const { stderr, exitCode } = await stage.as('ann', ['run', 'lobby', 'web_search', '{"query":"x"}'])
    expect(stderr).toBe('ERROR: web_search: no search provider is configured ([tools.web] search)\n')
    expect(exitCode).toBe(1)
  })
})

test('a server without bubblewrap offers glob and grep, but no tool that runs commands', async () => {
  const empty = join(import.meta.dirname, 'no-programs')
  await using stage = await createStage({ isShared: true, env: { PATH: empty } })
  const list = await listed(stage)
  expect(offered(list, ...TWINS, 'LS', 'run_command')).toEqual(['glob', 'grep', 'Read', 'TodoWrite'])
  for (const name of ['run_command', 'Glob', 'Grep', 'LS'])
    expect(list.tools.find((tool) => tool.name === name)?.reason).toMatch(
      /^cannot run here: bubblewrap is not installed/,
    )
  expect(await guide(stage, 'call glob {"pattern":"*"}')).toContain('No files.')
})

describe('many tools', () => {
  let servers: ManyMcpServers
  let models: ModelServer
  let stage: Stage<AnyServer>

  beforeAll(async () => {
    servers = await startManyMcpServers(30, 1000)
    models = await startModelServer()
    const model = (name: string, window: number): string =>
      `[[models]]\nname = "${name}"\nbackend = "openai-compatible"\nmodel = "m"\nendpoint = "${models.endpoint}/v1"\ncontext_window = ${window}\n`
    stage = await createStageHere({
      isShared: true,
      config: model('qwen', 32_768) + model('big', 200_000) + servers.config,
    })
    await stage.claim('rhea')
    await untilConnected()
  })
  afterAll(async () => {
    for (const part of [stage, models, servers]) await part[Symbol.asyncDispose]()
  })

  const out = async (...words: readonly string[]): Promise<string> => (await stage.as('rhea', words)).stdout

  async function untilConnected(): Promise<void> {
    for (;;) if ([...(await out('tools', 'lobby')).matchAll(/^srv\d+ /gm)].length === 30) return
  }

  interface Wrapped {
    readonly budget: { readonly used: number }
    readonly layers: readonly { readonly name: string; readonly tokens: number }[]
    readonly tools: readonly { readonly form: string }[]
  }

  describe('a room with 30 servers and 1,000 tools', () => {
    test.each(['qwen', 'big'])(
      'a room with 1,000 MCP tools gives @%s a prompt of fewer than 8,000 tokens',
      async (name) => {
        const { budget, layers, tools } = JSON.parse(
          await out('wrap', 'lobby', `@${name}`, '--json'),
        ) as Wrapped
        expect(budget.used).toBeLessThan(8_000)
        expect(layers.find((layer) => layer.name === 'tools')?.tokens).toBeLessThanOrEqual(6_000)
        expect(tools.filter(({ form }) => form === 'deferred').length).toBeGreaterThan(800)
        expect(tools.length).toBeGreaterThan(1_000)
      },
    )

    test('/tools lists 30 MCP servers as groups, and --list shows the tools of one', async () => {
      const lines = (await out('tools', 'lobby')).trim().split('\n')
      expect(lines.length).toBeLessThan(40)
      expect(lines).toContainEqual(expect.stringMatching(/^builtin +\d+ tools +\d+ tokens {2}\d+ short/))
      expect(lines).toContainEqual(expect.stringMatching(/^srv30 +33 tools +\d+ tokens {2}.*\d+ deferred$/))
      const listed = (await out('tools', 'lobby', '--list', 'srv30')).trim().split('\n')
      expect(listed).toHaveLength(2 + 33)
      for (const line of listed.slice(2))
        expect(line).toMatch(/^\+ srv30_\S+ +read +\d+ {2}(short|deferred)$/)
      const { tools } = JSON.parse(await out('tools', 'lobby', '--json')) as { tools: unknown[] }
      expect(tools.length).toBeGreaterThan(1_000)
    })

    test('a model can find a deferred tool, get it in its next step and call it', async () => {
      models.play(
        calls('find_tools', { query: 'merge pull requests in system 25' }),
        calls('srv25_merge_pull_request_25', { id: '7' }),
        says('merged'),
      )
      expect(await out('ask', 'lobby', '@big', 'merge number 7')).toContain('merged')
      const namesIn = (request: number): readonly string[] =>
        models.requests.at(request)?.body.tools?.map((tool) => tool.function.name) ?? []
      expect(namesIn(-3)).toContain('find_tools')
      expect(namesIn(-3)).not.toContain('srv25_merge_pull_request_25')
      expect(namesIn(-2)).toContain('srv25_merge_pull_request_25')
      expect(servers.called).toEqual(['merge_pull_request_25'])
      expect(JSON.stringify(models.requests.at(-1)?.body.messages.at(-1))).toContain(
        'did merge_pull_request_25',
      )
    })

    test('people and agents can search tools with find_tools within the scope of the room', async () => {
      const query = (words: string): string => JSON.stringify({ query: words })
      const found = await out('run', 'lobby', 'find_tools', query('delet employe'))
      expect(found).toMatch(
        /^srv\d+_delete_employee_\d+ \{id: string, limit\?: integer, filter\?: object\}$/m,
      )
      await using agent = await openAgent(stage, 'alice')
      const search = (words: string) =>
        agent.call('tools_run', { room: 'lobby', tool: 'find_tools', arguments: { query: words } })
      expect((await search('merge pull request')).text).toMatch(/^srv\d+_merge_pull_request_/)
      await stage.as('rhea', ['tools', 'lobby', 'srv3', '!srv3_create_*'])
      const inScope = (await search('create ticket')).text
      expect(inScope).toMatch(/^srv3_/m)
      expect(inScope).not.toMatch(/^srv(?!3_)|_create_/m)
      await stage.as('rhea', ['tools', 'lobby', 'on'])
    })
  })
})

describe('a tools layer of a room', () => {
  let stage: ModelStage<AnyServer>
  beforeAll(async () => {
    stage = await createModelStageHere('context_window = 8000\n', { isShared: true })
    await stage.claim('rhea')
    expect(await out(['script', 'lobby', 'set'], example)).toContain('version 1')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  async function out(words: readonly string[], input?: string): Promise<string> {
    const { stdout, stderr, exitCode } = await stage.as('rhea', words, input === undefined ? {} : { input })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    return stdout
  }

  interface Wrapped {
    readonly budget: { readonly target: number; readonly used: number; readonly tools: number }
    readonly layers: readonly { readonly name: string; readonly tokens: number; readonly status: string }[]
    readonly tools: readonly { readonly name: string; readonly form: string }[]
  }

  /** What the model was sent last. */
  function lastRequest() {
    const { messages = [], tools = [] } = stage.models.requests.at(-1)?.body ?? {}
    return { system: String(messages[0]?.content), names: tools.map((tool) => tool.function.name) }
  }

  test("a script's own tools layer is sent to the model and counted in the budget", async () => {
    stage.models.play(says('hello'))
    await out(['ask', 'lobby', '@qwen', 'hello?'])
    const { system, names } = lastRequest()
    expect(system).toContain('## What you can call here\n')
    expect(system).not.toContain('## Your Functions')
    expect(system).toMatch(/^- calculator\(expression, precision\): /m)
    expect(names).toContain('calculator')
    const { budget, layers, tools } = JSON.parse(await out(['wrap', 'lobby', '@qwen', '--json'])) as Wrapped
    const layer = layers.find(({ name }) => name === 'tools')
    expect(layer?.status).toBe('kept')
    expect(layer?.tokens).toBeGreaterThan(budget.tools)
    expect(budget.used).toBeLessThanOrEqual(budget.target)
    const loaded = tools.filter(({ form }) => form !== 'deferred').map(({ name }) => name)
    expect(names.toSorted()).toEqual(loaded.toSorted())
  })

  test("a script's own tools layer lists only tools of the room's scope", async () => {
    await out(['tools', 'lobby', 'calculator'])
    stage.models.play(calls('look', {}), says('I could not look'))
    await out(['ask', 'lobby', '@qwen', 'look around'])
    const { system, names } = lastRequest()
    expect(names).toEqual(['calculator'])
    expect(system.match(/^- \w+\(.*\): /gm)).toHaveLength(1)
    expect(JSON.stringify(stage.models.requests.at(-1)?.body.messages.at(-1))).toContain(
      "we only have these tools: 'calculator'",
    )
  })
})
