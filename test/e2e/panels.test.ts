import { expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import {
  answer,
  hang,
  says,
  startModelServer,
  status,
  type RecordedRequest,
} from '../support/model-server.ts'
import { createStageHere } from '../support/stage.ts'

const models = await forAllTests(startModelServer())
const config = ['ada', 'ben', 'cy']
  .map(
    (name) => `
[[models]]
name = "${name}"
backend = "openai-compatible"
model = "${name}"
endpoint = "${models.endpoint}/v1"
encoding = "r50k_base"
context_window = 16000
max_output = 200
`,
  )
  .join('')
const stage = await forAllTests(createStageHere({ isShared: true, config }))
await stage.claim('rhea')

interface Shown {
  readonly kind: string
  readonly author: string
  readonly text: string
  readonly turn?: string
  readonly thread?: string
  readonly round?: number
  readonly outcome?: string
  readonly usage?: { readonly input: number; readonly output: number }
}

async function panel(room: string, ...words: string[]) {
  await stage.as('rhea', ['create', room])
  return await stage.as('rhea', ['panel', room, ...words])
}

const linesOf = (text: string): readonly Shown[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Shown)

const json = async (...words: string[]) => JSON.parse((await stage.as('rhea', words)).stdout) as unknown

const sent = ({ body }: RecordedRequest) => ({ model: body.model, text: JSON.stringify(body.messages) })

/** The tokens of all requests of a room, as `/usage` adds them up. */
async function usedIn(room: string) {
  const { total } = (await json('usage', room, '--json')) as { readonly total: Record<string, number> }
  return { input: total['input'], output: total['output'] }
}

test('a panel of three continues if one model fails, and its bill is the sum of its requests', async () => {
  models.play(
    answer([{ text: 'Ada likes tea' }], { usage: [101, 11] }),
    status(404, 'no such model'),
    answer([{ text: 'Cy likes milk' }], { usage: [103, 13] }),
    answer([{ text: 'Ada still likes tea' }], { usage: [105, 15] }),
    answer([{ text: 'Cy gives in' }], { usage: [107, 17] }),
    answer([{ text: 'Tea, says @ada' }], { usage: [109, 19] }),
  )
  const words = ['@ada', '@ben', '@cy', '--rounds', '2', '--merge', '@cy', 'tea', 'or', 'milk?']
  const { stdout, exitCode } = await panel('three', '--json', ...words)
  expect(exitCode).toBe(0)
  const requests = models.requests.slice(-6).map(sent)
  expect(requests.map(({ model }) => model)).toEqual(['ada', 'ben', 'cy', 'ada', 'cy', 'cy'])
  // The first round is blind, the later requests have the answers of the round before.
  expect(requests[2]!.text).not.toContain('Ada likes tea')
  for (const { text } of requests.slice(3, 5)) expect(text).toMatch(/Ada likes tea.*Cy likes milk/)
  expect(requests[5]!.text).toMatch(/Ada still likes tea.*Cy gives in/)
  expect(requests[5]!.text).not.toContain('Cy likes milk')

  const entries = linesOf(stdout)
  expect(entries[0]).toMatchObject({ kind: 'message', text: 'panel @ada @ben @cy: tea or milk?' })
  const parts = entries.filter(({ kind, round }) => kind === 'reply' && round !== undefined)
  expect(parts.map(({ author, round }) => `${author} ${round}`)).toEqual(['ada 1', 'cy 1', 'ada 2', 'cy 2'])
  const last = entries.at(-1)!
  expect(last).toMatchObject({ kind: 'reply', author: 'cy', text: 'Tea, says @ada', outcome: 'done' })
  expect(last.usage).toEqual({ input: 525, output: 75 })
  expect(await usedIn('three')).toEqual({ input: 525, output: 75 })

  for (const { turn } of parts) {
    const stored = (await json('turn', 'three', turn!, '--json')) as { readonly requests: unknown[] }
    expect(stored).toMatchObject({ parent: last.turn, outcome: 'done' })
    expect(stored.requests).toHaveLength(1)
  }
  const { stdout: shown } = await stage.as('rhea', ['history', 'three'])
  expect(shown).toContain('-- (round 1) ada: Ada likes tea')
  expect(shown).toContain('-- (round 2) cy: Cy gives in')
})

test('the models of a panel are offered only read-only tools', async () => {
  models.play(says('one'), says('two'), says('both'))
  const { stdout, stderr, exitCode } = await panel('reads', '@ada', '@ben', 'well?')
  expect({ stdout, exitCode }).toEqual({ stdout: 'both\n', exitCode: 0 })
  expect(stderr).toContain('(round 1) ada: one')
  const { tools } = (await json('tools', 'reads', '--json')) as {
    readonly tools: readonly { readonly name: string; readonly access: string }[]
  }
  const reading = new Set(tools.filter(({ access }) => access === 'read').map(({ name }) => name))
  for (const { body } of models.requests.slice(-3)) {
    expect(body.tools!.length).toBeGreaterThan(0)
    for (const { function: offered } of body.tools!) expect([...reading]).toContain(offered.name)
  }
})

test('one /stop ends all requests of a panel, and a room has one panel at a time', async () => {
  const before = models.requests.length
  models.play(says('one'), hang())
  const running = panel('stopped', '@ada', '@ben', '@cy', 'well?')
  await models.arrived(before + 2)
  const second = await stage.as('rhea', ['panel', 'stopped', '@ada', '@ben', 'again?'])
  expect(second).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('a panel is at work in stopped'),
  })
  expect(await stage.as('rhea', ['stop', 'stopped'])).toMatchObject({ exitCode: 0 })
  expect(await running).toMatchObject({ exitCode: 1, stdout: '' })
  expect(models.requests).toHaveLength(before + 2)
  const entries = linesOf((await stage.as('rhea', ['history', 'stopped', '--json'])).stdout)
  const last = entries.findLast(({ usage, thread }) => usage && thread === undefined)!
  expect(last).toMatchObject({ kind: 'notice', text: 'rhea stopped @ada' })
  expect(last.usage).toMatchObject(await usedIn('stopped'))
})

