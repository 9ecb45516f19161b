import { CUT, failure, reported, sse, type Case } from './case.ts'

const candidate = (parts: unknown, rest: object = {}) => ({ candidates: [{ content: { parts }, ...rest }] })
const FINISH = { finishReason: 'STOP' }

export const GEMINI: readonly Case[] = [
  ['a text that is a number', [candidate([{ text: 5 }], FINISH)], { text: '5' }],
  ['a part that is null', [candidate([null, { text: 'ok' }], FINISH)]],
  ['odd ratings', [candidate([{ text: 'ok' }], { ...FINISH, safetyRatings: [{ category: 7 }] })]],
  ['a new kind of part', [candidate([{ video: {} }, { text: 'ok' }], FINISH)]],
  [
    'arguments that are text, or none',
    [
      candidate(
        [{ functionCall: { name: 'f', args: '{"q":1}' } }, { functionCall: { name: 'g', args: null } }],
        FINISH,
      ),
    ],
    { calls: ['f {"q":1}', 'g {}'] },
  ],
  [
    'an error in the middle',
    [candidate([{ text: 'half' }]), { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } }],
    { text: 'half', end: reported('Overloaded', true) },
  ],
  [
    'an answer over several lines in a list',
    JSON.stringify([candidate([{ text: 'o' }]), candidate([{ text: 'k' }], FINISH)], null, 2),
  ],
  ['a content that is null', [candidate([{ text: 'ok' }]), { candidates: [{ content: null, ...FINISH }] }]],
  ['one part that is no list', [candidate({ text: 'ok' }, FINISH)]],
  ['a part that is a text', [candidate(['ok'], FINISH)]],
  ['the finish reason in small letters', [candidate([{ text: 'ok' }], { finishReason: 'stop' })]],
  [
    'an end by a call of no tool',
    [candidate([], { finishReason: 'UNEXPECTED_TOOL_CALL' })],
    { end: failure(/could not read what the model wrote/, true) },
  ],
  [
    'an unspecified finish reason',
    [
      candidate([{ text: 'o' }], { finishReason: 'FINISH_REASON_UNSPECIFIED' }),
      candidate([{ text: 'k' }], FINISH),
    ],
  ],
  [
    'events without candidates',
    [
      { usageMetadata: { promptTokenCount: 3 } },
      {},
      candidate([{ text: 'ok' }], FINISH),
      { modelVersion: 'x' },
    ],
  ],
  ['carriage returns alone', sse(candidate([{ text: 'ok' }], FINISH)).replaceAll('\n', '\r')],
  ['[DONE] for its only end', `${sse(candidate([{ text: 'ok' }]))}data: [DONE]\n\n`],
  ['no end at all', [candidate([{ text: 'ok' }])], { text: 'ok', end: CUT }],
  [
    'an id that is a number and arguments that are an empty list',
    [candidate([{ functionCall: { id: 7, name: 'f', args: [] } }], FINISH)],
    { calls: ['f {}'] },
  ],
]
