import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { discoverOllamaModels } from '../../../../src/adapters/models/discover-ollama.ts'

const ollama = (body: string): Promise<{ endpoint: string } & AsyncDisposable> =>
  listening(
    createServer((request, response) => {
      response.statusCode = request.url === '/api/tags' ? 200 : 404
      response.end(body)
    }),
  )

async function listening(server: Server): Promise<{ endpoint: string } & AsyncDisposable> {
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
  const found = await discoverOllamaModels(server.endpoint)
  expect(found.map((model) => [model.name, model.model])).toEqual([
    ['qwen3', 'qwen3:8b'],
    ['llama3-8b', 'llama3:8b'],
    ['llama3-70b', 'llama3:70b'],
    ['big_model', 'hf.co/Some One/Big_Model:Q4'],
  ])
  for (const model of found) expect(model).toMatchObject({ backend: 'ollama', endpoint: server.endpoint })
})

test('a model that Ollama says cannot answer is left out, and one of which it says nothing is not', async () => {
  const shown: Readonly<Record<string, string>> = {
    'nomic-embed-text:latest': '{"capabilities":["embedding"]}',
    'qwen3:8b': '{"capabilities":["completion","tools"]}',
    'old:1b': '{"details":{}}',
    'odd:1b': 'not json',
  }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      if (request.url === '/api/tags') {
        const names = [...Object.keys(shown), 'silent:1b']
        response.end(JSON.stringify({ models: names.map((name) => ({ name })) }))
        return
      }
      const { model } = JSON.parse(body) as { model: string }
      if (model !== 'silent:1b') response.end(shown[model])
    })
  })
  await using endpoint = await listening(server)
  const found = await discoverOllamaModels(endpoint.endpoint)
  expect(found.map(({ model }) => model)).toEqual(['qwen3:8b', 'old:1b', 'odd:1b', 'silent:1b'])
})

test.each(['', 'not json', '{"models":"many"}', '[]'])(
  'what answers %j is not taken for Ollama',
  async (body) => {
    await using server = await ollama(body)
    expect(await discoverOllamaModels(server.endpoint)).toEqual([])
  },
)

test('where nothing listens there are no models', async () => {
  const server = await ollama('')
  await server[Symbol.asyncDispose]()
  expect(await discoverOllamaModels(server.endpoint)).toEqual([])
})
