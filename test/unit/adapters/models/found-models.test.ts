import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { findOllamaModels } from '../../../../src/adapters/models/found-models.ts'

async function ollama(body: string): Promise<{ endpoint: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/api/tags' ? 200 : 404
    response.end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('every model that Ollama has can be mentioned, under the shortest name that is its own', async () => {
  const names = ['qwen3:8b', 'llama3:8b', 'llama3:70b', 'hf.co/Some One/Big_Model:Q4']
  await using server = await ollama(JSON.stringify({ models: names.map((name) => ({ name, size: 1 })) }))
  const found = await findOllamaModels(server.endpoint)
  expect(found.map((model) => [model.name, model.model])).toEqual([
    ['qwen3', 'qwen3:8b'],
    ['llama3-8b', 'llama3:8b'],
    ['llama3-70b', 'llama3:70b'],
    ['big_model', 'hf.co/Some One/Big_Model:Q4'],
  ])
  for (const model of found) expect(model).toMatchObject({ backend: 'ollama', endpoint: server.endpoint })
})

test.each(['', 'not json', '{"models":"many"}', '[]'])(
  'what answers %j is not taken for Ollama',
  async (body) => {
    await using server = await ollama(body)
    expect(await findOllamaModels(server.endpoint)).toEqual([])
  },
)

test('where nothing listens there are no models', async () => {
  const server = await ollama('')
  await server[Symbol.asyncDispose]()
  expect(await findOllamaModels(server.endpoint)).toEqual([])
})
