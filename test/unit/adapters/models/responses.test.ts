import { expect, test } from 'vitest'
import { createModel } from '../../../../src/adapters/models/index.ts'
import { eventStream, responsesAnswer, responsesWire } from '../../../support/hosted-wires.ts'
import { collect, sampleConfig, sampleRequest } from '../../../support/model-request.ts'
import { startModelServer, status, type Script } from '../../../support/model-server.ts'

async function ask(script: Script, change: Parameters<typeof sampleConfig>[0] = {}) {
  await using server = await startModelServer()
  server.play(script)
  const model = createModel(
    sampleConfig({ backend: 'openai', api: 'responses', endpoint: server.endpoint, ...change }),
  )
  return await collect(model.stream(sampleRequest({}, 'Grep'), new AbortController().signal))
}

test('a call in a Responses stream is read with its usage', async () => {
  expect(await ask(responsesWire.calls('Grep', { q: 'x' }))).toMatchObject([
    { type: 'call', call: { id: 'call_1', name: 'Grep', arguments: '{"q":"x"}' } },
    { type: 'finish', reason: 'calls', usage: { input: 21, cached: 5, output: 9 } },
  ])
})

test('a thought in a Responses stream keeps its encrypted content', async () => {
  const item = { type: 'reasoning', id: 'rs_1', summary: [] }
  const events = await ask(
    responsesAnswer(
      { type: 'response.output_item.added', item },
      { type: 'response.reasoning_summary_text.delta', item_id: 'rs_1', summary_index: 0, delta: 'hm' },
      { type: 'response.output_item.done', item: { ...item, encrypted_content: 'sealed' } },
    ),
  )
  expect(events).toMatchObject([
    { type: 'thinking', text: 'hm' },
    { thought: { text: 'hm', providerData: { openai: { reasoningEncryptedContent: 'sealed' } } } },
    { type: 'finish', reason: 'stop' },
  ])
})

test('a Responses stream that is cut is an error', async () => {
  await expect(ask(eventStream({ type: 'response.created', response: {} }))).rejects.toThrow()
})

test('a failed response says why', async () => {
  const failed = { type: 'response.failed', response: { error: { code: 'x', message: 'out of luck' } } }
  await expect(ask(eventStream(failed))).rejects.toThrow(/out of luck/)
})

test.each([
  [404, 'This model is only supported in v1/responses', /api = "responses"/],
  [400, 'API key not valid. Please pass a valid API key.', /wants a key/],
  [400, 'Your credit balance is too low to access the API', /no credit left/],
])('a refusal with status %i and %j is told as what it is', async (code, message, sentence) => {
  await expect(ask(status(code, message), { api: 'chat' })).rejects.toThrow(sentence)
})

test('a malformed call of Gemini may be tried again', async () => {
  const script = eventStream({ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] })
  await expect(ask(script, { backend: 'gemini', api: 'chat' })).rejects.toMatchObject({ retryable: true })
})
