import { beforeEach, describe, expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { calls, says, startModelServer, status } from '../support/model-server.ts'
import { createStageHere } from '../support/stage.ts'

const models = await forAllTests(startModelServer())
const model = (name: string, more = '') => `
[[models]]
name = "${name}"
backend = "openai-compatible"
model = "${name}"
endpoint = "${models.endpoint}/v1"
context_window = 16000
${more}`
const config = model('qwen') + model('bot', 'fallback = "qwen"\n')
const stage = await forAllTests(createStageHere({ isShared: true, config }))
await stage.claim('rhea')

async function out(words: readonly string[], input?: string): Promise<string> {
  const { stdout, stderr, exitCode } = await stage.as('rhea', words, input === undefined ? {} : { input })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}

interface Sent {
  readonly model: string
  readonly system: string
  readonly tools: readonly string[]
  readonly last: string
}

/** What the server of the models was sent last, of which the newest request comes first. */
const sent = (back = 1): Sent => {
  const { model, messages, tools = [] } = models.requests.at(-back)!.body
  return {
    model,
    system: String(messages[0]?.content),
    tools: tools.map((tool) => tool.function.name),
    last: String(messages.at(-1)?.content),
  }
}

/** What a model is sent for one mention in a room. */
async function sentTo(model: string, room: string): Promise<Sent> {
  models.play(says('fine'))
  await out(['ask', room, `@${model}`, 'well?'])
  expect(sent().model).toBe(model)
  return sent()
}

describe("a model's scope in a room", () => {
  beforeEach(async () => {
    for (const scope of [['on'], ['@bot', 'on']]) await out(['tools', 'lobby', ...scope])
  })

  test('/tools @MODEL off hides all tools from that model, and from no other', async () => {
    const { tools } = await sentTo('bot', 'lobby')
    expect(tools).toContain('calculator')
    expect(await out(['tools', 'lobby', '@bot', 'off'])).toMatch(/^scope all, of @bot none: 0 of /)
    expect((await sentTo('bot', 'lobby')).tools).toEqual([])
    expect((await sentTo('qwen', 'lobby')).tools).toEqual(tools)
    await out(['tools', 'lobby', '@bot', 'on'])
    expect((await sentTo('bot', 'lobby')).tools).toEqual(tools)
  })

  test("a model's scope shows no tool that the scope of the room hides", async () => {
    await out(['tools', 'lobby', 'look', 'calculator'])
    await out(['tools', 'lobby', '@bot', 'calculator', 'who'])
    expect((await sentTo('bot', 'lobby')).tools).toEqual(['calculator'])
    const list = JSON.parse(await out(['tools', 'lobby', '@bot', '--json'])) as object
    const scopes = { scope: ['look', 'calculator'], model: 'bot', model_scope: ['calculator', 'who'] }
    expect(list).toMatchObject({ ...scopes, visible: 1 })
    expect((await sentTo('qwen', 'lobby')).tools.toSorted()).toEqual(['calculator', 'look'])
  })

  test("a tool hidden by a model's scope during a turn cannot be called in it", async () => {
    models.play(async (response, request) => {
      await out(['tools', 'lobby', '@bot', 'off'])
      await calls('calculator', { expression: '1+1' })(response, request)
    }, says('well'))
    await out(['ask', 'lobby', '@bot', 'count'])
    expect(sent().last).toMatch(/^ERROR: You requested a tool called 'calculator'/)
  })

  test("a room script that asks for all tools gets only those of the model's scope", async () => {
    const all = 'function default_wrap(t) return wrap(t):system():tools("all"):history() end'
    await out(['fork', 'lobby', 'scripted'])
    await out(['script', 'scripted', 'set'], all)
    await out(['tools', 'scripted', '@bot', 'calculator'])
    expect((await sentTo('bot', 'scripted')).tools).toEqual(['calculator'])
  })

  test('a side turn has the tool scope of the model that runs it, not of its starter', async () => {
    await out(['tools', 'lobby', '@bot', 'calculator'])
    models.play(
      calls('spawn_agent', { prompt: 'count', model: 'bot' }),
      says('the side turn ends'),
      says('done'),
    )
    await out(['ask', 'lobby', '@qwen', 'spawn'])
    expect(sent(2)).toMatchObject({ model: 'bot', tools: ['calculator'] })
  })

  test('a fallback answers with the tool scope of the model it replaces', async () => {
    await out(['tools', 'lobby', '@bot', 'calculator'])
    models.play(status(404, 'no such model'), says('I am qwen'))
    const asked = await stage.as('rhea', ['ask', 'lobby', '@bot', 'well?'])
    expect(asked.stdout).toContain('I am qwen')
    expect(sent()).toMatchObject({ model: 'qwen', tools: ['calculator'] })
  })

  test('a fork copies the scope of a model', async () => {
    await out(['tools', 'lobby', '@bot', 'calculator'])
    await out(['fork', 'lobby', 'copied'])
    expect((await sentTo('bot', 'copied')).tools).toEqual(['calculator'])
  })
})

const layers = async (model: string) => {
  const wrap = JSON.parse(await out(['wrap', 'lobby', `@${model}`, '--json'])) as {
    readonly system_prompt: string
    readonly budget: { readonly target: number; readonly used: number }
    readonly layers: readonly object[]
  }
  expect(wrap.budget.used).toBeLessThanOrEqual(wrap.budget.target)
  return wrap
}

test('an instruction is sent in the system text of all models or of one, and shown by /wrap', async () => {
  const before = (await sentTo('qwen', 'lobby')).system
  await out(['instruct', 'lobby', 'Answer in haiku.'])
  await out(['instruct', 'lobby', '@bot', 'Speak Latin.'])
  const [bot, qwen] = [await sentTo('bot', 'lobby'), await sentTo('qwen', 'lobby')]
  expect(bot.system).toContain('Answer in haiku.\n\nSpeak Latin.')
  expect(qwen.system).toContain('Answer in haiku.')
  // No notice or message of the request names it either.
  expect(JSON.stringify(models.requests.at(-1)!.body)).not.toContain('Latin')
  const wrap = await layers('bot')
  expect(wrap.system_prompt).toBe(bot.system)
  const layer = { name: 'instructions', placement: 'system', status: 'kept' }
  expect(wrap.layers).toContainEqual(expect.objectContaining(layer))
  await out(['instruct', 'lobby', 'off'])
  expect((await sentTo('qwen', 'lobby')).system).toBe(before)
  expect((await sentTo('bot', 'lobby')).system).toContain('Speak Latin.')
  await out(['instruct', 'lobby', '@bot', 'off'])
})

test('an older version of an instruction can be restored with --back', async () => {
  for (const text of ['One.', 'Two.', 'off']) await out(['instruct', 'lobby', '@bot', text])
  const shown = async () =>
    JSON.parse(await out(['instruct', 'lobby', '--json', '@bot'])) as {
      readonly instructions: readonly { readonly model: string; readonly text: string }[]
      readonly versions: readonly { readonly version: number; readonly text: string }[]
    }
  const { instructions, versions } = await shown()
  expect(instructions).toEqual([])
  const one = versions.find(({ text }) => text === 'One.')!
  await out(['instruct', 'lobby', '--back', String(one.version), '@bot'])
  expect((await shown()).instructions).toMatchObject([{ model: 'bot', text: 'One.' }])
  expect(await out(['instruct', 'lobby'])).toMatch(/^for @bot: One\.\nversions:\n/)
  expect((await sentTo('bot', 'lobby')).system).toContain('One.')
})

test('an instruction is read from standard input with - or without a text', async () => {
  await out(['instruct', 'lobby', '-'], 'Be kind.\nBe brief.\n')
  await out(['instruct', 'lobby', '@bot'], 'Speak Danish.\n')
  const { system } = await sentTo('bot', 'lobby')
  expect(system).toContain('Be kind.\nBe brief.\n\nSpeak Danish.')
  for (const words of [['off'], ['@bot', 'off']]) await out(['instruct', 'lobby', ...words])
  expect(await stage.as('rhea', ['instruct', 'lobby', '-'])).toMatchObject({ exitCode: 1 })
  const refused = await stage.as('mallory', ['instruct', 'lobby'], { input: 'Obey me.' })
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
})

test('/instruct rejects the flag --back after @MODEL', async () => {
  expect(await stage.as('rhea', ['instruct', 'lobby', '@bot', '--back', '1'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--back N stands before @MODEL') as string,
  })
})

test('an instruction of a room applies together with a room script and is copied by a fork', async () => {
  await out(['create', 'told'])
  await out(['instruct', 'told', '@bot', 'Speak Greek.'])
  const script = 'function default_wrap(t) return wrap(t):system():history() end'
  await out(['script', 'told', 'set'], script)
  await out(['fork', 'told', 'told-2'])
  for (const room of ['told', 'told-2']) expect((await sentTo('bot', room)).system).toContain('Speak Greek.')
})

test.each([
  ['mallory', ['--back', '1', '@bot'], 1],
  ['mallory', [], 0],
  ['rhea', ['@nobody', 'Speak.'], 1],
  ['rhea', ['--back', '99', '@bot'], 1],
  ['rhea', ['x'.repeat(2_001)], 1],
])(
  '/instruct exits with 0 only for managers, known models and valid texts: %s, %j',
  async (who, words, exitCode) => {
    expect(await stage.as(who, ['instruct', 'lobby', ...words])).toMatchObject({ exitCode })
  },
)
