import { expect, test } from 'vitest'
import { createModel, type Backend } from '../../../../src/adapters/models/index.ts'
import { collect, sampleConfig, sampleRequest } from '../../../support/model-request.ts'
import { raw, startModelServer, type Script } from '../../../support/model-server.ts'
import { jsonLines } from '../../../support/ollama-wire.ts'

// Streams of servers that do not keep to the documentation of their protocol.

/** Everything a model does with this answer: texts put together, then the failure, if there is one. */
async function readingOf(backend: Backend, script: Script) {
  await using server = await startModelServer()
  server.play(script)
  const config = sampleConfig({ backend, endpoint: server.endpoint, apiKey: 'key' })
  const stream = createModel(config).stream(sampleRequest(), new AbortController().signal)
  const read = { text: '', thinking: '', calls: [] as string[], end: undefined as unknown }
  try {
    for (const event of await collectInto(stream, read)) read.end = event
  } catch (error) {
    read.end = error
  }
  return read
}

async function collectInto(
  stream: ReturnType<ReturnType<typeof createModel>['stream']>,
  read: { text: string; thinking: string; calls: string[] },
) {
  return await collect(
    (async function* () {
      for await (const event of stream) {
        if (event.type === 'text') read.text += event.text
        else if (event.type === 'thinking') read.thinking += event.text
        else if (event.type === 'call') read.calls.push(`${event.call.name} ${event.call.arguments}`)
        else if (event.type === 'finish') yield event
      }
    })(),
  )
}

const STOP = { type: 'finish', reason: 'stop' }
const CALLS = { type: 'finish', reason: 'calls' }
const failure = (message: string, retryable = false) => ({
  name: 'ModelError',
  message: `qwen: ${message}`,
  retryable,
})

interface Odd {
  readonly what: string
  readonly events: readonly object[]
  readonly text?: string
  readonly thinking?: string
  readonly calls?: readonly string[]
  readonly end?: object
}

const choice = (delta: unknown, rest: object = {}) => ({ choices: [{ index: 0, delta, ...rest }] })
const stop = choice({}, { finish_reason: 'stop' })
const called = choice({}, { finish_reason: 'tool_calls' })
const call = (rest: object) => choice({ tool_calls: [rest] })

