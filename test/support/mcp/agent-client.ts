import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import type { Json } from '../../../src/lib/json.ts'

/** The protocol's own client as somebody's agent, whatever it speaks over. */
export interface AgentClient extends AsyncDisposable {
  readonly client: Client
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
}

/** One that is not connected yet. `modern`: it speaks the revision of 2026-07-28, else the one before. */
export function createAgentClient({ modern }: { readonly modern?: true }): AgentClient {
  const mode: ClientOptions = modern ? { versionNegotiation: { mode: 'auto' } } : {}
  const client = new Client({ name: 'test', version: '1' }, mode)
  const heard: { method: string; params?: unknown }[] = []
  const waiting = new Set<() => void>()
  client.fallbackNotificationHandler = async ({ method, params }) => {
    heard.push({ method, params })
    for (const look of waiting) look()
  }
  return {
    client,
    heard,
    async call(name, args = {}, signal) {
      const call = { name, arguments: { ...args } }
      const result = await client.callTool(call, signal === undefined ? {} : { signal })
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
