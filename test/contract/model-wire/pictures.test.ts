import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createModel, type ModelConfig } from '../../../src/models/providers.ts'
import { lookAt } from '../../../src/tools/builtin/files.ts'
import { sharesOf } from '../../../src/commands/pages/prompt-report.ts'
import { pictureDetails } from '../../../src/words/picture.ts'
import { requestsOf } from '../../../src/turns/turn-log.ts'
import { anthropicWire, chatWire, geminiWire, responsesWire, type Wire } from '../../support/hosted-wires.ts'
import { sampleConfig } from '../../support/model-request.ts'
import { startModelServer, status } from '../../support/model-server.ts'
import { ollamaWire } from '../../support/ollama-wire.ts'
import { pngOf, samplePicture } from '../../support/pictures.ts'
import { createTurnWorld } from '../../support/turn-world.ts'
import { openWorkspace, type OneWorkspace } from '../../support/workspace.ts'

const png = pngOf(64, 48)
const inBase64 = png.toString('base64')

let one: OneWorkspace
beforeAll(async () => {
  one = await openWorkspace()
  await writeFile(join(one.files, 'p.png'), png)
  await writeFile(join(one.files, 'place.jpg'), samplePicture('jpeg'))
  await writeFile(join(one.files, 'cut.png'), png.subarray(0, 60))
})
afterAll(() => one[Symbol.asyncDispose]())

