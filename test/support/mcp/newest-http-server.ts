import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { createDeferred } from '../../../src/base/jobs/waiting.ts'
import { listenHere, sendJson } from '../listen.ts'
import { breakOff, type BrokenOff } from './http-server.ts'

interface Message {
  readonly id?: number | string
  readonly method: string
  readonly params?: {
    readonly name?: string
    readonly arguments?: { readonly how?: BrokenOff; readonly resultType?: string }
  }
}

const REVISION = '2026-07-28'

const property = (type: string, header?: string): object => ({
  type,
  ...(header === undefined ? {} : { 'x-mcp-header': header }),
})
const tool = (name: string, properties = {}): object => ({
  name,
  inputSchema: { type: 'object', properties },
})

/** An MCP server over HTTP that speaks the revision of 2026-07-28 alone, without any library. */
export async function startNewestHttpServer() {
  const seen: { method: string; headers: IncomingHttpHeaders }[] = []
  const listening = new Map<ServerResponse, Message['id']>()
  const left = createDeferred<void>()
  const tools = [
    tool('echo', {
      region: property('string', 'Region'),
      deep: { type: 'object', properties: { count: property('integer', 'Count') } },
      plain: property('string'),
    }),
    tool('hang'),
    tool('wrong', { a: property('number', 'A') }),
  ]

  const results = ({ method, params }: Message): object | undefined =>
    ({
      'server/discover': {
        supportedVersions: [REVISION],
        capabilities: { tools: { listChanged: true } },
        ttlMs: 0,
        cacheScope: 'private',
      },
      'tools/list': { tools, ttlMs: 0, cacheScope: 'private' },
      'tools/call': {
        content: [{ type: 'text', text: JSON.stringify(params?.arguments) }],
        ...(params?.arguments?.resultType ? { resultType: params.arguments.resultType } : {}),
      },
    })[method]

  const event = (response: ServerResponse, message: object): boolean =>
    response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)

  function listen(response: ServerResponse, id: Message['id']): void {
    listening.set(response.writeHead(200, { 'content-type': 'text/event-stream' }), id)
    response.once('close', () => listening.delete(response))
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
    event(response, {
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta, notifications: { toolsListChanged: true } },
    })
  }

  const server = createServer((request, response) => {
    void (async () => {
      if (request.method !== 'POST') return response.writeHead(405).end()
      const message = JSON.parse(await text(request)) as Message
      const { id, method, params } = message
      seen.push({ method, headers: request.headers })
      if (id === undefined) return response.writeHead(202).end()
      if (method === 'subscriptions/listen') return listen(response, id)
      if (params?.name === 'hang') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
        return response.once('close', left.resolve)
      }
      const how = params?.arguments?.how
      if (how !== undefined) return breakOff(response, how, die)
      const result = results(message)
      const answer = result
        ? { result: { resultType: 'complete', ...result } }
        : { error: { code: -32601, message: 'Method not found' } }
      return sendJson(response, result ? 200 : 404, { jsonrpc: '2.0', id, ...answer })
    })()
  })
  const { origin, [Symbol.asyncDispose]: die } = await listenHere(server)
  return {
    url: `${origin}/mcp`,
    /** What came, with its headers. */
    seen,
    /** Resolves when whoever called the tool `hang` went away. */
    left: left.promise,
    /** It has one tool more, and says so to all who listen. */
    grow() {
      tools.push(tool(`more_${tools.length}`))
      for (const [response, id] of listening)
        event(response, {
          method: 'notifications/tools/list_changed',
          params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
        })
    },
    /** It ends all streams of those who listen, without a word. */
    breakOff: () => listening.forEach((_, response) => response.destroy()),
    [Symbol.asyncDispose]: die,
  }
}
