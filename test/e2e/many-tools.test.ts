import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAgent } from '../support/mcp/agent.ts'
import { startManyMcpServers, type ManyMcpServers } from '../support/mcp/many-servers.ts'
import { calls, says, startModelServer, type ModelServer } from '../support/model-server.ts'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

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
  test.each(['qwen', 'big'])('gives @%s a prompt of less than 8,000 tokens', async (name) => {
    const { budget, layers, tools } = JSON.parse(await out('wrap', 'lobby', `@${name}`, '--json')) as Wrapped
    expect(budget.used).toBeLessThan(8_000)
    expect(layers.find((layer) => layer.name === 'tools')?.tokens).toBeLessThanOrEqual(6_000)
    expect(tools.filter(({ form }) => form === 'deferred').length).toBeGreaterThan(800)
    expect(tools.length).toBeGreaterThan(1_000)
  })

  test('lists its groups with their tools and tokens, and the tools of one on demand', async () => {
    const lines = (await out('tools', 'lobby')).trim().split('\n')
    expect(lines.length).toBeLessThan(40)
    expect(lines).toContainEqual(expect.stringMatching(/^builtin +\d+ tools +\d+ tokens {2}\d+ short/))
    expect(lines).toContainEqual(expect.stringMatching(/^srv30 +33 tools +\d+ tokens {2}.*\d+ deferred$/))
    const listed = (await out('tools', 'lobby', '--list', 'srv30')).trim().split('\n')
    expect(listed).toHaveLength(2 + 33)
    for (const line of listed.slice(2)) expect(line).toMatch(/^\+ srv30_\S+ +read +\d+ {2}(short|deferred)$/)
    const { tools } = JSON.parse(await out('tools', 'lobby', '--json')) as { tools: unknown[] }
    expect(tools.length).toBeGreaterThan(1_000)
  })

  test('has its tools found by a model, loaded for its next step, and called', async () => {
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

  test('refuses a name that is not there', async () => {
    const { stderr, exitCode } = await stage.as('rhea', ['run', 'lobby', 'merge_pull_requests', '{}'])
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/no tool merge_pull_requests; tools lists those of this room\n$/)
  })

  test('has its tools searched by people and agents, as far as the scope shows them', async () => {
    const query = (words: string): string => JSON.stringify({ query: words })
    const found = await out('run', 'lobby', 'find_tools', query('delet employe'))
    expect(found).toMatch(/^srv\d+_delete_employee_\d+ \{id: string, limit\?: integer, filter\?: object\}$/m)
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
