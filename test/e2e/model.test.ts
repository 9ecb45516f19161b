import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { json as sendsJson } from '../support/ollama-wire.ts'
import { forAllTests } from '../support/for-all-tests.ts'
import {
  answer,
  calls,
  hang,
  says,
  startModelServer,
  status,
  type Script,
  type ChatRequest,
} from '../support/model-server.ts'
import { askForReload } from '../../src/server/reload-socket.ts'
import { sandboxConfig } from '../support/needs.ts'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, createModelStageHere, type ModelStage } from '../support/stage.ts'
import { rawServer } from '../support/mcp/raw-servers.ts'

const models = await forAllTests(startModelServer())
const stage = await forAllTests(
  createStageHere({
    isShared: true,
    config: `
${sandboxConfig}
[[models]]
name = "qwen"
backend = "openai-compatible"
model = "qwen3:8b"
endpoint = "${models.endpoint}/v1"
context_window = 16000

[[models]]
name = "tiny"
backend = "openai-compatible"
model = "tiny"
endpoint = "${models.endpoint}"
context_window = 600
system_prompt = "${'Be kind to all. '.repeat(100)}"
`,
  }),
)
await stage.claim('rhea')

const ask = (model: string, ...words: string[]) => stage.as('rhea', ['ask', 'lobby', model, ...words])
const json = async (words: readonly string[]) => JSON.parse((await stage.as('rhea', words)).stdout)

test('a model is sent exactly the visible tools, under the same names as in its prompt', async () => {
  await stage.as('rhea', ['tools', 'lobby', 'internal', 'calculator'])
  models.play(says('hel', 'lo'))
  const { stdout, exitCode } = await ask('@qwen', 'hi')
  expect({ stdout, exitCode }).toEqual({ stdout: 'hello\n', exitCode: 0 })
  const { body } = models.requests.at(-1)!
  const { tools } = (await json(['tools', 'lobby', '--json'])) as {
    tools: { name: string; visible: boolean }[]
  }
  const visible = tools.filter((tool) => tool.visible).map((tool) => tool.name)
  expect(body.tools!.map((tool) => tool.function.name)).toEqual(visible)
  const prompted = [...String(body.messages[0]!.content).matchAll(/^- \*\*(.+?)\*\*: /gm)].map(
    (match) => match[1],
  )
  expect(prompted).toEqual(visible)
})

test('a model that calls a hidden tool gets an error that lists its visible tools', async () => {
  await stage.as('rhea', ['tools', 'lobby', 'calculator', 'look'])
  models.play(calls('run_command', { command: 'touch pwned' }), says('sorry'))
  expect((await ask('@qwen', 'do it')).stdout).toContain('sorry')
  const reply = models.requests.at(-1)!.body.messages.at(-1)!
  expect(reply).toMatchObject({
    role: 'tool',
    tool_call_id: 'call_a',
    content:
      "ERROR: You requested a tool called 'run_command', however we only have these tools: 'look', 'calculator'",
  })
  const { stdout: log } = await stage.as('alice', ['history', 'lobby', '-n', '3'])
  expect(log).toContain('-- @qwen called run_command, which is no tool here\n')
  expect(log).not.toContain('calculator')
})

test('a model cannot call tools that are turned off during its turn', async () => {
  await stage.as('rhea', ['tools', 'lobby', 'on'])
  models.play(async (response, request) => {
    await stage.as('rhea', ['tools', 'lobby', 'off'])
    await calls('calculator', { expression: '1+1' })(response, request)
  }, says('well'))
  await ask('@qwen', 'count')
  expect(models.requests.at(-1)!.body.messages.at(-1)).toMatchObject({
    content: "ERROR: You requested a tool called 'calculator', however we only have these tools: ",
  })
  expect(models.requests.at(-1)!.body.tools ?? []).toEqual([])
  await stage.as('rhea', ['tools', 'lobby', 'on'])
})

