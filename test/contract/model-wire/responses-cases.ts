import { CUT, sse, type Case } from './case.ts'

const started = { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } }
const completed = (...output: readonly object[]) => ({ type: 'response.completed', response: { output } })
const part = (text: string) => ({ type: 'output_text', text })
const message = (...content: readonly object[]) => ({ type: 'message', id: 'm', content })
const delta = (text: string) => ({ type: 'response.output_text.delta', item_id: 'm', delta: text })
const textDone = (text: string) => ({ type: 'response.output_text.done', item_id: 'm', text })
const partDone = (one: object) => ({ type: 'response.content_part.done', item_id: 'm', part: one })
const itemDone = (item: object) => ({ type: 'response.output_item.done', item })
const call = { type: 'function_call', id: 'i', call_id: 'c', name: 'f', arguments: '{"q":1}' }
const thought = {
  type: 'reasoning',
  id: 't',
  summary: [{ type: 'summary_text', text: 'hm' }],
}

/** OpenAI's Responses API and its proxies. */
export const RESPONSES: readonly Case[] = [
  ['a text only in its done item', [started, itemDone(message(part('ok'))), completed()]],
  ['a text only in its done part', [started, partDone(part('ok')), completed()]],
  ['a text only in its done text', [started, textDone('ok'), completed()]],
  ['a text only in its last event', [started, completed(message(part('ok')))]],
  [
    'a text in all places',
    [
      started,
      delta('o'),
      delta('k'),
      textDone('ok'),
      partDone(part('ok')),
      itemDone(message(part('ok'))),
      completed(message(part('ok'))),
    ],
  ],
  ['a text of which a delta is missing', [started, delta('o'), itemDone(message(part('ok'))), completed()]],
  [
    'two messages, of which only the first has deltas',
    [started, delta('o'), itemDone(message(part('o'))), itemDone(message(part('k'))), completed()],
  ],
  ['two parts in its done item', [started, itemDone(message(part('o'), part('k'))), completed()]],
  ['two done parts', [started, partDone(part('o')), partDone(part('k')), completed()]],
  [
    'a done part of a thought',
    [started, partDone({ type: 'reasoning_text', text: 'hm' }), delta('ok'), completed()],
  ],
  [
    'a refusal only in its done item',
    [started, itemDone(message({ type: 'refusal', refusal: 'No.' })), completed()],
    { text: 'No.' },
  ],
  [
    'a thought only in its done item',
    [started, itemDone(thought), delta('ok'), completed()],
    { text: 'ok', thinking: 'hm' },
  ],
  ['a call in both places', [started, itemDone(call), completed(call)], { calls: ['f {"q":1}'] }],
  ['a call only in its last event', [started, completed(call)], { calls: ['f {"q":1}'] }],
  [
    'a thought only in its last event',
    [started, delta('ok'), completed(thought, message(part('ok')))],
    { text: 'ok', thinking: 'hm' },
  ],
  [
    'a thought in all places',
    [
      started,
      { type: 'response.reasoning_summary_text.delta', item_id: 't', delta: 'hm' },
      itemDone(thought),
      itemDone(message(part('ok'))),
      completed(thought, message(part('ok'))),
    ],
    { text: 'ok', thinking: 'hm' },
  ],
  [
    'one JSON for a stream',
    {
      object: 'response',
      status: 'completed',
      output: [message(part('ok'))],
      usage: { input_tokens: 3, output_tokens: 1 },
    },
    { text: 'ok', end: { reason: 'stop', usage: { input: 3, output: 1 } } },
  ],
  [
    'a cancelled end',
    [started, delta('half'), { type: 'response.cancelled', response: {} }],
    { text: 'half', end: { type: 'finish', reason: 'refused', word: 'cancelled' } },
  ],
  ['carriage returns alone', sse(started, delta('ok'), completed()).replaceAll('\n', '\r')],
  ['no end at all', [started, delta('ok')], { text: 'ok', end: CUT }],
]
