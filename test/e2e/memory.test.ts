import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Storage } from '../../src/storage/storage.ts'
import { LOBBY } from '../../src/words/names.ts'
import type { Json } from '../../src/base/json.ts'
import { createIds } from '../../src/base/ids.ts'
import {
  hang,
  says,
  startModelServer,
  status,
  type ModelServer,
  type RecordedRequest,
  type Script,
} from '../support/model-server.ts'
import type { AnyServer, ServerOptions } from '../support/server.ts'
import { createStage, createStageHere, type Stage } from '../support/stage.ts'
import { message, room } from '../support/storage.ts'
import { openStored } from '../support/stored.ts'

const SECRET = 'heron-17'

/** A model that answers, and one that sums up, of one server. */
const configFor = (endpoint: string): string => `
[[models]]
name = "qwen"
backend = "openai-compatible"
model = "talker"
endpoint = "${endpoint}/v1"
encoding = "r50k_base"
context_window = 8000
max_output = 500

[[models]]
name = "memo"
backend = "openai-compatible"
model = "summarizer"
endpoint = "${endpoint}/v1"
encoding = "r50k_base"
context_window = 16000
max_output = 1000
`

/** A data directory in which a server has run before; `fill` says what happened then. */
async function pastServer(fill: (storage: Storage) => Promise<void>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-memory-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  await using storage = await openStored(dir)
  await storage.chat.rooms.create(room(LOBBY, {}))
  await fill(storage)
  return dir
}

async function stageOver<S extends AnyServer>(
  create: (options: Partial<ServerOptions> & { readonly isShared: true }) => Promise<Stage<S>>,
  fill: (storage: Storage) => Promise<void>,
) {
  const models = await startModelServer()
  onTestFinished(() => models[Symbol.asyncDispose]())
  const stage = await create({
    config: configFor(models.endpoint),
    dataDir: await pastServer(fill),
    isShared: true,
  })
  onTestFinished(() => stage[Symbol.asyncDispose]())
  return { models, stage }
}

const userText = ({ body }: RecordedRequest): string =>
  body.messages.flatMap(({ role, content }) => (role === 'user' ? [String(content)] : [])).join('\n')
const systemText = ({ body }: RecordedRequest): string =>
  body.messages.flatMap(({ role, content }) => (role === 'system' ? [String(content)] : [])).join('\n')
const isFor = (model: string) => (request: RecordedRequest) => request.body.model === model
const summarized = ({ requests }: ModelServer) => requests.filter(isFor('summarizer')).map(userText)

/** Keeps what the room must not forget, and nothing else. */
const keepsFacts: Script = (response, request) => {
  const facts = userText(request).match(/the vault opens with \S+|[a-z]+ was moved/g) ?? []
  return says(`Known: ${[...new Set(facts)].join('; ') || 'nothing'}`)(response, request)
}
const answersFromPrompt: Script = (response, request) =>
  says(userText(request).includes(SECRET) ? `It is ${SECRET}.` : 'I do not know.')(response, request)

/** Both models; the summarizer does what `sumUp` says. Questions about models are not answered. */
const bothModels =
  (sumUp: Script): Script =>
  (response, request) => {
    if (!isFor('summarizer')(request) && !isFor('talker')(request)) return status(404)(response, request)
    return (isFor('talker')(request) ? answersFromPrompt : sumUp)(response, request)
  }

interface Shown {
  readonly summary: { readonly text: string; readonly first: string; readonly last: string } | null
  readonly working: boolean
}

async function shownIn(stage: Stage<AnyServer>, name: string): Promise<Shown> {
  return JSON.parse((await stage.as('alice', ['summary', '--json', name])).stdout) as Shown
}

/** Asks until the room's summary is as it should be. */
async function untilShown(
  stage: Stage<AnyServer>,
  name: string,
  isSo: (shown: Shown) => boolean,
): Promise<Shown> {
  for (;;) {
    const shown = await shownIn(stage, name)
    if (isSo(shown)) return shown
  }
}

