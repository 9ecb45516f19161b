import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenHere, sendJson } from '../listen.ts'
import { helloOf, type Message } from './http-server.ts'

/** Many servers of the Model Context Protocol behind one port, with tools as people have them. */
export type ManyMcpServers = Awaited<ReturnType<typeof startManyMcpServers>>

const VERBS = 'create list delete update search merge archive export fetch assign'.split(' ')
const THINGS =
  'issue,invoice,calendar event,customer,pull request,photo,shipment,ticket,playlist,sensor reading,database table,employee,recipe,flight'.split(
    ',',
  )

/** About 140 tokens each. */
function toolsOf(server: number, count: number): readonly object[] {
  return Array.from({ length: count }, (_, at) => {
    const verb = VERBS[at % VERBS.length]!
    const thing = THINGS[(server * 7 + at) % THINGS.length]!
    return {
      name: `${verb}_${thing.replaceAll(' ', '_')}_${at}`,
      description: `Can ${verb} a ${thing} in system ${server}. Use this when the user wants to ${verb} a ${thing}. Returns the ${thing} with its id, its state and its history; pages by cursor.`,
      annotations: { readOnlyHint: true, openWorldHint: false },
      inputSchema: {
        type: 'object',
        properties: {
          id: { type: 'string', description: `The id of the ${thing}` },
          limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many at most' },
          filter: {
            type: 'object',
            properties: {
              state: { type: 'string', enum: ['open', 'closed', 'all'] },
              owner: { type: 'string', description: 'Only of this owner' },
            },
          },
        },
        required: ['id'],
      },
    }
  })
}

/** Starts `servers` of them, with `tools` in all. */
export async function startManyMcpServers(servers: number, tools: number) {
  const called: string[] = []
  const resultOf = (server: number, { method, params }: Message): object => {
    if (method === 'initialize') return helloOf(`srv${server}`, params)
    if (method === 'tools/list')
      return { tools: toolsOf(server, Math.floor(tools / servers) + Number(server <= tools % servers)) }
    if (method !== 'tools/call') return {}
    called.push(params?.name ?? '')
    return { content: [{ type: 'text', text: `did ${params?.name}` }] }
  }
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request)
      const number = Number(/^\/s(\d+)\//.exec(request.url ?? '')?.[1])
      if (request.method !== 'POST') return response.writeHead(405).end()
      const message = JSON.parse(body) as Message
      const { id } = message
      if (id === undefined) return response.writeHead(202).end()
      return sendJson(response, 200, { jsonrpc: '2.0', id, result: resultOf(number, message) })
    })()
  })
  const { origin, [Symbol.asyncDispose]: end } = await listenHere(server)
  const entry = (at: number): string =>
    `[[mcp]]\nname = "srv${at}"\nurl = "${origin}/s${at}/mcp"\ntrust = "annotations"\n`
  return {
    /** Of the config: an `[[mcp]]` for each, `srv1`, `srv2` … */
    config: Array.from({ length: servers }, (_, at) => entry(at + 1)).join(''),
    /** Names of the tools that were called, as the servers know them. */
    called,
    [Symbol.asyncDispose]: end,
  }
}
