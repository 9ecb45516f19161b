import { CALLS, CUT, reported, sse, type Case } from './case.ts'

const candidate = (parts: unknown, rest: object = {}) => ({ candidates: [{ content: { parts }, ...rest }] })
const FINISH = { finishReason: 'STOP' }

export const GEMINI: readonly Case[] = [
  { name: 'a text that is a number', events: [candidate([{ text: 5 }], FINISH)], text: '5' },
  { name: 'a part that is null', events: [candidate([null, { text: 'ok' }], FINISH)], text: 'ok' },
  {
    name: 'odd ratings',
    events: [candidate([{ text: 'ok' }], { ...FINISH, safetyRatings: [{ category: 7 }] })],
    text: 'ok',
  },
  { name: 'a new kind of part', events: [candidate([{ video: {} }, { text: 'ok' }], FINISH)], text: 'ok' },
  {
    name: 'arguments that are text, or none',
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
    name: 'an error in the middle',
    events: [
      candidate([{ text: 'half' }]),
      { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } },
    ],
    text: 'half',
    end: reported('Overloaded', true),
  },

  {
    name: 'an answer over several lines in a list',
    bytes: JSON.stringify([candidate([{ text: 'o' }]), candidate([{ text: 'k' }], FINISH)], null, 2),
    text: 'ok',
  },
  {
    name: 'a content that is null',
    events: [candidate([{ text: 'ok' }]), { candidates: [{ content: null, ...FINISH }] }],
    text: 'ok',
  },
  { name: 'one part that is no list', events: [candidate({ text: 'ok' }, FINISH)], text: 'ok' },
  { name: 'a part that is a text', events: [candidate(['ok'], FINISH)], text: 'ok' },
  {
    name: 'the finish reason in small letters',
    events: [candidate([{ text: 'ok' }], { finishReason: 'stop' })],
    text: 'ok',
  },
  {
    name: 'an unspecified finish reason',
    events: [
      candidate([{ text: 'o' }], { finishReason: 'FINISH_REASON_UNSPECIFIED' }),
      candidate([{ text: 'k' }], FINISH),
    ],
    text: 'ok',
  },
  {
    name: 'events without candidates',
    events: [
      { usageMetadata: { promptTokenCount: 3 } },
      {},
      candidate([{ text: 'ok' }], FINISH),
      { modelVersion: 'x' },
    ],
    text: 'ok',
  },
  {
    name: '[DONE] for its only end',
    bytes: `${sse(candidate([{ text: 'ok' }]))}data: [DONE]\n\n`,
    text: 'ok',
  },
  { name: 'no end at all', events: [candidate([{ text: 'ok' }])], text: 'ok', end: CUT },
  {
    name: 'an id that is a number and arguments that are an empty list',
    events: [candidate([{ functionCall: { id: 7, name: 'f', args: [] } }], FINISH)],
    calls: ['f {}'],
    end: CALLS,
  },
]
