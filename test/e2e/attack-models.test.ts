import { afterAll, expect, test } from 'vitest'
import { sse } from '../contract/model-wire/case.ts'
import { expectUnharmed, howMuch, shareArena } from '../support/attack.ts'
import { floods, startModelServer, type Script } from '../support/model-server.ts'

const models = await startModelServer()
afterAll(() => models[Symbol.asyncDispose]())

const arena = shareArena({
  config: `
[[models]]
name = "qwen"
backend = "openai-compatible"
model = "qwen3:8b"
endpoint = "${models.endpoint}/v1"
encoding = "r50k_base"
`,
  // Others' echo is not measured in the room in which the answers are shown.
  prepare: async (stage) => void (await stage.as('mallory', ['create', 'pit'])),
})

const ROUNDS = howMuch({ quick: 1, long: 5 })

const delta = (fields: object): string => sse({ choices: [{ index: 0, delta: fields }] })

const COMMENT = ': keep-alive\n\n'

const call = (index: number): string =>
  delta({ tool_calls: [{ index, id: `c${index}`, function: { name: 'calculator', arguments: '{}' } }] })

const FLOODS: readonly (readonly [string, Script, string])[] = [
  ['comments', floods(COMMENT), 'sent more than an answer can hold'],
  ['empty deltas', floods(delta({ content: '' })), 'sent more than an answer can hold'],
  [
    '20,000 calls',
    floods(COMMENT, Array.from({ length: 20_000 }, (_, index) => call(index)).join('')),
    'asked for more than 64 tools at once',
  ],
]

test.each(FLOODS)('a provider that floods with %s holds nobody up', async (_what, flood, sentence) => {
  let stopMs = Infinity
  const damage = await arena.damageOf(async (stage) => {
    models.always(flood)
    const session = await stage.open('mallory', '-T')
    session.write('/join pit\n')
    await session.waitFor('pit')
    for (let round = 0; round < ROUNDS; round++) {
      const from = session.output().length
      session.write('@qwen go on\n')
      await session.waitFor(sentence, from)
    }
    const from = session.output().length
    const before = models.requests.length
    session.write('@qwen go on\n')
    await models.arrived(before + 1)
    const start = performance.now()
    session.write('/stop\n')
    // The flood may have ended by itself.
    await session.waitFor(new RegExp(`mallory stopped @qwen|nothing that you started|${sentence}`), from)
    stopMs = performance.now() - start
    await session[Symbol.asyncDispose]()
    return []
  })
  expectUnharmed(damage)
  expect(stopMs).toBeLessThan(1_000)
})
