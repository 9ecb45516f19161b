import { CALLS, CUT, lines, reported, type Case } from './case.ts'

const line = (message: object, rest: object = {}) => ({ message, done: false, ...rest })
const done = { message: { content: null }, done: true, done_reason: null }

export const OLLAMA: readonly Case[] = [
  { name: 'nulls', events: [line({ content: 'ok', thinking: null, tool_calls: null }), done], text: 'ok' },
  { name: 'events of a proxy', events: [{ note: 'hello' }, line({ content: 'ok' }), done], text: 'ok' },
  {
    name: 'arguments that are text',
    events: [line({ tool_calls: [{ function: { name: 'f', arguments: '{"q":1}' } }] }), done],
    calls: ['f {"q":1}'],
    end: CALLS,
  },
  {
    name: 'an error that is an object',
    events: [line({ content: 'half' }), { error: { message: 'out of memory' } }],
    text: 'half',
    end: reported('out of memory'),
  },

  { name: 'a text that is a number', events: [line({ content: 42 }), done], text: '42' },
  { name: 'the text "true" for done', events: [line({ content: 'ok' }), { done: 'true' }], text: 'ok' },
  {
    name: 'an event stream for lines',
    bytes: `data: ${JSON.stringify(line({ content: 'ok' }))}\n\ndata: ${JSON.stringify(done)}\n\n`,
    text: 'ok',
  },
  { name: '[DONE] for its only end', bytes: `${lines(line({ content: 'ok' }))}[DONE]\n`, text: 'ok' },
  { name: 'no end at all', events: [line({ content: 'ok' })], text: 'ok', end: CUT },
  {
    name: 'a line that breaks off',
    bytes: `${lines(line({ content: 'ok' }))}{"message":{"cont`,
    text: 'ok',
    end: CUT,
  },
  {
    name: 'one JSON over several lines',
    bytes: JSON.stringify({ ...done, message: { content: 'ok' } }, null, 2),
    text: 'ok',
  },
  {
    name: 'one call that is no list',
    events: [line({ tool_calls: { id: 7, function: { name: 'f', arguments: '{}' } } }), done],
    calls: ['f {}'],
    end: CALLS,
  },
  { name: 'calls of nothing', events: [line({ content: 'ok', tool_calls: [null, {}] }), done], text: 'ok' },
  {
    name: 'arguments that are an empty list',
    events: [line({ tool_calls: [{ function: { name: 'f', arguments: [] } }] }), done],
    calls: ['f {}'],
    end: CALLS,
  },
]
