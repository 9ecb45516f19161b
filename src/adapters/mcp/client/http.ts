import type { AuthProvider, Transport } from '@modelcontextprotocol/client'
import type { McpByUrl } from '../config.ts'
import type { McpLogin } from '../oauth-login.ts'
import { Asked } from './asked.ts'
import { createMessageFetch } from './bounded-fetch.ts'
import { createRenewingFetch } from './renewed-session.ts'
import type { EndingTransport } from './stdio.ts'

/** What a transport over HTTP is made with. */
interface HttpParts {
  /** Its login, where it may want one. */
  readonly login?: McpLogin | undefined
  /** The server sends so much that it is read more slowly. */
  slowed(): void
  /** Its tools may be others now. */
  listChanged(): void
}

/** Messages by POST, and answers to each; a stream of events for those that take long. */
export async function createHttpTransport(reach: McpByUrl, parts: HttpParts): Promise<EndingTransport> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  return overHttp(reach, parts, (url, http) => new StreamableHTTPClientTransport(url, http))
}

/** The older way: messages by POST, and all answers by one stream of events. */
export async function createEventsTransport(reach: McpByUrl, parts: HttpParts): Promise<EndingTransport> {
  const { SSEClientTransport } = await import('@modelcontextprotocol/client')
  return overHttp(reach, parts, (url, http) => new SSEClientTransport(url, http))
}

/** A server that knows only the older way answers a POST so (modelcontextprotocol.io, "Backwards compatibility"). */
export async function wantsEvents(error: unknown): Promise<boolean> {
  const { SdkHttpError } = await import('@modelcontextprotocol/client')
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof SdkHttpError && [400, 404, 405].includes(cause.status ?? 0)
}

interface HttpOptions {
  readonly fetch: ReturnType<typeof createMessageFetch>
  readonly requestInit: RequestInit
  readonly authProvider?: AuthProvider
}

/** A transport that ends with a stream in which a message has no end. */
function overHttp(
  { url, headers = {} }: McpByUrl,
  { login, slowed, listChanged }: HttpParts,
  make: (url: URL, http: HttpOptions) => Transport,
): EndingTransport {
  let why: string | undefined
  const fetchMessages = createMessageFetch({
    asked: new Asked(),
    broken({ message }) {
      why ??= message
      void transport.close().catch(() => undefined)
    },
    slowed,
  })
  const fetch = createRenewingFetch(fetchMessages, listChanged)
  const transport = make(new URL(url), {
    fetch: async (address, init) => {
      const response = await fetch(address, init)
      login?.answered(response, new Headers(init?.headers).get('authorization'))
      return response
    },
    requestInit: { headers },
    ...(login ? { authProvider: login.auth } : {}),
  })
  return Object.assign(transport, { why: () => why })
}