const CHAT: readonly Odd[] = [
  { what: 'another role', events: [choice({ role: 'model', content: 'ok' }), stop], text: 'ok' },
  {
    what: 'an id that is a number',
    events: [{ id: 1, created: '1', ...choice({ content: 'ok' }) }, stop],
    text: 'ok',
  },
  { what: 'a text that is a number', events: [choice({ content: 42 }), stop], text: '42' },
  {
    what: 'nulls for all',
    events: [choice({ content: null, tool_calls: null, refusal: null }), choice({ content: 'ok' }), stop],
    text: 'ok',
  },
  {
    what: 'log probabilities of a wrong form',
    events: [choice({ content: 'ok' }, { logprobs: [] }), stop],
    text: 'ok',
  },
  {
    what: 'a list of contents',
    events: [
      choice({
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
          { type: 'text', text: 'ok' },
        ],
      }),
      stop,
    ],
    text: 'ok',
  },
  {
    what: 'a message instead of a delta',
    events: [{ choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] }],
    text: 'ok',
  },
  {
    what: 'one choice that is no list',
    events: [{ choices: { delta: { content: 'ok' }, finish_reason: 'stop' } }],
    text: 'ok',
  },
  {
    what: 'a refusal',
    events: [choice({ refusal: 'No.' }), choice({}, { finish_reason: 'length' })],
    text: 'No.',
    end: { reason: 'length' },
  },
  {
    what: 'an empty reason for its end',
    events: [choice({ content: 'ok' }, { finish_reason: '' }), stop],
    text: 'ok',
  },
  {
    what: 'arguments that are an object',
    events: [call({ index: 0, id: 'a', function: { name: 'f', arguments: { q: 1 } } }), called],
    calls: ['f {"q":1}'],
    end: CALLS,
  },
  {
    what: 'calls without an index',
    events: [
      call({ id: 'a', function: { name: 'f', arguments: '{"q":' } }),
      call({ function: { arguments: '1}' } }),
      called,
    ],
    calls: ['f {"q":1}'],
    end: CALLS,
  },
  {
    what: 'two calls with one index',
    events: [
      call({ index: 0, id: 'a', function: { name: 'f', arguments: '{"q":1}' } }),
      call({ index: 0, id: 'b', function: { name: 'f', arguments: '{"q":2}' } }),
      called,
    ],
    calls: ['f {"q":1}', 'f {"q":2}'],
    end: CALLS,
  },
  {
    what: 'two calls with one id',
    events: [
      call({ index: 0, id: 'a', function: { name: 'f', arguments: '{"q":1}' } }),
      call({ index: 1, id: 'a', function: { name: 'f', arguments: '{"q":2}' } }),
      called,
    ],
    calls: ['f {"q":1}', 'f {"q":2}'],
    end: CALLS,
  },
  {
    what: 'one call that is no list, and "stop" after it',
    events: [choice({ tool_calls: { id: 'a', function: { name: 'f', arguments: '{}' } } }), stop],
    calls: ['f {}'],
    end: CALLS,
  },
  {
    what: 'a name with each piece, and an empty id',
    events: [
      call({ index: 0, id: 'a', function: { name: 'f', arguments: '{"q"' } }),
      call({ index: 0, id: '', function: { name: 'f', arguments: ':1}' } }),
      called,
    ],
    calls: ['f {"q":1}'],
    end: CALLS,
  },
  {
    what: 'the old form of a call',
    events: [
      choice({ function_call: { name: 'f', arguments: '{"q":' } }),
      choice({ function_call: { arguments: '1}' } }),
      choice({}, { finish_reason: 'function_call' }),
    ],
    calls: ['f {"q":1}'],
    end: CALLS,
  },
  {
    what: 'an error that is a text',
    events: [choice({ content: 'half' }), { error: 'out of memory' }],
    text: 'half',
    end: failure('the provider reported: out of memory'),
  },
  {
    what: "vLLM's error",
    events: [choice({ content: 'half' }), { object: 'error', message: 'out of memory', code: 500 }],
    text: 'half',
    end: failure('the provider reported: out of memory', true),
  },
  {
    what: "FastAPI's error",
    events: [{ detail: [{ loc: ['body'], msg: 'field required' }] }],
    end: failure('the provider reported: field required'),
  },
  {
    what: 'an error without a known form',
    events: [{ error: { reason: 'busy' } }],
    end: failure('the provider reported: {"reason":"busy"}'),
  },
]

