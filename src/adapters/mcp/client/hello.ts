import type { VersionNegotiationOptions } from '@modelcontextprotocol/client'
import type { McpTimes } from './limits.ts'

/**
 * How a server is greeted. `any`: with `server/discover`, as servers since the revision of 2026-07-28 want it, and where it
 * answers that it does not know this, with `initialize`. `older`: with `initialize` alone. `newest`: with `server/discover` alone.
 */
export type Hello = 'any' | 'older' | 'newest'

/** The first revision without `initialize`. */
const NEWEST = '2026-07-28'

/** What the SDK does for it. */
export function negotiationOf(hello: Hello, { discoverMs, connectMs }: McpTimes): VersionNegotiationOptions {
  if (hello === 'older') return { mode: 'legacy' }
  if (hello === 'newest') return { mode: { pin: NEWEST }, probe: { timeoutMs: connectMs } }
  return { mode: 'auto', probe: { timeoutMs: Math.min(discoverMs, connectMs) } }
}

/**
 * Opens a connection by the first greeting that a server bears, each time from the beginning: an older server may end, or
 * hang, when it is asked what it does not know. One that refuses `initialize` was only slow, and gets more time. `open` rejects
 * with an `Error` whose `cause` is what the SDK threw.
 */
export async function greet<T>(open: (hello: Hello) => Promise<T>): Promise<T> {
  try {
    return await open('any')
  } catch (error) {
    if (!(await gaveNoAnswer(error))) throw error
  }
  try {
    return await open('older')
  } catch (error) {
    if (!(await knowsOnlyNewest(error))) throw error
    return await open('newest').catch(() => {
      throw error
    })
  }
}

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined)

/** Of an error of this class. */
const codeOf = <C>(
  error: unknown,
  kind: abstract new (...args: never[]) => { readonly code: C },
): C | undefined => (error instanceof kind ? error.code : undefined)

/** No answer that says which revisions it speaks; one that asks who we are is none of these. */
async function gaveNoAnswer(error: unknown): Promise<boolean> {
  const { SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client')
  const code = codeOf(causeOf(error), SdkError)
  return code === SdkErrorCode.EraNegotiationFailed || code === SdkErrorCode.RequestTimeout
}

async function knowsOnlyNewest(error: unknown): Promise<boolean> {
  const { ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/client')
  const code = codeOf(causeOf(error), ProtocolError)
  return code === ProtocolErrorCode.MethodNotFound || code === ProtocolErrorCode.UnsupportedProtocolVersion
}
