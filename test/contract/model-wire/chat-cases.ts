import { CUT, failure, LENGTH, NO_ANSWER, reported, sse, type Case } from './case.ts'

const choice = (delta: unknown, rest: object = {}) => ({ choices: [{ index: 0, delta, ...rest }] })
const ends = (finish_reason: unknown) => choice({}, { finish_reason })
const stop = ends('stop')
const called = ends('tool_calls')
const ok = choice({ content: 'ok' })
const COUNTS = { prompt_tokens: 3, completion_tokens: 1 }
const half = choice({ content: 'half' })
const call = (rest: object) => choice({ tool_calls: [rest] })
/** A piece of the call of `f`. */
const calls = (args: unknown, at: object = { index: 0, id: 'a' }) =>
  call({ ...at, function: { name: 'f', arguments: args } })

/** OpenAI and all servers that copy it. */
export const CHAT: readonly Case[] = [
  ['another role', [choice({ role: 'model', content: 'ok' }), stop]],
  ['an id that is a number', [{ id: 1, created: '1', ...ok }, stop]],
  ['a text that is a number', [choice({ content: 42 }), stop], { text: '42' }],
  ['nulls for all', [choice({ content: null, tool_calls: null, refusal: null }), ok, stop]],
  ['log probabilities of a wrong form', [choice({ content: 'ok' }, { logprobs: [] }), stop]],
  [
    'a list of contents',
    [
      choice({
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
          { type: 'text', text: 'ok' },
        ],
      }),
      stop,
    ],
    { text: 'ok', thinking: 'hm' },
  ],
  ['a message instead of a delta', [{ choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] }]],
  ['one choice that is no list', [{ choices: { delta: { content: 'ok' }, finish_reason: 'stop' } }]],
  ['a refusal', [choice({ refusal: 'No.' }), ends('length')], { text: 'No.', end: { reason: 'length' } }],
  ...[
    ...['error', 'abort', 'sensitive', 'insufficient_system_resource', 'network_error', 'CANCELLED'],
    ...['server_timeout', 'upstream_failure', 'content_filtered', 'guardrail_intervened'],
  ].map((word): Case => [
    `the finish reason ${word}`,
    [half, ends(word)],
    { text: 'half', end: { type: 'finish', reason: 'refused', word } },
  ]),
  [
    "the finish reason of Gemini's malformed call",
    [choice({}, { finish_reason: 'function_call_filter: MALFORMED_FUNCTION_CALL' })],
    { end: failure(/could not read what the model wrote/, true) },
  ],
  [
    'the finish reason of a full window',
    [half, ends('model_length')],
    { text: 'half', end: { type: 'finish', reason: 'window' } },
  ],
  ['an empty finish reason', [choice({ content: 'ok' }, { finish_reason: '' }), stop]],
  ['arguments that are an object', [calls({ q: 1 }), called], { calls: ['f {"q":1}'] }],
  [
    'calls without an index',
    [calls('{"q":', { id: 'a' }), call({ function: { arguments: '1}' } }), called],
    { calls: ['f {"q":1}'] },
  ],
  [
    'two calls with one index',
    [calls('{"q":1}'), calls('{"q":2}', { index: 0, id: 'b' }), called],
    { calls: ['f {"q":1}', 'f {"q":2}'] },
  ],
  [
    'two calls with one id',
    [calls('{"q":1}'), calls('{"q":2}', { index: 1, id: 'a' }), called],
    { calls: ['f {"q":1}', 'f {"q":2}'] },
  ],
  [
    'one call that is no list, and "stop" after it',
    [choice({ tool_calls: { id: 'a', function: { name: 'f', arguments: '{}' } } }), stop],
    { calls: ['f {}'] },
  ],
  [
    'a name with each piece, and an empty id',
    [calls('{"q"'), calls(':1}', { index: 0, id: '' }), called],
    { calls: ['f {"q":1}'] },
  ],
  [
    'the old form of a call',
    [
      choice({ function_call: { name: 'f', arguments: '{"q":' } }),
      choice({ function_call: { arguments: '1}' } }),
      ends('function_call'),
    ],
    { calls: ['f {"q":1}'] },
  ],
  [
    'an error that is a text',
    [half, { error: 'out of memory' }],
    { text: 'half', end: reported('out of memory') },
  ],
  [
    "vLLM's error",
    [half, { object: 'error', message: 'out of memory', code: 500 }],
    { text: 'half', end: reported('out of memory', true) },
  ],
  [
    "FastAPI's error",
    [{ detail: [{ loc: ['body'], msg: 'field required' }] }],
    { end: reported('body: field required') },
  ],
  ['an error without a known form', [{ error: { reason: 'busy' } }], { end: reported('{"reason":"busy"}') }],
  [
    'usage without choices after its end',
    [ok, stop, { usage: { prompt_tokens: 3, completion_tokens: 1 } }],
    { text: 'ok', end: { reason: 'stop', usage: { input: 3, output: 1 } } },
  ],
  [
    'usage in its choice, as Kimi sends it',
    [ok, choice({}, { finish_reason: 'stop', usage: { ...COUNTS, cached_tokens: 2 } })],
    { text: 'ok', end: { usage: { input: 3, cached: 2, output: 1 } } },
  ],
  [
    'usage in an object of Groq',
    [ok, { ...stop, usage: null, x_groq: { id: 'req_1', usage: COUNTS } }],
    { text: 'ok', end: { usage: { input: 3, output: 1 } } },
  ],
  [
    'counts that are texts',
    [ok, { ...stop, usage: { prompt_tokens: '3', completion_tokens: '1' } }],
    { text: 'ok', end: { usage: { input: 3, output: 1 } } },
  ],
  [
    "a gateway's own events before, between and after",
    [
      { object: 'gateway.route', region: 'eu' },
      {},
      choice({ content: 'o' }),
      { warning: 'this model is old', message: 'it goes away in May' },
      choice({ content: 'k' }),
      stop,
      { object: 'cost.report', cost: '0.01' },
    ],
  ],
  [
    'choices that are null or an empty list',
    [{ choices: null }, { choices: [], prompt_filter_results: [{}] }, ok, stop],
  ],
  ['errors that say nothing', [{ error: null }, { ...ok, error: {} }, stop]],
  ['an error of zeros', [{ ...ok, error: { code: 0, message: '' } }, stop]],
  ['a choice without a delta', [ok, { choices: [{ index: 0 }] }, stop]],
  ['a delta that is null at its end', [ok, choice(null, { finish_reason: 'stop' })]],
  ['a delta that is a text', [choice('ok'), stop]],
  ['the texts of old completions', [{ choices: [{ text: 'ok', finish_reason: 'stop' }] }]],
  ['a content that is an object', [choice({ content: { type: 'text', text: 'ok' } }), stop]],
  ['a content of texts in a list', [choice({ content: ['o', { text: 'k' }] }), stop]],
  [
    'thoughts in an object',
    [choice({ reasoning: { text: 'hm' } }), ok, stop],
    { text: 'ok', thinking: 'hm' },
  ],
  ['the role user', [choice({ role: 'user', content: 'ok' }), stop]],
  ['a role that is a number', [choice({ role: 1, content: 'ok' }), stop]],
  ['the finish reason in capitals', [choice({ content: 'ok' }, { finish_reason: 'STOP' })]],
  [
    'the finish reason max_tokens of another protocol',
    [choice({ content: 'ok' }, { finish_reason: 'max_tokens' })],
    { text: 'ok', end: LENGTH },
  ],
  [
    'a finish reason that is an object',
    [choice({ content: 'ok' }, { finish_reason: { type: 'length' } })],
    { text: 'ok', end: LENGTH },
  ],
  ['the end sent twice', [ok, stop, stop]],
  ['[DONE] for its only end', `${sse(ok)}data: [DONE]\n\n`],
  ['[DONE] without a line end', `${sse(ok)}data: [DONE]`],
  ['[DONE] and no text', `${sse(choice({ role: 'assistant' }))}data: [DONE]\n\n`, {}],
  ['a call and [DONE] for its only end', `${sse(calls('{}'))}data: [DONE]\n\n`, { calls: ['f {}'] }],
  ['no end at all', [half], { text: 'half', end: CUT }],
  ['an event that breaks off', `${sse(half)}data: {"choices":[{"del`, { text: 'half', end: CUT }],
  ['half a call', [calls('{"q"')], { end: CUT }],
  ['an id that is a number', [calls('{}', { index: 0, id: 7 }), called], { calls: ['f {}'] }],
  [
    'indexes that are texts',
    [
      calls('{"q":', { index: '0', id: 'a' }),
      call({ index: '1', id: 'b', function: { name: 'g', arguments: '{}' } }),
      call({ index: '0', function: { arguments: '1}' } }),
      called,
    ],
    { calls: ['f {"q":1}', 'g {}'] },
  ],
  ['arguments that are null', [calls(null), called], { calls: ['f '] }],
  ['arguments that are an empty list', [calls([]), called], { calls: ['f {}'] }],
  [
    'a call without a function around it',
    [call({ id: 'a', name: 'f', arguments: { q: 1 } }), called],
    { calls: ['f {"q":1}'] },
  ],
  [
    'a function that is JSON text',
    [call({ id: 'a', function: '{"name":"f","arguments":{"q":1}}' }), called],
    { calls: ['f {"q":1}'] },
  ],
  ['calls of nothing', [choice({ content: 'ok', tool_calls: '' }), choice({ tool_calls: [null, {}] }), stop]],
  ['an old call of nothing', [choice({ content: 'ok', function_call: {} }), stop]],
  ['a call cut at max_output', [calls('{"q":"lo'), ends('length')], { calls: ['f {"q":"lo'], end: LENGTH }],
  [
    'one JSON for a stream',
    {
      object: 'chat.completion',
      choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }],
    },
    { text: 'ok' },
    { headers: { 'content-type': 'application/json' } },
  ],
  [
    'one JSON over several lines',
    JSON.stringify({ choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] }, null, 2),
  ],
  ['one JSON without a reason', { choices: [{ message: { content: 'ok' } }] }],
  [
    'one JSON with a call',
    {
      choices: [
        {
          message: { content: null, tool_calls: [{ id: 1, function: { name: 'f', arguments: { q: 1 } } }] },
          finish_reason: 'tool_calls',
        },
      ],
    },
    { calls: ['f {"q":1}'] },
  ],
  ['one JSON that breaks off', '{"choices":[{"message":{"content":"o', { end: NO_ANSWER }],
  ['events without blank lines', sse(ok, stop).replaceAll('\n\n', '\n')],
  ['carriage returns', sse(ok, stop).replaceAll('\n', '\r\n')],
  ['carriage returns alone', sse(ok, stop).replaceAll('\n', '\r')],
  ['a byte order mark', `\uFEFF${sse(ok, stop)}`],
  [
    'an event of two fields',
    'data: {"choices":[{"delta":{"content":"ok"},\ndata: "finish_reason":"stop"}]}\n\n',
  ],
  [
    'comments, other fields and texts',
    `: hi\nid: 1\nretry: 5\nevent: message\ndata: ping\n\n${sse(ok, stop)}`,
  ],
  ['its data field written twice', sse(ok, stop).replaceAll('data: ', 'data: data: ')],
  ['lines of JSON for a stream', `${JSON.stringify(ok)}\n${JSON.stringify(stop)}\n`],
  [
    'an error among the choices',
    [half, { choices: [{ error: { message: 'out of memory', code: 502 } }] }],
    { text: 'half', end: reported('out of memory', true) },
  ],
]
