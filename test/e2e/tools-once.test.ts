import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROVIDERS } from '../../src/adapters/models/index.ts'
import { type AnyServer } from '../support/server.ts'
import { createStage, createStageHere, type Stage } from '../support/stage.ts'

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

  test('offers each function once, for fewer than 2,000 tokens of texts', async () => {
    const { stdout } = await stage.as('ann', ['wrap', 'lobby', '@guide', '--json'])
    const prompt = JSON.parse(stdout) as {
      readonly budget: { readonly tools: number }
      readonly tools: readonly { readonly name: string; readonly tokens: number }[]
    }
    expect(prompt.budget.tools).toBeLessThan(2000)
    expect(prompt.budget.tools).toBe(prompt.tools.reduce((sum, { tokens }) => sum + tokens, 0))
    const { perTool, factor } = PROVIDERS.anthropic.framing
    const counted = prompt.tools.map(({ tokens }) => Math.ceil(tokens * factor) + perTool)
    expect(counted.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(2500)
    const list = await listed(stage)
    expect(list.tokens).toBe(prompt.budget.tools)
    expect(prompt.tools.map(({ name }) => name)).toEqual(
      list.tools.flatMap(({ name, visible }) => (visible ? name : [])),
    )
    expect(offered(list, ...TWINS)).toHaveLength(TWINS.length / 2)
    expect(await guide(stage, 'tools')).toContain(`Tools in the request I was given (${list.visible})`)
  })

  test('offers tools for at most 2,500 tokens to a provider of which nothing is known', async () => {
    const { stdout } = await stage.as('ann', ['wrap', 'lobby', '@qwen', '--json'])
    const { budget, tools } = JSON.parse(stdout) as {
      readonly budget: { readonly tools: number }
      readonly tools: readonly { readonly form: string }[]
    }
    expect(budget.tools).toBeLessThanOrEqual(2500)
    expect(tools.length).toBeGreaterThan(20)
    expect(new Set(tools.map(({ form }) => form))).toEqual(new Set(['full']))
  })

  test('offers walking only where models may walk', async () => {
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

  test('gives a reason for each tool that is hidden', async () => {
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

  test('runs a call by the name that is not offered, as far as the scope shows the tool', async () => {
    expect(await guide(stage, 'call todo_write {"todos":[{"content":"sow"}]}')).toContain('sow')
    await stage.as('rhea', ['tools', 'lobby', '!TodoWrite'])
    expect(await guide(stage, 'call todo_write {"todos":[]}')).toContain('however we only have these tools')
    await stage.as('rhea', ['tools', 'lobby', 'todo_write'])
    expect(offered(await listed(stage), ...TWINS)).toEqual(['todo_write'])
    expect(await guide(stage, 'call TodoWrite {"todos":[]}')).toContain('however we only have these tools')
    await stage.as('rhea', ['tools', 'lobby', 'on'])
  })

  test('fails a call of what cannot run here with the reason', async () => {
    const { stderr, exitCode } = await stage.as('ann', ['run', 'lobby', 'web_search', '{"query":"x"}'])
    expect(stderr).toBe('ERROR: web_search: no search provider is configured ([tools.web] search)\n')
    expect(exitCode).toBe(1)
  })
})

test('a server without bubblewrap offers what needs no commands in place of what does', async () => {
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
