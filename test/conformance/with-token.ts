import { createServer, request } from 'node:http'
import { listenHere } from '../support/listen.ts'

/** An HTTP server that passes each request on as it came, with a token: the suite has no way to bring one. */
export async function startTokenProxy() {
  let target: { readonly base: URL; readonly token: string } | undefined
  const server = createServer((asked, answered) => {
    if (!target) return void answered.writeHead(503).end()
    const { hostname, port } = target.base
    const headers = { ...asked.headers, authorization: `Bearer ${target.token}` }
    const passed = request({ hostname, port, path: asked.url, method: asked.method, headers }, (response) => {
      answered.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answered)
    })
    passed.on('error', () => answered.destroy())
    answered.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  return {
    ...(await listenHere(server)),
    /** From now on requests go to this server. */
    sendTo: (base: string, token: string) => void (target = { base: new URL(base), token }),
  }
}
