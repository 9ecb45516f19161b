import { get_encoding } from 'tiktoken'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  answer,
  calls,
  hang,
  says,
  startModelServer,
  status,
  type ModelServer,
} from '../support/model-server.ts'
import { sandboxConfig } from '../support/needs.ts'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

let stage: Stage<AnyServer>
let models: ModelServer

beforeAll(async () => {
  models = await startModelServer()
  stage = await createStageHere({
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
  })
  await stage.claim('rhea')
})
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
  await models[Symbol.asyncDispose]()
})

const ask = (model: string, ...words: string[]) => stage.as('rhea', ['ask', 'lobby', model, ...words])
const json = async (words: readonly string[]) => JSON.parse((await stage.as('rhea', words)).stdout)

describe('a model over HTTP', () => {
  test('is sent exactly the visible tools, under the same names as in its prompt', async () => {
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

  test('that calls a hidden tool is told so in the words of the contract, and nothing runs', async () => {
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

  test('that asks for a crowd of tools is stopped, and the room reads why', async () => {
    const crowd = Array.from({ length: 80 }, (_, index) => ({
      call: { index, id: `call_${index}`, name: 'look', arguments: '{}' },
    }))
    models.play(answer(crowd))
    const why = '@qwen: it asked for more than 64 tools at once; it was stopped'
    expect(await ask('@qwen', 'look around')).toMatchObject({ exitCode: 1, stderr: `${why}\n` })
    expect((await stage.as('alice', ['history', 'lobby', '-n', '1'])).stdout).toContain(`-- ${why}\n`)
  })

  test('that calls Grep gets what Grep found in its next request', async () => {
    await stage.as('rhea', ['tools', 'lobby', 'on'])
    const files = join(stage.server.dataDir, 'rooms', 'lobby', 'files')
    await mkdir(files, { recursive: true })
    await writeFile(join(files, 'a.txt'), 'one\nneedle here\n')
    models.play(calls('Grep', { arguments: ['-rn', 'needle', '.'] }), says('found'))
    await ask('@qwen', 'find it')
    expect(models.requests.at(-1)!.body.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: expect.stringContaining('a.txt:2:needle here') as unknown,
    })
  })

  test('whose tools are taken away in mid-turn cannot call them any more', async () => {
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

  test('that fails is told in the room, and the script exits 1', async () => {
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
    'whose report of tokens cannot be true (%d, %d) answers, and our own count stands in',
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

  test('can be stopped by the one who asked', async () => {
    models.play(hang())
    const before = models.requests.length
    const asking = ask('@qwen', 'take your time')
    await models.arrived(before + 1)
    expect((await stage.as('mallory', ['stop', 'lobby'])).exitCode).toBe(1)
    expect((await stage.as('rhea', ['stop', 'lobby'])).exitCode).toBe(0)
    expect((await asking).exitCode).toBe(1)
    await models.abandoned()
  })
})

test('the room reads that the server was stopped, and not that its person went away', async () => {
  models.play(hang())
  const before = models.requests.length
  const asking = ask('@qwen', 'take your time')
  await models.arrived(before + 1)
  await stage.restart('SIGTERM')
  await asking
  const { stdout } = await stage.as('rhea', ['history', 'lobby', '-n', '3'])
  expect(stdout).toContain("@qwen's turn for rhea was stopped: the server is stopping")
})

describe('the budget', () => {
  const encoder = get_encoding('o200k_base')
  afterAll(() => encoder.free())
  const count = (text: string): number => encoder.encode_ordinary(text).length

  interface Wrapped {
    readonly budget: Record<
      'window' | 'reserved_output' | 'target' | 'used' | 'system' | 'context' | 'tools',
      number
    >
    readonly tools: readonly { readonly name: string; readonly tokens: number }[]
    readonly layers: readonly { readonly name: string; readonly tokens: number }[]
    readonly system_prompt: string
    readonly context: string
  }
  const wrapped = (): Promise<Wrapped> => json(['wrap', 'lobby', '@guide', '--json']) as Promise<Wrapped>

  test('counts what is sent, within the target', async () => {
    const { budget, system_prompt, context, tools } = await wrapped()
    expect(budget.system).toBe(count(system_prompt))
    expect(budget.context).toBe(count(context))
    expect(budget.tools).toBe(tools.reduce((sum, tool) => sum + tool.tokens, 0))
    expect(budget.used).toBe(budget.system + budget.context + budget.tools)
    expect(budget.used).toBeLessThanOrEqual(budget.target)
    expect(budget.target).toBe(budget.window - budget.reserved_output)
  })

  test('grows by exactly the tokens of the tools that are added', async () => {
    const layer = (one: Wrapped): number => one.layers.find(({ name }) => name === 'tools')?.tokens ?? 0
    await stage.as('rhea', ['tools', 'lobby', 'calculator'])
    const few = await wrapped()
    await stage.as('rhea', ['tools', 'lobby', 'calculator', 'Grep', 'Glob'])
    const more = await wrapped()
    const added = more.tools.filter(({ name }) => name === 'Grep' || name === 'Glob')
    expect(more.budget.tools - few.budget.tools).toBe(added.reduce((sum, tool) => sum + tool.tokens, 0))
    expect(more.budget.system + more.budget.tools - few.budget.system - few.budget.tools).toBe(
      layer(more) - layer(few),
    )
  })

  test('that a required layer does not fit is an error in the room, and nothing is sent', async () => {
    const before = models.requests.length
    const { exitCode, stderr } = await ask('@tiny', 'hi')
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/wrap: layer "model_identity" needs \d+ tokens, \d+ of \d+ are left/)
    const { stdout } = await stage.as('rhea', ['history', 'lobby', '-n', '3'])
    expect(stdout).toMatch(/wrap: layer "model_identity" needs/)
    expect(models.requests.length).toBe(before)
  })
})

describe("a room's script that never ends", () => {
  test('costs its own turn only: another room answers meanwhile', async () => {
    await stage.as('rhea', ['create', 'tarpit'])
    const source =
      'function default_wrap(t) if tools.room_kv_get("stuck") then while true do end end return wrap(t):system() end'
    const set = await stage.as('rhea', ['script', 'tarpit', 'set'], { input: source })
    expect(set).toMatchObject({ exitCode: 0, stderr: '' })
    await stage.as('rhea', ['kv', 'tarpit', 'stuck', 'true'])
    const stuck = stage.as('rhea', ['ask', 'tarpit', '@qwen', 'hi'])
    const others = await Promise.all(
      [1, 2, 3].map(() => stage.as('alice', ['ask', 'lobby', '@guide', 'help'])),
    )
    for (const other of others)
      expect(other).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('@guide') as unknown })
    const { exitCode, stderr } = await stuck
    expect(exitCode).toBe(1)
    expect(stderr).toBe('script:1: it runs longer than 250 ms\n')
    await stage.as('rhea', ['kv', 'tarpit', 'stuck', '-'])
    expect((await stage.as('alice', ['ask', 'tarpit', '@guide', 'help'])).exitCode).toBe(0)
  })

  test('that does not compile is refused with its line', async () => {
    const { exitCode, stderr } = await stage.as('rhea', ['script', 'tarpit', 'check'], {
      input: 'local x = 1\nfunction (',
    })
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/:2:/)
  })
})
