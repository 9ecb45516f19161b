import { describe, expect, it } from 'vitest'
import { countingServer, DIALECTS, type Dialect } from '../../support/counting-servers.ts'
import { eventStream } from '../../support/hosted-wires.ts'
import { answer, type Script } from '../../support/model-server.ts'
import { expectAnswer, servedRoom } from '../../support/served-room.ts'

const WINDOW = 8192
const MAX_OUTPUT = 2048

/** What a provider counts beside our texts: marks around each message, and a call as JSON. */
const model = { window: WINDOW, density: 1.31 }

type CallScript = (name: string, args: object, input: number) => Script

const chatCall: CallScript = (name, args, input) =>
  answer([{ call: { index: 0, id: `call_${input}`, name, arguments: JSON.stringify(args) } }], {
    usage: [input, 20],
  })

const geminiCall: CallScript = (name, args, input) =>
  eventStream({
    candidates: [
      { content: { role: 'model', parts: [{ functionCall: { name, args } }] }, finishReason: 'STOP' },
    ],
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: 20, totalTokenCount: input + 20 },
  })

/** The dialect of a model that calls a tool so many times before it says something. */
function calling(dialect: Dialect, call: CallScript, calls: number): Dialect {
  let made = 0
  return {
    ...dialect,
    says: (text, input) =>
      made++ < calls ? call('Grep', { q: `TODO number ${made}` }, input) : dialect.says(text, input),
  }
}

/** A room with so many short messages that prompts are filled to the last few tokens. */
async function fullRoom(backend: Dialect['backend']) {
  const it = await servedRoom(backend, { contextWindow: WINDOW, maxOutput: MAX_OUTPUT }, 0)
  for (let number = 0; number < 220; number++) {
    const text = `item ${number}: ${'deploy the recursion function to the stone tree '.repeat(2 + (number % 3))}`
    await it.world.room.record({ kind: 'message', author: 'ann', text })
  }
  return it
}

describe.each(Object.entries(DIALECTS))(
  'after one refusal, a server with the error messages of %s',
  (_name, dialect) => {
    it('a server refuses at most one of eight requests in a room with new messages', async () => {
      await using it = await fullRoom(dialect.backend)
      const { script, tally } = countingServer(dialect, model)
      it.server.always(script)
      for (let ask = 0; ask < 8; ask++) {
        await expectAnswer(it.world, `ask ${ask}`)
        const text = [
          'one word',
          'Änderung, 北京 and ünïcode '.repeat(12),
          '{"a": [1, 2, {"b": null}]} '.repeat(20),
        ]
        await it.world.room.record({ kind: 'message', author: 'ann', text: text[ask % 3]! })
      }
      expect(tally.refused.length).toBeLessThanOrEqual(1)
      expect(tally.accepted).toHaveLength(8)
      for (const tokens of tally.accepted.slice(1)) expect(tokens + MAX_OUTPUT).toBeLessThanOrEqual(WINDOW)
    })
  },
)

describe.each([
  ['openai', chatCall],
  ['vllm', chatCall],
  ['llamacpp', chatCall],
  ['gemini', geminiCall],
] as const)('in a turn of fourteen steps, a server with the error messages of %s', (name, call) => {
  it('a turn of fourteen steps has at most one refusal, and all later requests fit the window', async () => {
    await using it = await fullRoom(DIALECTS[name]!.backend)
    const { script, tally } = countingServer(calling(DIALECTS[name]!, call, 13), model)
    it.server.always(script)
    await expectAnswer(it.world, 'how many?')
    expect(tally.refused.length).toBeLessThanOrEqual(1)
    expect(tally.accepted).toHaveLength(14)
    for (const tokens of tally.accepted.slice(1)) expect(tokens + MAX_OUTPUT).toBeLessThanOrEqual(WINDOW)
  })
})

const lenient: Dialect = { ...DIALECTS['gemini']!, maxOutput: () => 0 }

it('a provider that limits only the prompt gets later prompts that leave space for the answer', async () => {
  await using it = await fullRoom('gemini')
  const { script, tally } = countingServer(calling(lenient, geminiCall, 13), { ...model, density: 1.6 })
  it.server.always(script)
  await expectAnswer(it.world, 'how many?')
  expect(tally.accepted).toHaveLength(14)
  for (const tokens of tally.accepted.slice(1)) expect(tokens + MAX_OUTPUT).toBeLessThanOrEqual(WINDOW)
})
