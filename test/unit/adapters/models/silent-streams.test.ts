import { describe, expect, it } from 'vitest'
import { createModel, type Backend } from '../../../../src/adapters/models/index.ts'
import { MODEL_LIMITS } from '../../../../src/adapters/models/provider.ts'
import { collectGarbage } from '../../../support/collect-garbage.ts'
import { eventStream } from '../../../support/hosted-wires.ts'
import { sampleConfig, sampleRequest } from '../../../support/model-request.ts'
import { fallsSilent, startModelServer, type Script } from '../../../support/model-server.ts'
import { part } from '../../../support/ollama-wire.ts'

/** Sends what `script` sends, and leaves the answer open. */
const leavesOpen =
  (script: Script): Script =>
  (response, request) =>
    script(Object.assign(response, { end: (bytes: string) => response.write(bytes) }), request)

const line: Script = (response) => {
  response.writeHead(200)
  response.write(`${JSON.stringify(part({ content: 'half' }))}\n`)
}

/** How each backend's server begins an answer and then says no more. */
const BEGINNINGS: readonly (readonly [Backend, Script])[] = [
  ['ollama', line],
  ['llamacpp', fallsSilent('half')],
  ['openai-compatible', fallsSilent('half')],
  ['openai', fallsSilent('half')],
  [
    'anthropic',
    leavesOpen(
      eventStream(
        { type: 'message_start', message: { id: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'half' } },
      ),
    ),
  ],
  ['gemini', leavesOpen(eventStream({ candidates: [{ content: { parts: [{ text: 'half' }] } }] }))],
]

/** Reads the first words of an answer, and then collects all that nothing holds any more. */
async function begin(backend: Backend, script: Script, limits = MODEL_LIMITS) {
  const server = await startModelServer()
  server.always(script)
  const stop = new AbortController()
  const config = sampleConfig({ backend, endpoint: server.endpoint, apiKey: 'key' })
  const events = createModel(config, limits).stream(sampleRequest(), stop.signal)[Symbol.asyncIterator]()
  expect(await events.next()).toMatchObject({ value: { type: 'text', text: 'half' } })
  await collectGarbage()
  await new Promise(setImmediate)
  await collectGarbage()
  return { server, stop, next: () => events.next() }
}

describe('an answer that falls silent in its middle, after the garbage collector ran', () => {
  it.each(BEGINNINGS)('of %s ends with its signal, and its connection is closed', async (backend, script) => {
    const { server, stop, next } = await begin(backend, script)
    await using _ = server
    const waiting = next()
    const reason = new Error('stopped')
    stop.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await server.abandoned()
  })

  it('is given up when the silence lasts too long', async () => {
    const limits = { ...MODEL_LIMITS, idleMs: 500 }
    const { server, next } = await begin('openai-compatible', fallsSilent('half'), limits)
    await using _ = server
    await expect(next()).rejects.toThrow('qwen: the server fell silent in the middle; it was given up')
    await server.abandoned()
  })
})
