import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { vi } from 'vitest'
import { listenHere } from './listen.ts'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** An HTTP server that takes webhooks and notices. `before` delays the answer to a request with this body. */
export async function startReceiver(before: (body: string) => Promise<void> | void = () => {}) {
  const received: Received[] = []
  const answers: { readonly status: number; readonly headers: Readonly<Record<string, string>> }[] = []
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      received.push({ path: request.url ?? '', headers: request.headers, body })
      await before(body)
      const { status, headers } = answers.shift() ?? { status: 200, headers: {} }
      response.writeHead(status, headers).end()
    })
  })
  const { origin, [Symbol.asyncDispose]: end } = await listenHere(server)
  return {
    url: origin,
    /** The requests so far, once there are this many. */
    got: (count: number): Promise<readonly Received[]> =>
      vi.waitFor(
        () => {
          if (received.length < count) throw new Error(`${received.length} of ${count} requests came`)
          return [...received]
        },
        { timeout: 20_000 },
      ),
    forget: () => void received.splice(0),
    /** Answers a later request with this status, one after another; others with 200. */
    answerNext: (status: number, headers: Readonly<Record<string, string>> = {}) =>
      void answers.push({ status, headers }),
    [Symbol.asyncDispose]: end,
  }
}
