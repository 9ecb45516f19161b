import { CUT, lines, reported, type Case } from './case.ts'

const line = (message: object, rest: object = {}) => ({ message, done: false, ...rest })
const done = { message: { content: null }, done: true, done_reason: null }

export const OLLAMA: readonly Case[] = [
  ['nulls', [line({ content: 'ok', thinking: null, tool_calls: null }), done]],
  ['events of a proxy', [{ note: 'hello' }, line({ content: 'ok' }), done]],
  [
    'arguments that are text',
    [line({ tool_calls: [{ function: { name: 'f', arguments: '{"q":1}' } }] }), done],
    { calls: ['f {"q":1}'] },
  ],
  [
    'an error that is an object',
    [line({ content: 'half' }), { error: { message: 'out of memory' } }],
    { text: 'half', end: reported('out of memory') },
  ],
  ['a text that is a number', [line({ content: 42 }), done], { text: '42' }],
  ['the text "true" for done', [line({ content: 'ok' }), { done: 'true' }]],
  [
    'an event stream for lines',
    `data: ${JSON.stringify(line({ content: 'ok' }))}\n\ndata: ${JSON.stringify(done)}\n\n`,
  ],
  [
    'an end by network_error',
    [line({ content: 'ok' }), { ...done, done_reason: 'network_error' }],
    { text: 'ok', end: { type: 'finish', reason: 'refused', word: 'network_error' } },
  ],
  ['[DONE] for its only end', `${lines(line({ content: 'ok' }))}[DONE]\n`],
  ['no end at all', [line({ content: 'ok' })], { text: 'ok', end: CUT }],
  ['a line that breaks off', `${lines(line({ content: 'ok' }))}{"message":{"cont`, { text: 'ok', end: CUT }],
  ['one JSON over several lines', JSON.stringify({ ...done, message: { content: 'ok' } }, null, 2)],
  [
    'one call that is no list',
    [line({ tool_calls: { id: 7, function: { name: 'f', arguments: '{}' } } }), done],
    { calls: ['f {}'] },
  ],
  ['calls of nothing', [line({ content: 'ok', tool_calls: [null, {}] }), done]],
  [
    'arguments that are an empty list',
    [line({ tool_calls: [{ function: { name: 'f', arguments: [] } }] }), done],
    { calls: ['f {}'] },
  ],
]
