import { describe, expect, test } from 'vitest'
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
price = { input = 1, output = 2 }
${more}`
const config = `${model('qwen', 'fallback = "bot"\n')}${model('bot')}${model('mini')}
[limits]
personas_per_room = 3
`
const stage = await forAllTests(createStageHere({ isShared: true, config }))
await stage.claim('rhea')

async function out(words: readonly string[], input?: string): Promise<string> {
  const { stdout, stderr, exitCode } = await stage.as('rhea', words, input === undefined ? {} : { input })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}

type Json = Readonly<Record<string, unknown>>
const json = async (...words: readonly string[]) => JSON.parse(await out([...words, '--json'])) as Json
const entriesOf = async (room: string) =>
  (await out(['history', room, '--json']))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json)

/** What the server of the models was sent last. */
const sent = () => {
  const { model: asked, messages, tools = [] } = models.requests.at(-1)!.body
  return {
    model: asked,
    system: String(messages[0]?.content),
    user: String(messages.at(-1)?.content),
    tools: tools.map((tool) => tool.function.name).toSorted(),
  }
}

/** Makes a room with the persona `reviewer` of qwen. */
async function roomWith(room: string, ...flags: readonly string[]): Promise<void> {
  await out(['create', room])
  await out(['persona', room, 'reviewer', ...flags, '@qwen', 'find what breaks,', 'in one line each'])
}

describe('a persona in a turn', () => {
  test('the instruction of a persona ends the system prompt, and /wrap shows the same bytes', async () => {
    await roomWith('wraps')
    models.play(says('it breaks'))
    expect(await out(['ask', 'wraps', '@reviewer', 'well?'])).toBe('it breaks\n')
    const asked = sent()
    expect(asked.model).toBe('qwen')
    expect(asked.system).toMatch(
      /## Who you are here\nIn this room you are @reviewer: [^]*find what breaks, in one line each$/,
    )
    const prompt = await json('wrap', 'wraps', '@reviewer')
    expect(prompt).toMatchObject({ model: 'reviewer', system_prompt: asked.system })
    const layers = prompt['layers'] as readonly Json[]
    const system = layers.filter(({ placement }) => placement === 'system')
    expect(system.at(-1)).toMatchObject({ name: 'persona', status: 'kept' })
    const plain = await json('wrap', 'wraps', '@qwen')
    expect(asked.system.startsWith(String(plain['system_prompt']))).toBe(true)
  })

  test("the entries, the turn and the bill of a persona have its name and its model's name", async () => {
    await roomWith('bills')
    models.play(says('it breaks'))
    await out(['say', 'bills', '@reviewer', 'well?'])
    await expect.poll(() => out(['history', 'bills'])).toContain('reviewer · qwen: it breaks')
    const reply = (await entriesOf('bills')).find(({ kind }) => kind === 'reply')
    expect(reply).toMatchObject({ author: 'reviewer · qwen', persona: 'reviewer', model: 'qwen' })
    expect(await json('turn', 'bills', 'last')).toMatchObject({ persona: 'reviewer', model: 'qwen' })
    const { models: sums } = await json('usage', 'bills')
    expect(sums).toMatchObject([
      { persona: 'reviewer', model: 'qwen', input: 11, output: 7, cost: '0.000025' },
    ])
    expect(await out(['who', 'bills'])).toContain('personas: @reviewer (qwen)')
    expect(await out(['models', 'bills'])).toContain('@reviewer  a persona of @qwen')
  })

  test('the tool patterns of a persona remove tools, and add none that the room lacks', async () => {
    await roomWith('tooled', '--tools', 'calculator,look')
    await out(['tools', 'tooled', 'calculator', 'who'])
    models.play(calls('who', {}), says('done'))
    await out(['ask', 'tooled', '@reviewer', 'who is here?'])
    expect(sent().tools).toEqual(['calculator'])
    expect((await entriesOf('tooled')).find(({ kind }) => kind === 'tool_result')).toMatchObject({
      ...{ persona: 'reviewer', model: 'qwen', isError: true },
    })
    models.play(says('fine'))
    await out(['ask', 'tooled', '@qwen', 'and you?'])
    expect(sent().tools).toEqual(['calculator', 'who'])
  })

  test("the fallback of a persona's model answers as the persona", async () => {
    await roomWith('falls')
    models.play(status(400), says('I stand in'))
    await out(['ask', 'falls', '@reviewer', 'well?'])
    expect(sent()).toMatchObject({ model: 'bot' })
    expect(sent().system).toContain('find what breaks, in one line each')
    expect((await entriesOf('falls')).find(({ kind }) => kind === 'reply')).toMatchObject({
      ...{ persona: 'reviewer', model: 'bot', text: 'I stand in' },
    })
  })

  test('/retry asks a persona again, and a model can call a persona', async () => {
    await roomWith('again')
    models.play(status(400), status(400))
    expect(await stage.as('rhea', ['ask', 'again', '@reviewer', 'well?'])).toMatchObject({ exitCode: 1 })
    models.play(says('now it breaks'))
    expect(await out(['retry', 'again'])).toBe('now it breaks\n')
    expect(sent().system).toContain('find what breaks')
    models.play(says('ask @reviewer instead'), says('called'))
    await out(['ask', 'again', '@bot', 'well?'])
    await expect.poll(() => out(['history', 'again'])).toContain('reviewer · qwen: called')
  })
})

describe('/persona', () => {
  test('persona versions are listed, restored and forked, and a removed persona is not asked', async () => {
    await roomWith('kept')
    await out(['persona', 'kept', 'reviewer', '@bot', 'praise'])
    await out(['persona', 'kept', 'reviewer', '--back', '1'])
    expect(await out(['persona', 'kept'])).toBe('@reviewer · @qwen: find what breaks, in one line each\n')
    await out(['persona', 'kept', 'reviewer', '--tools', 'read,!Grep'])
    expect(await out(['fork', 'kept', 'kept-2'])).toBe(
      'made kept-2 like kept, with its persona @reviewer; it is yours\n',
    )
    expect(await json('persona', 'kept-2')).toMatchObject({
      personas: [{ name: 'reviewer', model: 'qwen', tools: ['read', '!Grep'], version: 1, author: 'rhea' }],
    })
    expect(await out(['persona', 'kept', 'reviewer', '--remove'])).toBe(
      'rhea removed the persona @reviewer\n',
    )
    expect(await stage.as('rhea', ['ask', 'kept', '@reviewer', 'x'])).toMatchObject({ exitCode: 1 })
    const { versions } = await json('persona', 'kept')
    expect((versions as readonly Json[]).map(({ version }) => version)).toEqual([5, 4, 3, 2, 1])
  })

  test('the notice of /fork --from names the copied personas and counts the copied lines', async () => {
    await roomWith('split')
    await out(['persona', 'split', 'poet', '@bot', 'be kind'])
    await out(['say', 'split', 'hello'])
    expect(await out(['fork', 'split', '--from', '-1', 'split-2'])).toBe(
      'made split-2 like split, with 1 line of it and its personas @poet, @reviewer; it is yours\n',
    )
  })

  test.each([
    ['all', 'everybody would be rung'],
    ['qwen', 'a model has it'],
    ['rnini', 'it looks like a model'],
    ['rhea', 'a person has it'],
    ['rnallory', 'it looks like a person'],
    ['Reviewer', 'it has a capital letter'],
    ['-x', 'it begins like a flag'],
  ])('a persona cannot be called %s, since %s', async (name) => {
    await stage.as('mallory', ['whoami'])
    const { exitCode } = await stage.as('rhea', ['persona', 'lobby', name, '@bot', 'be kind'])
    expect(exitCode).not.toBe(0)
    expect(await json('persona', 'lobby')).toMatchObject({ personas: [] })
  })

  test('a room has no more personas than the limit, and only its managers change them', async () => {
    await roomWith('full')
    for (const name of ['critic', 'poet']) await out(['persona', 'full', name, '@bot', 'be kind'])
    const fourth = await stage.as('rhea', ['persona', 'full', 'judge', '@bot', 'be just'])
    expect(fourth).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('personas_per_room') as string,
    })
    const other = await stage.as('mallory', ['persona', 'full', 'poet', '--remove'])
    expect(other).toMatchObject({ exitCode: 1, stdout: '' })
  })

  test('a person may take the name of a persona, whose lines still show its model', async () => {
    await roomWith('named')
    await out(['persona', 'named', 'carol', '@bot', 'be kind'])
    expect(await stage.as('carol', ['whoami'])).toMatchObject({ exitCode: 0 })
    models.play(says('hello'))
    await out(['ask', 'named', '@carol', 'hi'])
    expect((await entriesOf('named')).at(-1)).toMatchObject({ author: 'carol · bot', persona: 'carol' })
  })
})
