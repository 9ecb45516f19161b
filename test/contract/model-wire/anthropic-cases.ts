import { CUT, reported, sse, type Case } from './case.ts'

const started = { type: 'message_start', message: {} }
const block = (content_block: object, index = 0) => ({ type: 'content_block_start', index, content_block })
const delta = (one: object, index = 0) => ({ type: 'content_block_delta', index, delta: one })
const stopped = { type: 'content_block_stop', index: 0 }
const said = (text: unknown) => delta({ type: 'text_delta', text })
const tool = (id: unknown, input?: unknown) => block({ type: 'tool_use', id, name: 'f', input })
const input = (partial_json: unknown) => delta({ type: 'input_json_delta', partial_json })
const text = [block({ type: 'text', text: null }), said('ok'), stopped]
const ended = [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' }]

export const ANTHROPIC: readonly Case[] = [
  ['new events', [{ type: 'new' }, started, { type: 'new', error: null }, ...text, ...ended]],
  [
    'a new kind of block with its deltas',
    [
      started,
      ...text,
      block({ type: 'new' }, 1),
      delta({ type: 'text_delta', text: 'secret' }, 1),
      { type: 'content_block_stop', index: 1 },
      ...ended,
    ],
  ],
  [
    'a new kind of delta',
    [
      started,
      text[0]!,
      delta({ type: 'new' }),
      delta({ type: 'citations_delta', citation: {} }),
      ...text.slice(1),
      ...ended,
    ],
  ],
  ['a text that is null', [started, text[0]!, said(null), ...text.slice(1), ...ended]],
  [
    'an input that is null, and one that is an object in its delta',
    [started, tool('a', null), input({ q: 1 }), stopped, ...ended],
    { calls: ['f {"q":1}'] },
  ],
  [
    'an error in the middle',
    [started, ...text, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    { text: 'ok', end: reported('Overloaded', true) },
  ],
  ['a text in the start of its block', [started, block({ type: 'text', text: 'ok' }), stopped, ...ended]],
  ['a delta without a start', [started, said('ok'), ...ended]],
  ['a delta without a type', [started, block({ type: 'text' }), delta({ text: 'ok' }), ...ended]],
  [
    'a delta without a text',
    [started, block({ type: 'text' }), delta({ type: 'text_delta' }), ...text.slice(1), ...ended],
  ],
  ['an index that is a text', [started, { ...block({ type: 'text' }), index: '0' }, said('ok'), ...ended]],
  [
    'types only in its event fields',
    [started, ...text, ...ended]
      .map(({ type, ...rest }) => `event: ${type}\ndata: ${JSON.stringify(rest)}\n\n`)
      .join(''),
  ],
  ['carriage returns alone', sse(started, ...text, ...ended).replaceAll('\n', '\r')],
  [
    'an end by network_error',
    [started, ...text, { type: 'message_delta', delta: { stop_reason: 'network_error' } }],
    { text: 'ok', end: { type: 'finish', reason: 'refused', word: 'network_error' } },
  ],
  ['no start and a ping', [{ type: 'ping' }, ...text, ...ended]],
  ['no reason, only its stop', [started, ...text, { type: 'message_stop' }]],
  ['[DONE] for its only end', `${sse(started, ...text)}data: [DONE]\n\n`],
  ['no end at all', [started, ...text], { text: 'ok', end: CUT }],
  [
    'a call whose block is not stopped',
    [started, tool(7), input('{"q":1}'), ...ended],
    { calls: ['f {"q":1}'] },
  ],
  [
    'a whole input in the start of a call',
    [started, tool('a', '{"q":1}'), stopped, ...ended],
    { calls: ['f {"q":1}'] },
  ],
  [
    'one JSON for a stream',
    '{\n"type":"message","content":[{"type":"text","text":"ok"},\n' +
      '{"type":"tool_use","id":"a","name":"f","input":{"q":1}}],"stop_reason":"tool_use"}',
    { text: 'ok', calls: ['f {"q":1}'] },
  ],
]
