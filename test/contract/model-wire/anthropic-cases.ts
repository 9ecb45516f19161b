import { CALLS, CUT, reported, sse, type Case } from './case.ts'

const started = { type: 'message_start', message: {} }
const block = (content_block: object, index = 0) => ({ type: 'content_block_start', index, content_block })
const delta = (one: object, index = 0) => ({ type: 'content_block_delta', index, delta: one })
const text = [
  block({ type: 'text', text: null }),
  delta({ type: 'text_delta', text: 'ok' }),
  { type: 'content_block_stop', index: 0 },
]
const ended = [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' }]

export const ANTHROPIC: readonly Case[] = [
  {
    name: 'new events',
    events: [{ type: 'new' }, started, { type: 'new', error: null }, ...text, ...ended],
    text: 'ok',
  },
  {
    name: 'a new kind of block with its deltas',
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
    name: 'a new kind of delta',
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
    name: 'a text that is null',
    events: [started, text[0]!, delta({ type: 'text_delta', text: null }), ...text.slice(1), ...ended],
    text: 'ok',
  },
  {
    name: 'an input that is null, and one that is an object in its delta',
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
    name: 'an error in the middle',
    events: [started, ...text, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    text: 'ok',
    end: reported('Overloaded', true),
  },

  {
    name: 'a text in the start of its block',
    events: [
      started,
      block({ type: 'text', text: 'ok' }),
      { type: 'content_block_stop', index: 0 },
      ...ended,
    ],
    text: 'ok',
  },
  {
    name: 'a delta without a start',
    events: [started, delta({ type: 'text_delta', text: 'ok' }), ...ended],
    text: 'ok',
  },
  {
    name: 'a delta without a type',
    events: [started, block({ type: 'text' }), delta({ text: 'ok' }), ...ended],
    text: 'ok',
  },
  {
    name: 'a delta without a text',
    events: [started, block({ type: 'text' }), delta({ type: 'text_delta' }), ...text.slice(1), ...ended],
    text: 'ok',
  },
  {
    name: 'an index that is a text',
    events: [
      started,
      { ...block({ type: 'text' }), index: '0' },
      delta({ type: 'text_delta', text: 'ok' }),
      ...ended,
    ],
    text: 'ok',
  },
  {
    name: 'types only in its event fields',
    bytes: [started, ...text, ...ended]
      .map(({ type, ...rest }) => `event: ${type}\ndata: ${JSON.stringify(rest)}\n\n`)
      .join(''),
    text: 'ok',
  },
  { name: 'no start and a ping', events: [{ type: 'ping' }, ...text, ...ended], text: 'ok' },
  { name: 'no reason, only its stop', events: [started, ...text, { type: 'message_stop' }], text: 'ok' },
  { name: '[DONE] for its only end', bytes: `${sse(started, ...text)}data: [DONE]\n\n`, text: 'ok' },
  { name: 'no end at all', events: [started, ...text], text: 'ok', end: CUT },
  {
    name: 'a call whose block is not stopped',
    events: [
      started,
      block({ type: 'tool_use', id: 7, name: 'f' }),
      delta({ type: 'input_json_delta', partial_json: '{"q":1}' }),
      ...ended,
    ],
    calls: ['f {"q":1}'],
    end: CALLS,
  },
  {
    name: 'a whole input in the start of a call',
    events: [
      started,
      block({ type: 'tool_use', id: 'a', name: 'f', input: '{"q":1}' }),
      { type: 'content_block_stop', index: 0 },
      ...ended,
    ],
    calls: ['f {"q":1}'],
    end: CALLS,
  },
  {
    name: 'one JSON for a stream',
    bytes: JSON.stringify(
      {
        type: 'message',
        content: [
          { type: 'text', text: 'ok' },
          { type: 'tool_use', id: 'a', name: 'f', input: { q: 1 } },
        ],
        stop_reason: 'tool_use',
      },
      null,
      1,
    ),
    text: 'ok',
    calls: ['f {"q":1}'],
    end: CALLS,
  },
]
