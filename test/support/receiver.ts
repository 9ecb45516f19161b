import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { vi } from 'vitest'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver extends AsyncDisposable {
  readonly url: string
  /** The requests so far, once there are this many. */
  got(count: number): Promise<readonly Received[]>
  forget(): void
  /** Answers a later request with this status, one after another; others with 200. */
  answerNext(status: number, headers?: Readonly<Record<string, string>>): void
}

/** An HTTP server that takes webhooks and notices. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const answers: { readonly status: number; readonly headers: Readonly<Record<string, string>> }[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ path: request.url ?? '', headers: request.headers, body })
      const { status, headers } = answers.shift() ?? { status: 200, headers: {} }
      response.writeHead(status, headers).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    got: (count) =>
      vi.waitFor(
        () => {
          if (received.length < count) throw new Error(`${received.length} of ${count} requests came`)
          return [...received]
        },
        { timeout: 20_000 },
      ),
    forget: () => void received.splice(0),
    answerNext: (status, headers = {}) => void answers.push({ status, headers }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
