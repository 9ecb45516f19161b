/**
 * In what the protocol's revision of 2026-07-28 and those before it differ for a client: how a server is greeted, whether it still
 * answers, how it says that its tools are others, how it asks for something in the middle of a call, which arguments it gets as
 * headers. This folder works on the SDK's client alone: it knows no transport, no tool of a room and no config.
 */
import type { VersionNegotiationOptions } from '@modelcontextprotocol/client'
import type { McpTimes } from '../limits.ts'
import { isRefusal } from './refusal.ts'

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

/** No answer that says which revisions it speaks. One that asks who we are is none of these. */
async function gaveNoAnswer(error: unknown): Promise<boolean> {
  const { SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client')
  const cause = causeOf(error)
  if (!(cause instanceof SdkError)) return false
  return cause.code === SdkErrorCode.EraNegotiationFailed || cause.code === SdkErrorCode.RequestTimeout
}

const knowsOnlyNewest = (error: unknown): Promise<boolean> =>
  isRefusal(causeOf(error), 'MethodNotFound', 'UnsupportedProtocolVersion')