test('/ask exits with status 1 and names the model if its provider answers 404', async () => {
  models.play(status(404, 'model not found'))
  const { exitCode, stderr } = await ask('@qwen', 'hi')
  expect(exitCode).toBe(1)
  expect(stderr).toMatch(/qwen/)
})

test.each([
  [12.5, 1.5],
  [-5, -5],
  [1e308, 1],
])(
  'an impossible token report (%d, %d) is replaced by our own count, and the reply is shown',
  async (input, output) => {
    models.play(answer([{ text: 'fine' }], { usage: [input, output] }))
    const none = { input: 0, output: 0 }
    const usage = async () => {
      const { models: all } = await json(['usage', '--json'])
      const { estimated, ...sums } = all.find((one: { model: string }) => one.model === 'qwen') ?? {
        ...none,
        estimated: none,
      }
      return { reported: sums.input - estimated.input, written: sums.output, estimated }
    }
    const before = await usage()
    expect(await ask('@qwen', 'hi')).toMatchObject({ exitCode: 0, stdout: 'fine\n', stderr: '' })
    const { reported, written, estimated } = await usage()
    expect(reported).toEqual(before.reported)
    expect(written).toBe(before.written + 1)
    expect(estimated.input).toBeGreaterThan(before.estimated.input)
    expect(estimated.input).toBeLessThan(before.estimated.input + 10_000)
  },
)

test('a turn can be stopped by its requester, but not by another person', async () => {
  models.play(hang())
  const before = models.requests.length
  const asking = ask('@qwen', 'take your time')
  await models.arrived(before + 1)
  expect((await stage.as('mallory', ['stop', 'lobby'])).exitCode).toBe(1)
  expect((await stage.as('rhea', ['stop', 'lobby'])).exitCode).toBe(0)
  expect((await asking).exitCode).toBe(1)
  await models.abandoned()
})

test('the room reads that a turn was stopped because the server is stopping', async () => {
  models.play(hang())
  const before = models.requests.length
  const asking = ask('@qwen', 'take your time')
  await models.arrived(before + 1)
  await stage.restart('SIGTERM')
  await asking
  const { stdout } = await stage.as('rhea', ['history', 'lobby', '-n', '3'])
  expect(stdout).toContain("@qwen's turn for rhea was stopped: the server is stopping")
})

test('a required layer over the token budget is an error in the room, and no request is sent', async () => {
  const before = models.requests.length
  const { exitCode, stderr } = await ask('@tiny', 'hi')
  expect(exitCode).toBe(1)
  expect(stderr).toMatch(/wrap: layer "model_identity" needs \d+ tokens, \d+ of \d+ are left/)
  const { stdout } = await stage.as('rhea', ['history', 'lobby', '-n', '3'])
  expect(stdout).toMatch(/wrap: layer "model_identity" needs/)
  expect(models.requests.length).toBe(before)
})

test('an endless room script fails after 250 ms while another room gets answers', async () => {
  await stage.as('rhea', ['create', 'tarpit'])
  const source =
    'function default_wrap(t) if tools.room_kv_get("stuck") then while true do end end return wrap(t):system() end'
  const set = await stage.as('rhea', ['script', 'tarpit', 'set'], { input: source })
  expect(set).toMatchObject({ exitCode: 0, stderr: '' })
  await stage.as('rhea', ['kv', 'tarpit', 'stuck', 'true'])
  const stuck = stage.as('rhea', ['ask', 'tarpit', '@qwen', 'hi'])
  const others = await Promise.all([1, 2, 3].map(() => stage.as('alice', ['ask', 'lobby', '@guide', 'help'])))
  for (const other of others)
    expect(other).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('@guide') as unknown })
  const { exitCode, stderr } = await stuck
  expect(exitCode).toBe(1)
  expect(stderr).toBe('script:1: it runs longer than 250 ms\n')
  await stage.as('rhea', ['kv', 'tarpit', 'stuck', '-'])
  expect((await stage.as('alice', ['ask', 'tarpit', '@guide', 'help'])).exitCode).toBe(0)
})

