import { expect, test } from 'vitest'
import { BodyEvents } from '../../../src/models/body-events.ts'
import { createModel, type Backend } from '../../../src/models/providers.ts'
import { sse } from '../../contract/model-wire/case.ts'
import { collect, sampleConfig, sampleRequest } from '../../support/model-request.ts'
import { floods, startModelServer, type Script } from '../../support/model-server.ts'

/** One event of a flood, for each protocol. */
interface Wire {
  readonly backend: Backend
  readonly api?: 'chat' | 'responses'
  readonly emptyDelta: string
  call(place: number): string
}

const choice = (delta: object): string => sse({ choices: [{ index: 0, delta }] })

const candidate = (part: object): string =>
  sse({ candidates: [{ content: { role: 'model', parts: [part] } }] })

const line = (message: object): string =>
  `${JSON.stringify({ message: { role: 'assistant', content: '', ...message }, done: false })}\n`

const NAME = 'count'

const CHAT: Wire = {
  backend: 'openai-compatible',
  emptyDelta: choice({ content: '' }),
  call: (index) =>
    choice({ tool_calls: [{ index, id: `c${index}`, function: { name: NAME, arguments: '{}' } }] }),
}

const WIRES: readonly Wire[] = [
  CHAT,
  {
    backend: 'openai',
    api: 'responses',
    emptyDelta: sse({ type: 'response.output_text.delta', item_id: 'msg_1', delta: '' }),
    call: (place) =>
      sse({
        type: 'response.output_item.done',
        item: { type: 'function_call', call_id: `c${place}`, name: NAME, arguments: '{}' },
      }),
  },
  {
    backend: 'anthropic',
    emptyDelta: sse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '' } }),
    call: (index) =>
      sse({
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id: `c${index}`, name: NAME },
      }),
  },
  {
    backend: 'gemini',
    emptyDelta: candidate({ text: '' }),
    call: (place) => candidate({ functionCall: { id: `c${place}`, name: NAME, args: {} } }),
  },
  {
    backend: 'ollama',
    emptyDelta: line({}),
    call: () => line({ tool_calls: [{ function: { name: NAME, arguments: {} } }] }),
  },
]

const COMMENT = ': keep-alive\n\n'

const manyCalls = ({ call }: Wire): string =>
  Array.from({ length: 20_000 }, (_, place) => call(place)).join('')

async function failureOf({ backend, api = 'chat' }: Wire, script: Script): Promise<unknown> {
  await using server = await startModelServer()
  server.play(script)
  const model = createModel(sampleConfig({ backend, api, endpoint: server.endpoint, apiKey: 'key' }))
  const failure: unknown = await collect(model.stream(sampleRequest(), new AbortController().signal)).catch(
    (error: unknown) => error,
  )
  await server.abandoned()
  return failure
}

const TOO_MUCH = {
  name: 'ModelError',
  message: 'qwen: the server sent more than an answer may have; the request was ended',
  retryable: false,
}

const TOO_MANY_CALLS = {
  name: 'ModelError',
  message: 'qwen: it called more than 64 tools at once; its answer was stopped',
  retryable: false,
}

test.each(WIRES)('an answer of backend $backend with nothing but comments is stopped', async (wire) => {
  expect(await failureOf(wire, floods(COMMENT))).toMatchObject(TOO_MUCH)
})

test.each(WIRES)('an answer of backend $backend with nothing but empty deltas is stopped', async (wire) => {
  expect(await failureOf(wire, floods(wire.emptyDelta))).toMatchObject(TOO_MUCH)
})

test.each(WIRES)('an answer of backend $backend with 20,000 calls is stopped', async (wire) => {
  expect(await failureOf(wire, floods(COMMENT, manyCalls(wire)))).toMatchObject(TOO_MANY_CALLS)
})

const MB = 1024 * 1024

test.each([
  ['comments', COMMENT.repeat((4 * MB) / COMMENT.length) + CHAT.emptyDelta],
  ['empty deltas', CHAT.emptyDelta.repeat((4 * MB) / CHAT.emptyDelta.length)],
  ['calls', manyCalls(CHAT)],
])('other work runs while a flood of %s that has already arrived is read', async (_what, text) => {
  let turns = 0
  const count = (): void => {
    turns += 1
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  for await (const _event of new BodyEvents().read(new Blob([text]).stream()));
  clearImmediate(counting)
  // It gives a turn after 64 K characters, or 5 ms on a busy machine.
  expect(turns).toBeGreaterThanOrEqual(Math.floor(text.length / (65 * 1024)))
})