test('the summary of 10,000 messages covers the first hundred, even after a crash', async () => {
  const ids: string[] = []
  const { models, stage } = await stageOver(createStage, async (storage) => {
    const nextId = createIds({ now: () => Date.now() - 3_600_000 })
    await Promise.all(
      Array.from({ length: 10_000 }, (_, index) => {
        const id = nextId()
        ids.push(id)
        const text = index === 40 ? `the vault opens with ${SECRET}` : `number ${index} says what people say`
        return storage.chat.entries.append(message(id, LOBBY, text))
      }),
    )
    await storage.chat.rooms.setValue(LOBBY, 'summarizer', 'memo' satisfies Json)
  })
  let isCrashing = true
  models.always(
    bothModels((response, request) => {
      const script = isCrashing && summarized(models).length >= 4 ? hang() : keepsFacts
      return script(response, request)
    }),
  )
  // The first three are answered before or after this line: the server began to sum up when it began to listen.
  await models.arrived(4)
  await stage.server.stop('SIGKILL')
  isCrashing = false
  await stage.restart('SIGKILL')
  const { summary } = await untilShown(stage, LOBBY, ({ summary, working }) => summary !== null && !working)

  expect(summary).toMatchObject({ first: ids[0] })
  expect(ids.length - ids.indexOf(summary?.last ?? '')).toBeLessThan(151)
  const pieces = summarized(models).map((text) => text.slice(text.indexOf('## What was said after it')))
  expect(pieces.length - new Set(pieces).size).toBe(1)

  const { stdout } = await stage.as('alice', ['ask', LOBBY, '@qwen', 'what opens the vault?'])
  expect(stdout).toContain(`It is ${SECRET}.`)
  const asked = models.requests.findLast(isFor('talker'))
  expect(asked && systemText(asked)).not.toContain(SECRET)
  expect(asked && userText(asked)).toMatch(
    new RegExp(
      `## What was said earlier, as memo summed it up .*\\n {2}Known: the vault opens with ${SECRET}\\n`,
    ),
  )
  const { models: used } = JSON.parse((await stage.as('alice', ['usage', '--json', LOBBY])).stdout) as {
    readonly models: readonly { readonly model: string; readonly turns: number; readonly input: number }[]
  }
  // All but the request that the crash cut off: nobody knows what that one cost.
  expect(used).toContainEqual(expect.objectContaining({ model: 'memo', turns: pieces.length - 1 }))
})

test('two rooms with one summarizer neither mix their summaries nor wait for each other', async () => {
  const { models, stage } = await stageOver(createStageHere, async (storage) => {
    const nextId = createIds({ now: () => Date.now() - 3_600_000 })
    for (let index = 0; index < 400; index += 1)
      await storage.chat.entries.append(
        message(nextId(), LOBBY, `piano was moved, said in the lobby, ${index}`),
      )
    await storage.chat.rooms.setValue(LOBBY, 'summarizer', 'memo')
  })
  models.always(
    bothModels((response, request) => {
      const script = userText(request).includes('in the lobby') ? hang() : keepsFacts
      return script(response, request)
    }),
  )
  await models.arrived(1)
  await stage.as('alice', ['create', 'den', '--private'])
  await stage.as('alice', ['kv', 'den', 'summarizer', 'memo'])
  await stage.as('alice', ['say', 'den'], { input: 'the vault opens with heron-17, said in the den' })
  expect(await stage.as('alice', ['summary', 'den', 'new'])).toMatchObject({ exitCode: 0, stderr: '' })
  const { summary } = await untilShown(stage, 'den', (shown) => shown.summary !== null)
  expect(summary?.text).toBe('Known: the vault opens with heron-17,')
  expect(await shownIn(stage, LOBBY)).toMatchObject({ summary: null, working: true })
  expect((await stage.as('alice', ['ask', LOBBY, '@qwen', 'are you there?'])).stdout).toContain(
    'I do not know.',
  )

  const texts = summarized(models)
  expect(texts.filter((text) => text.includes('in the lobby') && text.includes('in the den'))).toEqual([])
  await stage.as('alice', ['fork', 'den', 'copy'])
  expect(await shownIn(stage, 'copy')).toMatchObject({ summary: null, summarizer: 'memo' })
  expect((await stage.as('bob', ['summary', 'den'])).stderr).toContain('there is no room called den')
  const started = performance.now()
  await stage.server.stop('SIGTERM')
  expect(performance.now() - started).toBeLessThan(5_000)
})
