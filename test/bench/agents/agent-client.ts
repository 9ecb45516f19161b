import { createInterface } from 'node:readline'
import type { ClientChannel } from 'ssh2'
import { createDeferred } from '../../../src/base/jobs/waiting.ts'
import { login, type ClientTarget } from '../../support/load/client.ts'

/** One agent on a connection of its own: `mcp serve` with a message on each line, and no more of a client than that. */
export type AgentClient = Awaited<ReturnType<typeof openAgentClient>>

/** What the server sends, as far as this bench reads it. */
interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: { readonly isError?: boolean; readonly content?: unknown }
  readonly error?: unknown
}

/** Logs in and says hello. `heard` is given each notification as its line. */
export async function openAgentClient(target: ClientTarget, heard: (line: string) => void) {
  const client = await login(target)
  const channel = await new Promise<ClientChannel>((resolve, reject) => {
    client.ssh.exec('mcp serve', (error, opened) => (error ? reject(error) : resolve(opened)))
  })
  const waiting = new Map<number, ReturnType<typeof createDeferred<unknown>>>()
  let lastId = 0
  createInterface({ input: channel }).on('line', (line) => {
    if (line.includes('"method":"notifications/')) return heard(line)
    const { id = 0, result, error } = JSON.parse(line) as Message
    const answer = waiting.get(id)
    waiting.delete(id)
    if (error !== undefined || result?.isError) answer?.reject(new Error(line))
    else answer?.resolve(result)
  })
  void client.closed.then(() => {
    for (const answer of waiting.values()) answer.reject(new Error(`${target.name}'s agent has ended`))
  })
  const request = async (method: string, params: object): Promise<unknown> => {
    const answer = createDeferred<unknown>()
    const id = ++lastId
    waiting.set(id, answer)
    channel.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return await answer.promise
  }
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  })
  channel.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  return {
    name: target.name,
    /** Resolves with the result; rejects with the error that the server answered, or where the agent has ended. */
    call: (tool: string, args: object): Promise<unknown> =>
      request('tools/call', { name: tool, arguments: args }),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}
