import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createDeferred } from '../../../src/lib/deferred.ts'
import type { Json } from '../../../src/lib/json.ts'
import type { Stage } from '../server.ts'
import { sshArguments } from '../ssh.ts'

/** Somebody's agent: the protocol's own client, over a real `ssh` process. */
export interface TestAgent extends AsyncDisposable {
  readonly client: Client
  /** The process. */
  readonly pid: number
  /** Calls a tool. */
  call(
    name: string,
    args?: object,
    signal?: AbortSignal,
  ): Promise<{ readonly text: string; readonly isError: boolean; readonly data: Json | undefined }>
  /** All notifications so far. */
  readonly heard: readonly { readonly method: string; readonly params?: unknown }[]
  /** Resolves once a notification contains the text. */
  waitFor(text: string): Promise<unknown>
  /** Resolves once the client has lost its server. */
  readonly closed: Promise<void>
}

/** Joins somebody's agent. `modern`: it speaks the revision of 2026-07-28, else the one before. */
export async function openAgent(
  stage: Stage,
  name: string,
  options: { readonly modern?: true; readonly key?: string } = {},
): Promise<TestAgent> {
  const target = {
    user: name,
    port: stage.server.port,
    key: await stage.home.key(options.key ?? name),
    options: ['-o', 'LogLevel=ERROR'],
  }
  const transport = new StdioClientTransport({
    command: 'ssh',
    args: sshArguments(target, ['mcp', 'serve']),
    stderr: 'pipe',
  })
  const mode: ClientOptions = options.modern ? { versionNegotiation: { mode: 'auto' } } : {}
  const client = new Client({ name: 'test', version: '1' }, mode)
  const heard: { method: string; params?: unknown }[] = []
  const waiting = new Set<() => void>()
  client.fallbackNotificationHandler = async ({ method, params }) => {
    heard.push({ method, params })
    for (const look of waiting) look()
  }
  const closed = createDeferred<void>()
  Object.assign(client, { onclose: closed.resolve })
  await client.connect(transport)
  return {
    client,
    pid: transport.pid!,
    heard,
    closed: closed.promise,
    async call(tool, args = {}, signal) {
      const result = await client.callTool(
        { name: tool, arguments: { ...args } },
        signal === undefined ? {} : { signal },
      )
      const texts = result.content.map((part) => (part.type === 'text' ? part.text : ''))
      return {
        text: texts.join('\n'),
        isError: result.isError === true,
        data: result.structuredContent as Json | undefined,
      }
    },
    waitFor: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = heard.find((one) => JSON.stringify(one).includes(text))
          if (!found) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
    [Symbol.asyncDispose]: async () => await client.close(),
  }
}
