import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import type { Json } from '../../../src/base/json.ts'
import { createWaiting } from '../waiting.ts'

/** The protocol's own client as somebody's agent, whatever it speaks over. */
export type AgentClient = ReturnType<typeof createAgentClient>

/** One that is not connected yet. `modern`: it speaks the revision of 2026-07-28, else the one before. */
export function createAgentClient({ modern }: { readonly modern?: true }) {
  const mode: ClientOptions = modern ? { versionNegotiation: { mode: 'auto' } } : {}
  const client = new Client({ name: 'test', version: '1' }, mode)
  const heard: { method: string; params?: unknown }[] = []
  const { changed, until } = createWaiting()
  client.fallbackNotificationHandler = async ({ method, params }) => {
    heard.push({ method, params })
    changed()
  }
  return {
    client,
    heard,
    async call(
      name: string,
      args: object = {},
      signal?: AbortSignal,
    ): Promise<{ readonly text: string; readonly isError: boolean; readonly data: Json | undefined }> {
      const call = { name, arguments: { ...args } }
      const result = await client.callTool(call, signal === undefined ? {} : { signal })
      const texts = result.content.map((part) => (part.type === 'text' ? part.text : ''))
      return {
        text: texts.join('\n'),
        isError: result.isError === true,
        data: result.structuredContent as Json | undefined,
      }
    },
    waitFor: (text: string) => until(() => heard.find((one) => JSON.stringify(one).includes(text))),
    [Symbol.asyncDispose]: async () => await client.close(),
  }
}
