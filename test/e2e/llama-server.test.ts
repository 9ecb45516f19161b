import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createModel } from '../../src/models/providers.ts'
import { startLlamaServer, type LlamaServer } from '../support/llama-server.ts'
import { collect, sampleConfig, samplePrompt, sampleRequest, textOf } from '../support/model-request.ts'
import { lacks } from '../support/needs.ts'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

/** In tokens, which are bytes here. */
const WINDOW = 8_192

describe.skipIf(lacks('llama-server'))('a real llama-server', () => {
  let llama: LlamaServer
  let stage: Stage<AnyServer>

  beforeAll(async () => {
    llama = await startLlamaServer(WINDOW)
    const model = (name: string, backend: string) => `
[[models]]
name = "${name}"
backend = "${backend}"
model = "${name}"
endpoint = "${llama.endpoint}"
context_window = 100000
max_output = 200
encoding = "r50k_base"
`
    const config = model('asked', 'llamacpp') + model('unasked', 'openai-compatible')
    stage = await createStageHere({ config })
    await stage.claim('rhea')
    await stage.as('rhea', ['tools', 'lobby', 'off'])
  })
  afterAll(async () => {
    await stage?.[Symbol.asyncDispose]()
    await llama?.[Symbol.asyncDispose]()
  })

  interface Listed {
    readonly contextWindow: number
    readonly calibration: number
    readonly input: number
    readonly cached: number
    readonly output: number
  }
  async function listed(name: string): Promise<Listed> {
    const { stdout } = await stage.as('rhea', ['models', '--json'])
    const all = JSON.parse(stdout) as (Listed & { readonly name: string })[]
    return all.find((one) => one.name === name)!
  }
  const ask = (room: string, model: string, text = 'hello') =>
    stage.as('rhea', ['ask', '--json', room, `@${model}`, text])

  test('llama-server streams its answer and counts one token per byte of the prompt', async () => {
    const model = createModel(sampleConfig({ backend: 'llamacpp', endpoint: llama.endpoint }))
    const used = async (message: string) => {
      const request = { ...sampleRequest(), prompt: samplePrompt({ message }) }
      const events = await collect(model.stream(request, new AbortController().signal))
      const end = events.at(-1)
      if (end?.type !== 'finish') throw new Error(`the answer has no end: ${JSON.stringify(end)}`)
      const pieces = events.filter(({ type }) => type === 'text').length
      return { ...end, pieces, text: textOf(events) }
    }
    const short = await used('ann: hello')
    expect(short.reason).toBe('stop')
    expect(short.text).toMatch(/^[a-z]+$/)
    expect(short.pieces).toBe(short.text.length)
    // Its end is a token, too.
    expect(short.usage?.output).toBe(short.text.length + 1)
    const long = await used('ann: hello, grüß dich')
    expect(long.usage!.input - short.usage!.input).toBe(Buffer.byteLength(', grüß dich'))
  })

  test('a llamacpp model uses the context window that llama-server reports', async () => {
    const { exitCode, stdout } = await ask('lobby', 'asked')
    expect(exitCode).toBe(0)
    const reply = JSON.parse(stdout.trimEnd().split('\n').at(-1)!)
    expect(reply).toMatchObject({ kind: 'reply', outcome: 'done', text: expect.stringMatching(/^[a-z]+$/) })
    expect((await listed('asked')).contextWindow).toBe(WINDOW)
    expect((await listed('unasked')).contextWindow).toBe(100_000)
  })

  test.each(['asked', 'unasked'])(
    'a prompt that llama-server refuses is shortened for model %s, and its next turn is accepted',
    async (model) => {
      const room = `long-${model}`
      await stage.as('rhea', ['create', room])
      const words = 'it is as I said to you: no, we do not go. '.repeat(70)
      for (let times = 0; times < 8; times++) await stage.as('rhea', ['say', room, words])
      const before = llama.refusals()
      expect((await ask(room, model)).exitCode).toBe(0)
      expect(llama.refusals()).toBeGreaterThan(before)
      const { contextWindow, calibration } = await listed(model)
      expect(contextWindow).toBe(WINDOW)
      expect(calibration).toBeGreaterThan(2.5)
      const learned = llama.refusals()
      expect((await ask(room, model, 'and now?')).exitCode).toBe(0)
      expect(llama.refusals()).toBe(learned)
    },
  )

  test('the token counts of /models equal the counts of llama-server', async () => {
    const [prompts, answers] = await Promise.all([
      llama.count('prompt_tokens'),
      llama.count('tokens_predicted'),
    ])
    const before = await listed('asked')
    expect((await ask('lobby', 'asked', 'how many?')).exitCode).toBe(0)
    const { input, cached, output } = await listed('asked')
    expect(output - before.output).toBe((await llama.count('tokens_predicted')) - answers)
    expect(input - cached - before.input + before.cached).toBe((await llama.count('prompt_tokens')) - prompts)
  })
})
