import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer, calls, hang, startModelServer, type ModelServer } from '../support/model-server.ts'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

/** A module as somebody writes it: its tool asks whichever model called it. */
const MODULE = `
export async function sum_up({ text }, { chat }) {
  if (!chat.model) return 'ERROR: sum_up: only a model can call it'
  const { text: short, usage } = await chat.model.ask([{ role: 'user', text: 'In two words: ' + text }])
  return chat.model + ' says: ' + short + ' (' + usage.output + ')'
}
sum_up.tool = {
  description: 'Sums up a text.',
  access: 'read',
  parameters: { text: { type: 'string', description: 'The text.' } },
}
`

let dir: string
let stage: Stage<AnyServer>
let models: ModelServer

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sshawl-asked-'))
  await writeFile(join(dir, 'sum-up.js'), MODULE)
  models = await startModelServer()
  stage = await createStageHere({
    isShared: true,
    config: `
[tools]
modules = ["${join(dir, 'sum-up.js')}"]
[limits]
tokens_per_person_day = 400
[[models]]
name = "qwen"
backend = "openai-compatible"
model = "qwen3:8b"
endpoint = "${models.endpoint}/v1"
context_window = 16000
price = { input = 2, output = 10 }
`,
  })
  await stage.claim('rhea')
  await stage.as('rhea', ['tools', 'lobby', 'sum_up'])
})
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
  await models[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

const ask = (who: string, text: string) => stage.as(who, ['ask', 'lobby', '@qwen', text])
const uses = (input: number, output: number, text: string) => answer([{ text }], { usage: [input, output] })
const callsIt = calls('sum_up', { text: 'a long story' })

/** What the lobby's models used so far, as `usage` says it. */
async function used(): Promise<{ readonly requests: number; readonly input: number; readonly cost: string }> {
  const { stdout } = await stage.as('rhea', ['usage', 'lobby', '--json'])
  return JSON.parse(stdout).models.find(({ model }: { model: string }) => model === 'qwen')
}

/** What the model was sent of the last call's result. */
const lastResult = (): unknown => models.requests.at(-1)?.body.messages.at(-1)?.content

describe("a module's tool that asks the model that called it", () => {
  test('gets its answer, and usage has all three requests with their cost', async () => {
    models.play(callsIt, uses(100, 5, 'all well'), uses(20, 3, 'It ends well.'))
    expect(await ask('alice', 'sum up')).toMatchObject({ stdout: 'It ends well.\n', stderr: '', exitCode: 0 })
    const [, question] = models.requests.slice(-3).map(({ body }) => body)
    expect(question!.messages).toEqual([{ role: 'user', content: 'In two words: a long story' }])
    expect(question!.tools ?? []).toEqual([])
    expect(lastResult()).toBe('qwen says: all well (5)')
    expect(await used()).toMatchObject({ requests: 3, input: 131, output: 15, cost: '0.000412' })
    const { stdout } = await stage.as('alice', ['history', 'lobby', '-n', '1', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ usage: { input: 131, output: 15 }, cost: '0.000412' })
  })

  test('asks no further once the quota of its requester is used up', async () => {
    models.play(
      answer([{ call: { index: 0, id: 'a', name: 'sum_up', arguments: '{"text":"x"}' } }], {
        usage: [390, 10],
      }),
    )
    const before = models.requests.length
    const { stderr, exitCode } = await ask('bob', 'sum up')
    expect(exitCode).toBe(1)
    expect(stderr).toContain('the quota of bob (tokens_per_person_day) is used up: 400 of 400')
    expect(models.requests).toHaveLength(before + 1)
    const { stdout } = await stage.as('bob', ['history', 'lobby', '-n', '4', '--json'])
    expect(stdout).toContain('ERROR: sum_up: the quota of bob (tokens_per_person_day) is used up')
  })

  test('ends with its turn: the request is broken off', async () => {
    models.play(callsIt, hang())
    const before = models.requests.length
    const asking = ask('carol', 'sum up')
    await models.arrived(before + 2)
    expect((await stage.as('carol', ['stop', 'lobby'])).exitCode).toBe(0)
    expect((await asking).exitCode).toBe(1)
    await models.abandoned()
  })

  test('has no model to ask if a person runs it', async () => {
    expect(await stage.as('alice', ['run', 'lobby', 'sum_up', '{"text":"x"}'])).toMatchObject({
      stderr: expect.stringContaining('sum_up: only a model can call it') as string,
      exitCode: 1,
    })
  })
})
