import { describe, expect, it } from 'vitest'
import { createModel, type Backend } from '../../../../src/adapters/models/index.ts'
import { eventStream } from '../../../support/hosted-wires.ts'
import { collect, sampleConfig, sampleRequest } from '../../../support/model-request.ts'
import { raw, startModelServer, type Script } from '../../../support/model-server.ts'

/** What a server reports: absent for no report at all. */
type Report = (tokens: { input: unknown; output: unknown; cached?: unknown } | undefined) => Script

const chunk = (rest: object): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...rest })}\n\n`

const chat: Report = (report) =>
  raw(
    chunk({ choices: [{ index: 0, delta: { content: 'ok' }, finish_reason: null }] }) +
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
      chunk({
        choices: [],
        usage: report && {
          prompt_tokens: report.input,
          completion_tokens: report.output,
          prompt_tokens_details: { cached_tokens: report.cached },
        },
      }) +
      'data: [DONE]\n\n',
  )

/** The answer "ok" of each backend with such a report. */
const ANSWERS: readonly (readonly [Backend, Report])[] = [
  ['openai', chat],
  ['openai-compatible', chat],
  [
    'anthropic',
    (report) =>
      eventStream(
        {
          type: 'message_start',
          message: {
            ...{ id: 'm', type: 'message', role: 'assistant', model: 'm', content: [] },
            usage: report && {
              input_tokens: report.input,
              output_tokens: 1,
              cache_read_input_tokens: report.cached,
            },
          },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ok' } },
        { type: 'content_block_stop', index: 0 },
        {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn', stop_sequence: null },
          usage: report && { output_tokens: report.output },
        },
        { type: 'message_stop' },
      ),
  ],
  [
    'gemini',
    (report) =>
      eventStream({
        candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }],
        usageMetadata: report && {
          promptTokenCount: report.input,
          candidatesTokenCount: report.output,
          cachedContentTokenCount: report.cached,
          promptTokensDetails: [{ modality: 'TEXT', tokenCount: report.input }],
        },
      }),
  ],
]

async function ask(backend: Backend, script: Script) {
  await using server = await startModelServer()
  server.play(script)
  const config = sampleConfig({ backend, endpoint: server.endpoint, apiKey: 'key' })
  return await collect(createModel(config).stream(sampleRequest(), new AbortController().signal))
}

describe.each(ANSWERS)('a usage that %s reports', (backend, answer) => {
  it('as text is read', async () => {
    const events = await ask(backend, answer({ input: '6934', output: '12' }))
    expect(events).toEqual([
      { type: 'text', text: 'ok' },
      { type: 'finish', reason: 'stop', usage: { input: 6934, output: 12 } },
    ])
    const cached = await ask(backend, answer({ input: '6934', output: '12', cached: '900' }))
    expect(cached.at(-1)).toMatchObject({ usage: { cached: 900 } })
  })

  it.each([
    ['of text that is no number', { input: 'Infinity', output: 'NaN' }],
    ['of another base', { input: '0x10', output: '1e3' }],
    ['of objects', { input: { a: 1 }, output: [2] }],
    ['of booleans', { input: true, output: false }],
    ['of nulls', { input: null, output: null }],
    ['that is missing', undefined],
  ])('%s is left out, and the answer is whole', async (_what, report) => {
    const events = await ask(backend, answer(report))
    expect(events).toEqual([
      { type: 'text', text: 'ok' },
      { type: 'finish', reason: 'stop' },
    ])
  })
})

/** Events that gateways add of their own. */
const OWN_EVENTS = [
  { usage: { prompt_tokens: 7, completion_tokens: 2 } },
  { price: 0.002 },
  { type: 'billing', cost: 1 },
  { note: 'no "choices": [] here', candidates: 1 },
  { choices: null },
  { error: null },
].map((event) => `data: ${JSON.stringify(event)}\n\n`)

it.each(['openai', 'openai-compatible'] as const)(
  'events without choices before, amid and after the answer leave that of %s whole',
  async (backend) => {
    const own = OWN_EVENTS.join('')
    const events = await ask(
      backend,
      raw(
        own +
          chunk({ choices: [{ index: 0, delta: { content: 'ok' }, finish_reason: null }] }) +
          own +
          chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
          `${own}data: [DONE]\n\n`,
      ),
    )
    expect(events.filter(({ type }) => type !== 'reported')).toEqual([
      { type: 'text', text: 'ok' },
      { type: 'finish', reason: 'stop', usage: { input: 7, output: 2 } },
    ])
  },
)