test('a panel ends if it has too few tokens left for its next request', async () => {
  const before = models.requests.length
  const costly = (text: string) => answer([{ text }], { usage: [9_000, 100] })
  models.play(costly('one'), costly('two'))
  const words = ['--rounds', '2', '--tokens', '18500', '@ada', '@ben', 'well?']
  const { stdout, stderr, exitCode } = await panel('limited', ...words)
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 })
  expect(stderr).toMatch(/the panel ended in round 2 of 2: .* and 300 of 18500 are left/)
  expect(models.requests).toHaveLength(before + 2)
  const [last] = linesOf((await stage.as('rhea', ['history', 'limited', '-n', '1', '--json'])).stdout)
  expect(last!.usage).toEqual({ input: 18_000, output: 200 })
  expect(await usedIn('limited')).toEqual({ input: 18_000, output: 200 })
})

test('a persona can be in a panel and merge its answer, and is billed under its own name', async () => {
  await stage.as('rhea', ['create', 'as'])
  await stage.as('rhea', ['persona', 'as', 'reviewer', '--tools', 'calculator', '@ada', 'find what breaks'])
  models.play(
    answer([{ text: 'it breaks' }], { usage: [101, 11] }),
    answer([{ text: 'it holds' }], { usage: [103, 13] }),
    answer([{ text: 'it may break' }], { usage: [105, 15] }),
  )
  const words = ['@reviewer', '@ben', '--merge', '@reviewer', 'well?']
  const { stdout, stderr, exitCode } = await panel('as', ...words)
  expect({ stdout, exitCode }).toEqual({ stdout: 'it may break\n', exitCode: 0 })
  expect(stderr).toContain('(round 1) reviewer · ada: it breaks')
  const [first, second, last] = models.requests.slice(-3)
  expect([first, second, last].map((one) => sent(one!).model)).toEqual(['ada', 'ben', 'ada'])
  expect([first, second, last].map((one) => sent(one!).text.includes('find what breaks'))).toEqual([
    ...[true, false, true],
  ])
  for (const { body } of [first!, last!])
    expect(body.tools!.map((tool) => tool.function.name)).toEqual(['calculator'])
  const usage = (await json('usage', 'as', '--json')) as { readonly models: readonly unknown[] }
  expect(usage).toMatchObject({
    models: [
      { persona: 'reviewer', model: 'ada', input: 206, output: 26 },
      { model: 'ben', input: 103, output: 13 },
    ],
    total: { input: 309, output: 39 },
  })
})