async function openWorld(access: Partial<ModelConfig>) {
  const server = await startModelServer()
  const settings = sampleConfig({ endpoint: server.endpoint, apiKey: 'k', images: true, ...access })
  const world = await createTurnWorld(createModel(settings), {
    settings,
    tools: [lookAt],
    workspace: one.workspace,
  })
  return {
    server,
    world,
    bodies: () => server.requests.map(({ body }) => JSON.stringify(body)),
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

const BACKENDS: readonly (readonly [name: string, access: Partial<ModelConfig>, wire: Wire, part: RegExp])[] =
  [
    ['chat', { backend: 'openai' }, chatWire, /"image_url":\{"url":"data:image\/png;base64,/],
    [
      'compatible',
      { backend: 'openai-compatible' },
      chatWire,
      /"image_url":\{"url":"data:image\/png;base64,/,
    ],
    ['llama.cpp', { backend: 'llamacpp' }, chatWire, /"image_url":\{"url":"data:image\/png;base64,/],
    [
      'responses',
      { backend: 'openai', api: 'responses', model: 'gpt-5' },
      responsesWire,
      /"type":"input_image","image_url":"data:image\/png;base64,/,
    ],
    [
      'Anthropic',
      { backend: 'anthropic' },
      anthropicWire,
      /"type":"image","source":\{"type":"base64","media_type":"image\/png"/,
    ],
    ['Gemini', { backend: 'gemini' }, geminiWire, /"inlineData":\{"mimeType":"image\/png"/],
    ['Ollama', { backend: 'ollama' }, ollamaWire, /"images":\["/],
  ]

test.each(BACKENDS)(
  'a picture named in a message is sent and counted, but not stored: %s',
  async (_, access, wire, part) => {
    await using open = await openWorld(access)
    open.server.play(wire.says('a sofa'))
    expect(await open.world.ask('what is in p.png?')).toMatchObject({ kind: 'reply', text: 'a sofa' })
    const [body = ''] = open.bodies()
    expect(body).toMatch(part)
    expect(body.split(inBase64)).toHaveLength(2)
    expect(body).toContain('[picture p.png: PNG, 64 × 48, ')
    const turn = await open.world.chatParts.storage.models.turns.last(open.world.room.name)
    const { prompt } = requestsOf(turn!)[0]!
    expect(prompt.pictures).toMatchObject([{ name: 'p.png', width: 64, height: 48, size: png.length }])
    expect(prompt.budget.pictures).toBe(prompt.pictures![0]!.tokens)
    const { system, context, message, tools, framing, pictures = 0, used } = prompt.budget
    expect(used).toBe(system + context + message + tools + framing + pictures)
    expect(JSON.stringify([turn, await open.world.log()])).not.toContain(inBase64)
  },
)

test.each(BACKENDS)(
  'a picture that a model opens with look_at is in its next request: %s',
  async (...row) => {
    const [, access, wire, part] = row
    await using open = await openWorld(access)
    open.server.play(wire.calls('look_at', { file: 'p.png' }), wire.says('a sofa'))
    await open.world.ask('is there a picture?')
    const [first = '', second = ''] = open.bodies()
    expect(first).not.toMatch(part)
    expect(second.split(inBase64)).toHaveLength(2)
    expect(second).toContain('p.png: PNG, 64 × 48, ')
  },
)

test('EXIF and comments of a photo are not sent', async () => {
  await using open = await openWorld({ backend: 'openai-compatible' })
  open.server.play(chatWire.says('red'))
  await open.world.ask('which colour has `place.jpg`?')
  const sent = /base64,([^"]+)"/.exec(open.bodies()[0]!)?.[1] ?? ''
  expect(Buffer.from(sent, 'base64').subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]))
  expect(Buffer.from(sent, 'base64').includes('secret')).toBe(false)
})

test.each([
  ['the model takes none', { images: false }, 'it takes no pictures'],
  ['nothing is known of the model', { images: undefined }, 'it is not known to take pictures'],
])('the model gets only the size of a picture, and a notice says why: %s', async (_, access, why) => {
  await using open = await openWorld({ backend: 'openai-compatible', ...(access as Partial<ModelConfig>) })
  open.server.play(chatWire.says('I cannot see it'))
  await open.world.ask('what is in p.png?')
  expect(open.bodies()[0]).not.toContain(inBase64)
  expect(open.bodies()[0]).toMatch(/\[picture p\.png: PNG, 64 × 48, [^\]]+; you do not see it\]/)
  expect(await open.world.lines()).toEqual([
    expect.stringContaining(`notice: @qwen does not see p.png: ${why}`),
    'reply: I cannot see it',
  ])
})

test('a damaged picture is not sent, and a notice in the room says so', async () => {
  await using open = await openWorld({ backend: 'openai-compatible' })
  open.server.play(chatWire.says('no'))
  await open.world.ask('what is in cut.png and in new.png?')
  expect(open.bodies()[0]).not.toContain('base64')
  expect((await open.world.lines())[0]).toBe("notice: @qwen does not see cut.png: 'cut.png' is cut off")
})

test('no picture is sent if look_at is out of scope', async () => {
  await using open = await openWorld({ backend: 'openai-compatible' })
  await open.world.setScope('none')
  open.server.play(chatWire.says('no'))
  await open.world.ask('what is in p.png?')
  expect(open.bodies()[0]).not.toMatch(/base64|64 × 48/)
  expect((await open.world.lines())[0]).toMatch(/does not see p\.png: look_at is not among the tools/)
})

test('a request has at most four pictures, each of them once', async () => {
  for (const [index, name] of ['1', '2', '3', '4', '5'].entries())
    await writeFile(join(one.files, `${name}.png`), pngOf(10 + index, 10))
  await using open = await openWorld({ backend: 'openai-compatible' })
  open.server.play(chatWire.says('five'))
  await open.world.ask('compare 1.png, 2.png, 3.png, 4.png, 5.png and 1.png')
  expect(open.bodies()[0]!.match(/base64,/g)).toHaveLength(4)
  expect((await open.world.lines())[0]).toMatch(/does not see 5\.png: at most 4 pictures/)
})

test('a server that refuses pictures is asked again without them, and gets none later', async () => {
  await using open = await openWorld({ backend: 'openai-compatible' })
  const refusal = { error: { message: 'm is not a multimodal model' } }
  open.server.play(status(400, JSON.stringify(refusal)), chatWire.says('one'), chatWire.says('two'))
  expect((await open.world.ask('what is in p.png?')).text).toBe('one')
  expect((await open.world.ask('and again p.png?')).text).toBe('two')
  expect(open.bodies().map((body) => body.includes(inBase64))).toEqual([true, false, false])
  expect((await open.world.lines())[0]).toMatch(/does not see p\.png: it refused pictures/)
})

test('a server that cannot read one picture still gets the next picture', async () => {
  await using open = await openWorld({ backend: 'openai-compatible' })
  const refusal = { error: { message: 'Could not process image' } }
  open.server.play(status(400, JSON.stringify(refusal)), chatWire.says('one'), chatWire.says('two'))
  await open.world.ask('what is in p.png?')
  await open.world.ask('and again p.png?')
  expect(open.bodies().map((body) => body.includes(inBase64))).toEqual([true, false, true])
})

test('a prompt without space for a picture is sent without it', async () => {
  await using open = await openWorld({ backend: 'openai-compatible', contextWindow: 2400, maxOutput: 1000 })
  open.server.play(chatWire.says('no'))
  await open.world.ask('what is in p.png?')
  expect(open.bodies()[0]).not.toContain(inBase64)
  expect((await open.world.lines())[0]).toMatch(/the prompt has no space for pictures/)
})

test('/turn and the prompt chart show the size, tokens and hash of a picture', async () => {
  await using open = await openWorld({ backend: 'openai-compatible' })
  open.server.play(chatWire.says('a sofa'))
  await open.world.ask('what is in p.png?')
  const turn = await open.world.chatParts.storage.models.turns.last(open.world.room.name)
  const details = /p\.png: PNG, 64 × 48, \d+ B, 1024 tokens, sha256 [0-9a-f]{12}/
  const { prompt } = requestsOf(turn!)[0]!
  expect(sharesOf(prompt).find(({ name }) => name === 'pictures')).toMatchObject({
    tokens: 1024,
    note: expect.stringMatching(details),
  })
  expect(pictureDetails(prompt.pictures![0]!)).toMatch(details)
})
