import type { Client } from '@modelcontextprotocol/client'
import { STEADY_MS, type McpTimes } from '../limits.ts'
import { pause } from '../seldom.ts'
import { isRefusal } from './refusal.ts'

/**
 * Has a server say when its tools are others, until `over`: since the revision of 2026-07-28 it does so only on a stream that
 * is open for that. One that ends is opened again, each time later. `changed` is also called when it is open, since nobody
 * told what changed before. Never rejects.
 */
export async function listenForTools(
  client: Client,
  { connectMs, retryMs, maxRetryMs }: McpTimes,
  over: AbortSignal,
  changed: () => void,
): Promise<void> {
  if (client.getProtocolEra() !== 'modern' || !client.getServerCapabilities()?.tools?.listChanged) return
  for (let failures = 0; !over.aborted;) {
    const since = performance.now()
    try {
      const stream = await client.listen({ toolsListChanged: true }, { timeout: connectMs, signal: over })
      changed()
      await stream.closed
    } catch (error) {
      if (await isRefusal(error, 'MethodNotFound')) return
    }
    failures = performance.now() - since > STEADY_MS ? 0 : failures + 1
    await pause(Math.min(maxRetryMs, retryMs * 2 ** failures), over)
  }
}
