import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenHere, sendJson } from '../listen.ts'

export interface Message {
  readonly id?: number
  readonly method: string
  readonly params?: {
    readonly protocolVersion?: string
    readonly arguments?: { readonly how?: BrokenOff }
    readonly name?: string
  }
}

/** How the answer to a call breaks off that has these as an argument: `begun` has an event before, with an id to go on from. */
export type BrokenOff = 'end' | 'destroy' | 'begun' | 'die'

/** Begins a stream of events, in which no answer comes. */
export function breakOff(response: ServerResponse, how: BrokenOff, die: () => Promise<void>): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(how === 'begun' ? 'id: 7\nretry: 1\ndata: \n\n' : ': soon\n\n', () => {
    if (how === 'die') void die()
    else if (how === 'destroy') response.destroy()
    else response.end()
  })
}

/** As a message of JSON-RPC; undefined for a notification. */
function answerTo({ id, method, params }: Message): object | undefined {
  if (id === undefined) return undefined
  const results: Record<string, object> = {
    initialize: helloOf('http', params),
    'tools/list': { tools: ['echo', 'huge'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
    'tools/call': { content: [{ type: 'text', text: said(params) }] },
  }
  return { jsonrpc: '2.0', id, result: results[method] ?? {} }
}

/** What an MCP server of an older revision answers to `initialize`. */
export const helloOf = (name: string, params: Message['params']) => ({
  protocolVersion: params?.protocolVersion,
  capabilities: { tools: {} },
  serverInfo: { name, version: '1' },
})

const said = (params: Message['params']): string =>
  params?.name === 'huge' ? 'x'.repeat(8 * 1024 * 1024) : JSON.stringify(params?.arguments)

/**
 * `streamable`: one address that takes messages by POST; `events`: it answers them by a stream of events. `older`: answers come as events of a GET.
 * `unknown`: what it does with a request that came with the revision of 2026-07-28, where that is not a refusal.
 */
export async function startHttpMcpServer(
  kind: 'streamable' | 'events' | 'older',
  unknown?: 'hangs' | 'fails' | 'breaks off',
) {
  const seen: string[] = []
  let events: ServerResponse | undefined

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    if (kind === 'older' && method === 'GET') {
      events = response.writeHead(200, { 'content-type': 'text/event-stream' })
      events.write('event: endpoint\ndata: /messages\n\n')
      return
    }
    if (method !== 'POST' || (kind === 'older' && url !== '/messages')) {
      response.writeHead(405).end()
      return
    }
    const message = JSON.parse(await text(request)) as Message
    seen.push(`${method} ${message.method} ${headers.authorization}`)
    if (message.method === 'server/discover' && unknown !== undefined) {
      if (unknown === 'fails') response.writeHead(500).end('TypeError')
      if (unknown === 'breaks off') response.destroy()
      return
    }
    const how = message.params?.arguments?.how
    if (how !== undefined) return breakOff(response, how, die)
    const answer = answerTo(message)
    if (kind === 'older' && answer) events?.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`)
    const event = `event: message\ndata: ${JSON.stringify(answer)}\n\n`
    if (kind === 'older' || !answer) response.writeHead(202).end()
    else if (kind === 'events') response.writeHead(200, { 'content-type': 'text/event-stream' }).end(event)
    else sendJson(response, 200, answer)
  }

  const server = createServer((request, response) => void handle(request, response))
  const { origin, [Symbol.asyncDispose]: die } = await listenHere(server)
  return {
    url: `${origin}/mcp`,
    /** What came: `POST tools/call Bearer x`. */
    seen,
    /** From now on every connection is refused, as when it had died. */
    die,
    [Symbol.asyncDispose]: die,
  }
}
