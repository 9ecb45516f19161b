import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createModel } from '../../../../src/adapters/models/index.ts'
import { collect, sampleRequest, textOf } from '../../../support/model-request.ts'
import { says, startModelServer } from '../../../support/model-server.ts'
import { modelOf } from '../../../support/sent-requests.ts'

/** An HTTP proxy that leads every tunnel to `port`, whatever host it is for. */
async function startHttpProxy(port: number) {
  const hosts: string[] = []
  const proxy = createServer().on('connect', (request, client) => {
    hosts.push(request.url ?? '')
    const server = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      client.pipe(server).pipe(client)
    })
    for (const socket of [client, server]) socket.on('error', () => socket.destroy())
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return {
    hosts,
    address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => void proxy.close(),
  }
}

async function say(endpoint: string, env: Record<string, string>): Promise<string> {
  const model = createModel(
    modelOf(`backend = "openai-compatible"\nmodel = "m-1"\nendpoint = "${endpoint}"`, env),
  )
  return textOf(await collect(model.stream(sampleRequest(), new AbortController().signal)))
}

test('a model is reached through the proxy of the environment', async () => {
  await using server = await startModelServer()
  using proxy = await startHttpProxy(Number(new URL(server.endpoint).port))
  server.play(says('hello'))
  expect(await say('http://models.example.org:8000', { HTTP_PROXY: proxy.address })).toBe('hello')
  expect(proxy.hosts).toEqual(['models.example.org:8000'])
})

test('a model on this machine is reached without the proxy', async () => {
  await using server = await startModelServer()
  using proxy = await startHttpProxy(Number(new URL(server.endpoint).port))
  server.play(says('hello'))
  expect(await say(server.endpoint, { HTTP_PROXY: proxy.address, HTTPS_PROXY: proxy.address })).toBe('hello')
  expect(proxy.hosts).toEqual([])
})

test('a host of NO_PROXY is reached without the proxy', async () => {
  const env = { https_proxy: 'http://127.0.0.1:9', NO_PROXY: 'models.invalid' }
  await expect(say('http://models.invalid', env)).rejects.toThrow(
    /there is no host at http:\/\/models\.invalid/,
  )
})
