import { get_encoding } from 'tiktoken'
import { expect, test } from 'vitest'
import { PROVIDERS } from '../../src/models/providers.ts'
import { forAllTests } from '../support/for-all-tests.ts'
import { answer, calls, type ChatRequest, says, startModelServer } from '../support/model-server.ts'
import { createStageHere } from '../support/stage.ts'
import { askStored } from '../support/stored.ts'

const WINDOW = 9000
const MAX_OUTPUT = 1000

const provider = await forAllTests(startModelServer())
const model = (name: string) => `
[[models]]
name = "${name}"
backend = "openai-compatible"
model = "${name}:8b"
endpoint = "${provider.endpoint}/v1"
context_window = ${WINDOW}
max_output = ${MAX_OUTPUT}
`
const stage = await forAllTests(createStageHere({ isShared: true, config: model('qwen') + model('dear') }))
await stage.claim('rhea')

const json = async <T>(...words: readonly string[]): Promise<T> => {
  const { stdout, stderr } = await stage.as('rhea', words)
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as T
}

const encoding = get_encoding('o200k_base')
const count = (text: string): number => encoding.encode_ordinary(text).length

/** What a request holds, counted on its own strings, and with what we say that the provider adds. */
function recount({ messages, tools = [] }: ChatRequest) {
  const { perRequest, perToolset, perTool } = PROVIDERS['openai-compatible'].framing
  const texts = messages.map((message) => count(contentOf(message.content)))
  const definitions = tools.map(({ function: { name, description, parameters } }) =>
    count(JSON.stringify({ name, description, parameters })),
  )
  return {
    bare: [...texts, ...definitions].reduce((sum, tokens) => sum + tokens, 0),
    charged:
      texts.reduce((sum, tokens) => sum + tokens, 0) +
      definitions.reduce((sum, tokens) => sum + tokens + perTool, 0) +
      perRequest +
      (tools.length > 0 ? perToolset : 0),
  }
}

const contentOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : ((content ?? []) as readonly { readonly text: string }[]).map((part) => part.text).join('')

interface Sent {
  readonly prompt: {
    readonly budget: { readonly used: number; readonly target: number; readonly framing: number }
  }
}

test.each([
  ['all tools', ['on']],
  ['no tools', ['off']],
  ['a few tools', ['look', 'calculator', 'Gr*']],
])('the counted budget of a prompt equals a recount of the request body: %s', async (_what, scope) => {
  await stage.as('rhea', ['tools', 'lobby', ...scope])
  await stage.as('rhea', ['say', 'lobby', 'Grüße, 世界 👩‍👩‍👧 <|endoftext|> ' + 'word '.repeat(300)])
  provider.play(says('yes'))
  await stage.as('rhea', ['ask', 'lobby', '@qwen', 'is', 'it', 'exact?'])
  const { body } = provider.requests.at(-1)!
  const { budget } = await lastPrompt()
  expect(budget.used).toBe(recount(body).charged)
  expect(budget.used).toBeLessThanOrEqual(budget.target)
})

test('the prompt budget shrinks if the provider counts more tokens, and /models shows the factor', async () => {
  await stage.as('rhea', ['tools', 'lobby', 'on'])
  const targets: number[] = []
  for (let turn = 0; turn < 4; turn += 1) {
    provider.play((response, request) =>
      answer([{ text: 'ok' }], { usage: [Math.round(recount(request.body).charged * 1.6), 1] })(
        response,
        request,
      ),
    )
    await stage.as('rhea', ['ask', 'lobby', '@dear', 'and', 'now?'])
    targets.push((await lastPrompt()).budget.target)
  }
  // Nothing is known of it yet, so its provider is assumed to count a quarter more than we do.
  expect(targets[0]).toBe(Math.floor((WINDOW - MAX_OUTPUT) / 1.25))
  expect(targets).toEqual(targets.toSorted((a, b) => b - a))
  const learned = await modelNamed('dear')
  // The most that was reported holds, and a hundredth beside it.
  expect(learned.calibration).toBeGreaterThan(1.6)
  expect(learned.calibration).toBeLessThan(1.62)
  expect((await modelNamed('qwen')).calibration).toBe(1.25)
  const { stdout } = await stage.as('rhea', ['models'])
  expect(stdout).toMatch(/@dear .*; its tokens are counted 6\d% above ours$/m)
  const { budget } = await json<Sent['prompt']>('wrap', 'lobby', '@dear', '--json')
  expect(budget.target).toBe(Math.floor((WINDOW - MAX_OUTPUT) / learned.calibration))
  await stage.restart('SIGTERM')
  expect(await modelNamed('dear')).toMatchObject({ calibration: learned.calibration })
})

test('the calibration compares each token report with the prompt of its own step', async () => {
  const before = await reportsStored()
  provider.play(calls('calculator', { expression: '6*7' }), (response, request) =>
    answer([{ text: '42' }], { usage: [recount(request.body).bare, 1] })(response, request),
  )
  await stage.as('rhea', ['ask', 'lobby', '@dear', 'six', 'by', 'seven?'])
  // The first step's report (11 tokens) is far below our count and is left out.
  expect(await reportsStored()).toBe(before + 1)
})

const modelNamed = async (name: string) => {
  const models = await json<readonly { readonly name: string; readonly calibration: number }[]>(
    'models',
    '--json',
  )
  return models.find((model) => model.name === name)!
}

/** How many reports of providers taught something. No command tells: they come from private rooms as well. */
async function reportsStored(): Promise<number> {
  const [sum] = await askStored(stage.server.dataDir, 'SELECT sum(reports) AS reports FROM calibrations')
  return Number(sum!['reports'])
}

/** What the newest turn in the lobby was sent. */
async function lastPrompt(): Promise<Sent['prompt']> {
  const { stdout } = await stage.as('rhea', ['history', 'lobby', '-n', '1', '--json'])
  const { turn } = JSON.parse(stdout.trim()) as { readonly turn: string }
  return (await json<Sent>('turn', 'lobby', turn, '--json')).prompt
}
