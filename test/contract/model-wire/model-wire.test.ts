import { expect, test } from 'vitest'
import { createModel, type Backend, type ModelConfig } from '../../../src/models/providers.ts'
import { errorText } from '../../../src/models/loose.ts'
import type { ModelEvent } from '../../../src/wrap/loop/model.ts'
import { sampleConfig, sampleRequest } from '../../support/model-request.ts'
import { startModelServer, type Script } from '../../support/model-server.ts'
import { ANTHROPIC } from './anthropic-cases.ts'
import { lines, sse, type Case, type Response } from './case.ts'
import { CHAT } from './chat-cases.ts'
import { ERRORS } from './error-cases.ts'
import { GEMINI } from './gemini-cases.ts'
import { OLLAMA } from './ollama-cases.ts'
import { RESPONSES } from './responses-cases.ts'

// Answers of servers as people run them, which do not keep to the documentation of their protocol.

const BACKENDS = ['openai', 'openai-compatible', 'llamacpp', 'anthropic', 'gemini', 'ollama'] as const

const CHAT_BACKENDS = BACKENDS.slice(0, 3)

/** A backend, or OpenAI's other API. */
type Wire = Backend | 'responses'

const TABLE: readonly (readonly [Wire, Case])[] = [
  ...RESPONSES.map((one) => ['responses', one] as const),
  ...CHAT_BACKENDS.flatMap((backend) => CHAT.map((one) => [backend, one] as const)),
  ...ANTHROPIC.map((one) => ['anthropic', one] as const),
  ...GEMINI.map((one) => ['gemini', one] as const),
  ...OLLAMA.map((one) => ['ollama', one] as const),
  ...([...BACKENDS, 'responses'] as const).flatMap((backend) => ERRORS.map((one) => [backend, one] as const)),
]

function bodyOf(backend: Wire, sent: Case[1]): string {
  if (Array.isArray(sent)) return (backend === 'ollama' ? lines : sse)(...(sent as readonly object[]))
  return typeof sent === 'string' ? sent : JSON.stringify(sent)
}

const send =
  (backend: Wire, sent: Case[1], { status = 200, headers = {} }: Response = {}): Script =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/event-stream', ...headers })
    response.end(bodyOf(backend, sent))
  }

/** All that a model does with this answer: its texts put together, then its end or failure. */
async function readingOf(wire: Wire, script: Script, apiKey = 'key-of-this-server') {
  await using server = await startModelServer()
  server.play(script)
  const backend: Pick<ModelConfig, 'backend' | 'api'> =
    wire === 'responses' ? { backend: 'openai', api: 'responses' } : { backend: wire }
  const model = createModel(sampleConfig({ ...backend, endpoint: server.endpoint, apiKey }))
  const events: ModelEvent[] = []
  let end: unknown
  try {
    for await (const event of model.stream(sampleRequest({}, 'f'), new AbortController().signal))
      events.push(event)
    end = events.at(-1)
  } catch (error) {
    end = error
  }
  const joined = (type: 'text' | 'thinking'): string =>
    events.map((event) => (event.type === type ? event.text : '')).join('')
  const calls = events.flatMap((event) =>
    event.type === 'call' ? `${event.call.name} ${event.call.arguments}` : [],
  )
  return { text: joined('text'), thinking: joined('thinking'), calls, end }
}

test.each(TABLE.map(([backend, [name, ...one]]) => ({ backend, name, one })))(
  'the $backend adapter reads an answer with $name',
  async ({
    backend,
    one: [sent, { text = '', thinking = '', calls = [], ...given } = { text: 'ok' }, response],
  }) => {
    const { end = { type: 'finish', reason: calls.length > 0 ? 'calls' : 'stop' } } = given
    const read = await readingOf(backend, send(backend, sent, response), response?.apiKey)
    const { message } = end as { readonly message?: unknown }
    const expected = message instanceof RegExp ? { ...end, message: expect.stringMatching(message) } : end
    // OpenAI itself sends no thoughts, so its SDK reads none.
    const thoughts = backend === 'openai' ? {} : { thinking }
    expect(read).toMatchObject({ text, ...thoughts, calls, end: expected })
  },
)

test.each(BACKENDS)(
  'a %s connection that breaks before the first event is billed as one prompt',
  async (backend) => {
    const read = await readingOf(backend, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      response.socket?.end()
    })
    expect(read.end).toMatchObject({ retryable: true, begun: true })
  },
)

test('an error without a message is searched without exponential time', () => {
  // Each would take 7^8 calls, which together outlast the time of a test.
  for (let count = 0; count < 200; count++) expect(errorText({ code: count + 1 })).toBeUndefined()
})
