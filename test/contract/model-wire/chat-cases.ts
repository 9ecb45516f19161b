import { CALLS, CUT, failure, LENGTH, reported, sse, type Case } from './case.ts'

const choice = (delta: unknown, rest: object = {}) => ({ choices: [{ index: 0, delta, ...rest }] })
const stop = choice({}, { finish_reason: 'stop' })
const called = choice({}, { finish_reason: 'tool_calls' })
const call = (rest: object) => choice({ tool_calls: [rest] })

/** OpenAI and all servers that copy it. */
export const CHAT: readonly Case[] = [
  { name: 'another role', events: [choice({ role: 'model', content: 'ok' }), stop], text: 'ok' },
  {
    name: 'an id that is a number',
    events: [{ id: 1, created: '1', ...choice({ content: 'ok' }) }, stop],
    text: 'ok',
  },
  { name: 'a text that is a number', events: [choice({ content: 42 }), stop], text: '42' },
  {
    name: 'nulls for all',
    events: [choice({ content: null, tool_calls: null, refusal: null }), choice({ content: 'ok' }), stop],
    text: 'ok',
  },
  {
    name: 'log probabilities of a wrong form',
    events: [choice({ content: 'ok' }, { logprobs: [] }), stop],
    text: 'ok',
  },
  {
    name: 'a list of contents',
    events: [
      choice({
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
          { type: 'text', text: 'ok' },
        ],
      }),
      stop,
    ],
    thinking: 'hm',
    text: 'ok',
  },
  {
    name: 'a message instead of a delta',
    events: [{ choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] }],
    text: 'ok',
  },
  {
    name: 'one choice that is no list',
    events: [{ choices: { delta: { content: 'ok' }, finish_reason: 'stop' } }],
    text: 'ok',
  },
  {
    name: 'a refusal',
    events: [choice({ refusal: 'No.' }), choice({}, { finish_reason: 'length' })],
    text: 'No.',
    end: { reason: 'length' },
  },
  ...['error', 'abort', 'sensitive', 'insufficient_system_resource'].map((word) => ({
    name: `the finish reason ${word}`,
    events: [choice({ content: 'half' }), choice({}, { finish_reason: word })],
    text: 'half',
    end: { type: 'finish', reason: 'refused', word },
  })),
  {
    name: 'an empty finish reason',
    events: [choice({ content: 'ok' }, { finish_reason: '' }), stop],
    text: 'ok',
  },
  {
    name: 'arguments that are an object',
    events: [call({ index: 0, id: 'a', function: { name: 'f', arguments: { q: 1 } } }), called],
    calls: ['f {"q":1}'],
    end: CALLS,
  },
  {
    name: 'calls without an index',
    events: [
      call({ id: 'a', function: { name: 'f', arguments: '{"q":' } }),
      call({ function: { arguments: '1}' } }),
      called,
    ],
    calls: ['f {"q":1}'],
    end: CALLS,
  },
  {
    name: 'two calls with one index',
    events: [
      call({ index: 0, id: 'a', function: { name: 'f', arguments: '{"q":1}' } }),
      call({ index: 0, id: 'b', function: { name: 'f', arguments: '{"q":2}' } }),
      called,
    ],
    calls: ['f {"q":1}', 'f {"q":2}'],
    end: CALLS,
  },
  {
    name: 'two calls with one id',
    events: [
      call({ index: 0, id: 'a', function: { name: 'f', arguments: '{"q":1}' } }),
      call({ index: 1, id: 'a', function: { name: 'f', arguments: '{"q":2}' } }),
      called,
    ],
    calls: ['f {"q":1}', 'f {"q":2}'],
    end: CALLS,
  },
  {
    name: 'one call that is no list, and "stop" after it',
    events: [choice({ tool_calls: { id: 'a', function: { name: 'f', arguments: '{}' } } }), stop],
    calls: ['f {}'],
    end: CALLS,
  },
  {
    name: 'a name with each piece, and an empty id',
    events: [
      call({ index: 0, id: 'a', function: { name: 'f', arguments: '{"q"' } }),
      call({ index: 0, id: '', function: { name: 'f', arguments: ':1}' } }),
      called,
    ],
    calls: ['f {"q":1}'],
    end: CALLS,
  },
  {
    name: 'the old form of a call',
    events: [
      choice({ function_call: { name: 'f', arguments: '{"q":' } }),
      choice({ function_call: { arguments: '1}' } }),
      choice({}, { finish_reason: 'function_call' }),
    ],
    calls: ['f {"q":1}'],
    end: CALLS,
  },
  {
    name: 'an error that is a text',
    events: [choice({ content: 'half' }), { error: 'out of memory' }],
    text: 'half',
    end: reported('out of memory'),
  },
  {
    name: "vLLM's error",
    events: [choice({ content: 'half' }), { object: 'error', message: 'out of memory', code: 500 }],
    text: 'half',
    end: reported('out of memory', true),
  },
  {
    name: "FastAPI's error",
    events: [{ detail: [{ loc: ['body'], msg: 'field required' }] }],
    end: reported('body: field required'),
  },
  {
    name: 'an error without a known form',
    events: [{ error: { reason: 'busy' } }],
    end: reported('{"reason":"busy"}'),
  },

  {
    name: 'usage without choices after its end',
    events: [choice({ content: 'ok' }), stop, { usage: { prompt_tokens: 3, completion_tokens: 1 } }],
    text: 'ok',
    end: { reason: 'stop', usage: { input: 3, output: 1 } },
  },
  {
    name: 'counts that are texts',
    events: [choice({ content: 'ok' }), { ...stop, usage: { prompt_tokens: '3', completion_tokens: '1' } }],
    text: 'ok',
    end: { usage: { input: 3, output: 1 } },
  },
  {
    name: "a gateway's own events before, between and after",
    events: [
      { object: 'gateway.route', region: 'eu' },
      {},
      choice({ content: 'o' }),
      { warning: 'this model is old', message: 'it goes away in May' },
      choice({ content: 'k' }),
      stop,
      { object: 'cost.report', cost: '0.01' },
    ],
    text: 'ok',
  },
  {
    name: 'choices that are null or an empty list',
    events: [
      { choices: null },
      { choices: [], prompt_filter_results: [{}] },
      choice({ content: 'ok' }),
      stop,
    ],
    text: 'ok',
  },
  {
    name: 'errors that say nothing',
    events: [{ error: null }, { ...choice({ content: 'ok' }), error: {} }, stop],
    text: 'ok',
  },
  {
    name: 'an error of zeros',
    events: [{ ...choice({ content: 'ok' }), error: { code: 0, message: '' } }, stop],
    text: 'ok',
  },
  {
    name: 'a choice without a delta',
    events: [choice({ content: 'ok' }), { choices: [{ index: 0 }] }, stop],
    text: 'ok',
  },
  {
    name: 'a delta that is null at its end',
    events: [choice({ content: 'ok' }), choice(null, { finish_reason: 'stop' })],
    text: 'ok',
  },
  { name: 'a delta that is a text', events: [choice('ok'), stop], text: 'ok' },
  {
    name: 'the texts of old completions',
    events: [{ choices: [{ text: 'ok', finish_reason: 'stop' }] }],
    text: 'ok',
  },
  {
    name: 'a content that is an object',
    events: [choice({ content: { type: 'text', text: 'ok' } }), stop],
    text: 'ok',
  },
  {
    name: 'a content of texts in a list',
    events: [choice({ content: ['o', { text: 'k' }] }), stop],
    text: 'ok',
  },
  {
    name: 'thoughts in an object',
    events: [choice({ reasoning: { text: 'hm' } }), choice({ content: 'ok' }), stop],
    thinking: 'hm',
    text: 'ok',
  },
  { name: 'the role user', events: [choice({ role: 'user', content: 'ok' }), stop], text: 'ok' },
  { name: 'a role that is a number', events: [choice({ role: 1, content: 'ok' }), stop], text: 'ok' },
  {
    name: 'the finish reason in capitals',
    events: [choice({ content: 'ok' }, { finish_reason: 'STOP' })],
    text: 'ok',
  },
  {
    name: 'the finish reason max_tokens of another protocol',
    events: [choice({ content: 'ok' }, { finish_reason: 'max_tokens' })],
    text: 'ok',
    end: LENGTH,
  },
  {
    name: 'a finish reason that is an object',
    events: [choice({ content: 'ok' }, { finish_reason: { type: 'length' } })],
    text: 'ok',
    end: LENGTH,
  },
  { name: 'the end sent twice', events: [choice({ content: 'ok' }), stop, stop], text: 'ok' },
  { name: '[DONE] for its only end', bytes: `${sse(choice({ content: 'ok' }))}data: [DONE]\n\n`, text: 'ok' },
  { name: '[DONE] without a line end', bytes: `${sse(choice({ content: 'ok' }))}data: [DONE]`, text: 'ok' },
  { name: '[DONE] and no text', bytes: `${sse(choice({ role: 'assistant' }))}data: [DONE]\n\n` },
  {
    name: 'a call and [DONE] for its only end',
    bytes: `${sse(call({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }))}data: [DONE]\n\n`,
    calls: ['f {}'],
    end: CALLS,
  },
  { name: 'no end at all', events: [choice({ content: 'half' })], text: 'half', end: CUT },
  {
    name: 'an event that breaks off',
    bytes: `${sse(choice({ content: 'half' }))}data: {"choices":[{"del`,
    text: 'half',
    end: CUT,
  },
  {
    name: 'half a call',
    events: [call({ index: 0, id: 'a', function: { name: 'f', arguments: '{"q"' } })],
    end: CUT,
  },
  {
    name: 'an id that is a number',
    events: [call({ index: 0, id: 7, function: { name: 'f', arguments: '{}' } }), called],
    calls: ['f {}'],
    end: CALLS,
  },
  {
    name: 'indexes that are texts',
    events: [
      call({ index: '0', id: 'a', function: { name: 'f', arguments: '{"q":' } }),
      call({ index: '1', id: 'b', function: { name: 'g', arguments: '{}' } }),
      call({ index: '0', function: { arguments: '1}' } }),
      called,
    ],
    calls: ['f {"q":1}', 'g {}'],
    end: CALLS,
  },
  {
    name: 'arguments that are null',
    events: [call({ index: 0, id: 'a', function: { name: 'f', arguments: null } }), called],
    calls: ['f '],
    end: CALLS,
  },
  {
    name: 'arguments that are an empty list',
    events: [call({ index: 0, id: 'a', function: { name: 'f', arguments: [] } }), called],
    calls: ['f {}'],
    end: CALLS,
  },
  {
    name: 'a call without a function around it',
    events: [call({ id: 'a', name: 'f', arguments: { q: 1 } }), called],
    calls: ['f {"q":1}'],
    end: CALLS,
  },
  {
    name: 'a function that is JSON text',
    events: [call({ id: 'a', function: '{"name":"f","arguments":{"q":1}}' }), called],
    calls: ['f {"q":1}'],
    end: CALLS,
  },
  {
    name: 'calls of nothing',
    events: [choice({ content: 'ok', tool_calls: '' }), choice({ tool_calls: [null, {}] }), stop],
    text: 'ok',
  },
  {
    name: 'an old call of nothing',
    events: [choice({ content: 'ok', function_call: {} }), stop],
    text: 'ok',
  },
  {
    name: 'a call cut at max_output',
    events: [
      call({ index: 0, id: 'a', function: { name: 'f', arguments: '{"q":"lo' } }),
      choice({}, { finish_reason: 'length' }),
    ],
    calls: ['f {"q":"lo'],
    end: LENGTH,
  },
  {
    name: 'one JSON for a stream',
    bytes: JSON.stringify({
      object: 'chat.completion',
      choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }],
    }),
    headers: { 'content-type': 'application/json' },
    text: 'ok',
  },
  {
    name: 'one JSON over several lines',
    bytes: JSON.stringify({ choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] }, null, 2),
    text: 'ok',
  },
  {
    name: 'one JSON without a reason',
    bytes: JSON.stringify({ choices: [{ message: { content: 'ok' } }] }),
    text: 'ok',
  },
  {
    name: 'one JSON with a call',
    bytes: JSON.stringify({
      choices: [
        {
          message: { content: null, tool_calls: [{ id: 1, function: { name: 'f', arguments: { q: 1 } } }] },
          finish_reason: 'tool_calls',
        },
      ],
    }),
    calls: ['f {"q":1}'],
    end: CALLS,
  },
  {
    name: 'one JSON that breaks off',
    bytes: '{"choices":[{"message":{"content":"o',
    end: failure(/something that is not a model's answer$/, true),
  },
  {
    name: 'events without blank lines',
    bytes: sse(choice({ content: 'ok' }), stop).replaceAll('\n\n', '\n'),
    text: 'ok',
  },
  {
    name: 'carriage returns',
    bytes: sse(choice({ content: 'ok' }), stop).replaceAll('\n', '\r\n'),
    text: 'ok',
  },
  { name: 'a byte order mark', bytes: `\uFEFF${sse(choice({ content: 'ok' }), stop)}`, text: 'ok' },
  {
    name: 'an event of two fields',
    bytes: 'data: {"choices":[{"delta":{"content":"ok"},\ndata: "finish_reason":"stop"}]}\n\n',
    text: 'ok',
  },
  {
    name: 'comments, other fields and texts',
    bytes: `: hi\nid: 1\nretry: 5\nevent: message\ndata: ping\n\n${sse(choice({ content: 'ok' }), stop)}`,
    text: 'ok',
  },
  {
    name: 'its data field written twice',
    bytes: sse(choice({ content: 'ok' }), stop).replaceAll('data: ', 'data: data: '),
    text: 'ok',
  },
  {
    name: 'lines of JSON for a stream',
    bytes: `${JSON.stringify(choice({ content: 'ok' }))}\n${JSON.stringify(stop)}\n`,
    text: 'ok',
  },
  {
    name: 'an error among the choices',
    events: [choice({ content: 'half' }), { choices: [{ error: { message: 'out of memory', code: 502 } }] }],
    text: 'half',
    end: reported('out of memory', true),
  },
]