const started = { type: 'message_start', message: {} }
const block = (content_block: object, index = 0) => ({ type: 'content_block_start', index, content_block })
const delta = (one: object, index = 0) => ({ type: 'content_block_delta', index, delta: one })
const text = [
  block({ type: 'text', text: null }),
  delta({ type: 'text_delta', text: 'ok' }),
  { type: 'content_block_stop', index: 0 },
]
const ended = [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' }]

const ANTHROPIC: readonly Odd[] = [
  {
    what: 'new events',
    events: [{ type: 'new' }, started, { type: 'new', error: null }, ...text, ...ended],
    text: 'ok',
  },
  {
    what: 'a new kind of block with its deltas',
    events: [
      started,
      ...text,
      block({ type: 'new' }, 1),
      delta({ type: 'text_delta', text: 'secret' }, 1),
      { type: 'content_block_stop', index: 1 },
      ...ended,
    ],
    text: 'ok',
  },
  {
    what: 'a new kind of delta',
    events: [
      started,
      text[0]!,
      delta({ type: 'new' }),
      delta({ type: 'citations_delta', citation: {} }),
      ...text.slice(1),
      ...ended,
    ],
    text: 'ok',
  },
  {
    what: 'a text that is null',
    events: [started, text[0]!, delta({ type: 'text_delta', text: null }), ...text.slice(1), ...ended],
    text: 'ok',
  },
  {
    what: 'an input that is null, and one that is an object in its delta',
    events: [
      started,
      block({ type: 'tool_use', id: 'a', name: 'f', input: null }),
      delta({ type: 'input_json_delta', partial_json: { q: 1 } }),
      { type: 'content_block_stop', index: 0 },
      ...ended,
    ],
    calls: ['f {"q":1}'],
    end: CALLS,
  },
  {
    what: 'an error in the middle',
    events: [started, ...text, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    text: 'ok',
    end: failure('the provider reported: Overloaded', true),
  },
]

const candidate = (parts: unknown, rest: object = {}) => ({ candidates: [{ content: { parts }, ...rest }] })
const FINISH = { finishReason: 'STOP' }

const GEMINI: readonly Odd[] = [
  { what: 'a text that is a number', events: [candidate([{ text: 5 }], FINISH)], text: '5' },
  { what: 'a part that is null', events: [candidate([null, { text: 'ok' }], FINISH)], text: 'ok' },
  {
    what: 'odd ratings',
    events: [candidate([{ text: 'ok' }], { ...FINISH, safetyRatings: [{ category: 7 }] })],
    text: 'ok',
  },
  { what: 'a new kind of part', events: [candidate([{ video: {} }, { text: 'ok' }], FINISH)], text: 'ok' },
  {
    what: 'arguments that are text, or none',
    events: [
      candidate(
        [{ functionCall: { name: 'f', args: '{"q":1}' } }, { functionCall: { name: 'g', args: null } }],
        FINISH,
      ),
    ],
    calls: ['f {"q":1}', 'g {}'],
    end: CALLS,
  },
  {
    what: 'an error in the middle',
    events: [
      candidate([{ text: 'half' }]),
      { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } },
    ],
    text: 'half',
    end: failure('the provider reported: Overloaded', true),
  },
]

const line = (message: object, rest: object = {}) => ({ message, done: false, ...rest })
const done = { message: { content: null }, done: true, done_reason: null }

const OLLAMA: readonly Odd[] = [
  { what: 'nulls', events: [line({ content: 'ok', thinking: null, tool_calls: null }), done], text: 'ok' },
  { what: 'events of a proxy', events: [{ note: 'hello' }, line({ content: 'ok' }), done], text: 'ok' },
  {
    what: 'arguments that are text',
    events: [line({ tool_calls: [{ function: { name: 'f', arguments: '{"q":1}' } }] }), done],
    calls: ['f {"q":1}'],
    end: CALLS,
  },
  {
    what: 'an error that is an object',
    events: [line({ content: 'half' }), { error: { message: 'out of memory' } }],
    text: 'half',
    end: failure('the provider reported: out of memory'),
  },
]

const stream = ({ events }: Odd): Script =>
  raw(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))

const TABLE: readonly (readonly [Backend, Script, Odd])[] = [
  ...(['openai', 'openai-compatible'] as const).flatMap((backend) =>
    CHAT.map((odd) => [backend, stream(odd), odd] as const),
  ),
  ...ANTHROPIC.map((odd) => ['anthropic', stream(odd), odd] as const),
  ...GEMINI.map((odd) => ['gemini', stream(odd), odd] as const),
  ...OLLAMA.map((odd) => ['ollama', jsonLines(...odd.events), odd] as const),
]

test.each(TABLE.map(([backend, script, odd]) => ({ backend, script, ...odd })))(
  'a stream of $backend with $what is read',
  async ({ backend, script, text = '', calls = [], end = STOP }) => {
    const read = await readingOf(backend, script)
    expect(read).toMatchObject({ text, calls, end })
  },
)

test.each([
  ['a whole answer as JSON', `{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}`],
  [
    'events without blank lines',
    `data: ${JSON.stringify(choice({ content: 'ok' }))}\ndata: ${JSON.stringify(stop)}\n`,
  ],
  [
    'carriage returns',
    `data: ${JSON.stringify(choice({ content: 'ok' }))}\r\n\r\ndata: ${JSON.stringify(stop)}\r\n\r\n`,
  ],
  [
    'an event of two fields',
    `data: {"choices":[{"delta":{"content":"ok"},\ndata: "finish_reason":"stop"}]}\n\n`,
  ],
  [
    'comments and other fields',
    `: hi\nid: 1\nretry: 5\ndata:${JSON.stringify(choice({ content: 'ok' }, { finish_reason: 'stop' }))}\n\ndata: [DONE]\n\n`,
  ],
])('a stream with %s is read', async (_what, body) => {
  for (const backend of ['openai', 'openai-compatible'] as const)
    expect(await readingOf(backend, raw(body, 'application/json'))).toMatchObject({ text: 'ok', end: STOP })
})

test.each(['openai', 'openai-compatible', 'anthropic', 'gemini', 'ollama'] as const)(
  'a connection of %s that breaks before the first event has cost a prompt',
  async (backend) => {
    const read = await readingOf(backend, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      response.socket?.end()
    })
    expect(read.end).toMatchObject({ retryable: true, begun: true })
  },
)