describe('a strict provider', () => {
  let stage: ModelStage<AnyServer>
  beforeAll(async () => {
    stage = await createModelStageHere('', { isShared: true })
    await stage.claim('rhea')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const hasTool = ({ tools = [] }: ChatRequest, name: string): boolean =>
    tools.some((tool) => tool.function.name === name)

  /** A reasoning model behind a strict gateway. */
  function refusalOf(body: ChatRequest): string | undefined {
    if ('max_tokens' in body)
      return "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    if ('stream_options' in body) return 'body.stream_options: Extra inputs are not permitted'
    if (body.messages[0]?.role === 'system') return 'System role not supported'
    return hasTool(body, 'calculator') ? "Invalid schema for function 'calculator'" : undefined
  }

  const strictly: Script = (response, request) => {
    const message = refusalOf(request.body)
    return (message === undefined ? says('all is well') : sendsJson({ error: { message } }, 400))(
      response,
      request,
    )
  }

  const ask = async (): Promise<string> => (await stage.as('rhea', ['ask', 'lobby', '@qwen', 'hello'])).stdout

  test('a refused part of a request is omitted until a reload, and /models names it to admins', async () => {
    stage.models.always(strictly)
    expect(await ask()).toContain('all is well')
    expect(stage.models.requests).toHaveLength(5)
    expect(hasTool(stage.models.requests[0]!.body, 'calculator')).toBe(true)
    expect(await ask()).toContain('all is well')
    expect(stage.models.requests).toHaveLength(6)

    const { stdout } = await stage.as('rhea', ['models'])
    expect(stdout).toContain('no system message: it refused one (System role not supported)')
    expect(stdout).toContain("without max_tokens: it was refused (Unsupported parameter: 'max_tokens'")
    expect(stdout).toContain(
      'without stream_options: it was refused (body.stream_options: Extra inputs are not permitted)',
    )
    expect(stdout).toContain(
      'without the tool calculator: its provider refused it (Invalid schema for function',
    )
    expect(stdout).toContain('sshawl reload tries all of it again')
    const others = await stage.as('ned', ['models'])
    expect(others.stdout).not.toContain('Extra inputs')

    await askForReload(stage.server.dataDir)
    expect((await stage.as('rhea', ['models'])).stdout).not.toContain('refused')
    expect(await ask()).toContain('all is well')
    expect(stage.models.requests).toHaveLength(11)
  })

  /** True if each object of a schema says what its properties are. */
  function isComplete(schema: unknown): boolean {
    if (typeof schema !== 'object' || schema === null) return true
    const { type, properties } = schema as { readonly type?: unknown; readonly properties?: unknown }
    if (type === 'object' && typeof properties !== 'object') return false
    return Object.values(schema).every(isComplete)
  }

  /** Answers as OpenAI does: a request with an object that names no properties is refused as a whole. */
  const completely: Script = (response, request) => {
    const tools = request.body.tools ?? []
    const isRefused = !tools.every((tool) => isComplete(tool.function.parameters))
    const refusal = status(400, 'Invalid schema for function: object schema missing properties')
    return (isRefused ? refusal : says('the tools are fine'))(response, request)
  }

  test('a tool without arguments is sent with empty properties to a strict provider', async () => {
    const tools = [
      { name: 'now', description: 'Now.', inputSchema: { type: 'object' } },
      {
        name: 'set',
        description: 'Set.',
        inputSchema: { type: 'object', properties: { to: { type: 'object' } } },
      },
    ]
    const file = join(stage.dir, 'tools.json')
    await writeFile(file, JSON.stringify(tools))
    await stage.as('rhea', ['mcp', 'connect', 'bare', ...rawServer('usual', file)])
    stage.models.always(completely)
    const { stdout } = await stage.as('rhea', ['ask', 'lobby', '@qwen', 'hello'])
    expect(stdout).toContain('the tools are fine')
    const sent = stage.models.requests.at(-1)!.body.tools!.map((tool) => tool.function)
    expect(sent.find(({ name }) => name === 'bare_now')!.parameters).toEqual({
      type: 'object',
      properties: {},
    })
  })
})
