import type { AuthProvider, Transport } from '@modelcontextprotocol/client'
import type { z } from 'zod'
import { toolProgress, type ToolProgress } from '../../../chat/tool-progress.ts'
import { createDeferred } from '../../../lib/deferred.ts'
import { errorMessage } from '../../../lib/errors.ts'
import type { McpByUrl, McpServerConfig } from '../config.ts'
import type { McpLogin } from '../login/login.ts'
import { withoutSecrets } from '../secrets.ts'
import { createBoundedFetch } from './bounded-fetch.ts'
import { callResult } from './content.ts'
import type { LaunchMcp } from './launch.ts'
import type { McpTimes } from './limits.ts'
import { listTools, type McpList } from './list-tools.ts'
import { createStdioTransport, type EndingTransport } from './stdio.ts'
import { isTurnedAway, whyOf } from './why.ts'

/** A server that has answered. All methods but `close` reject with an `Error` whose message ends a sentence. */
export interface McpConnection {
  /** What it lists now, at most `MAX_TOOLS`. */
  list(): Promise<McpList>
  call(name: string, args: object, during: DuringCall): Promise<z.output<typeof callResult>>
  /** Resolves if it answers; rejects with why it is to be left. */
  ping(): Promise<void>
  /** Resolves when it is over, with the reason. */
  readonly over: Promise<string>
  /** Ends it, for a reason; also its process. Never rejects. */
  close(why: string): Promise<void>
}

/** What goes on during a call. */
export interface DuringCall {
  /** Ends the call; the server is told. */
  readonly signal: AbortSignal
  readonly progress?: ((progress: ToolProgress) => void) | undefined
}

/** What a connection is made with. */
export interface ConnectionOptions {
  readonly times: McpTimes
  /** Of sshawl. */
  readonly version: string
  /** Makes commands ready. */
  readonly launch: LaunchMcp
  /** Its login, where it may want one. */
  readonly login?: McpLogin | undefined
  /** The server says that its tools are others now. */
  listChanged(): void
  /** The server sends so much that it is read more slowly. */
  slowed(): void
  readonly signal: AbortSignal
}

/** Node's longest timer, in milliseconds: who calls has a time limit of their own. */
const NO_LIMIT_MS = 2 ** 31 - 1

/** Connects to a server, and says hello. Rejects with an `Error` whose message ends a sentence. */
export async function connect(config: McpServerConfig, options: ConnectionOptions): Promise<McpConnection> {
  const { reach } = config
  const [unset] = reach.unset ?? []
  if (unset !== undefined) throw new Error(`the environment variable ${unset} is not set`)
  if ('command' in reach) {
    const transport = createStdioTransport(() => options.launch(reach, config.name), options.slowed)
    return await open(transport, config, options)
  }
  const { StreamableHTTPClientTransport, SSEClientTransport, SdkHttpError } = await sdk()
  const url = new URL(reach.url)
  try {
    const transport = overHttp(reach, options, (http) => new StreamableHTTPClientTransport(url, http))
    return await open(transport, config, options)
  } catch (error) {
    // A server that knows only the older way answers a POST so (modelcontextprotocol.io, "Backwards compatibility").
    const cause = error instanceof Error ? error.cause : undefined
    const isOlder = cause instanceof SdkHttpError && [400, 404, 405].includes(cause.status ?? 0)
    if (!isOlder) throw error
    const transport = overHttp(reach, options, (http) => new SSEClientTransport(url, http))
    return await open(transport, config, options)
  }
}

/** Loaded with the first server: most servers of ours have none. */
const sdk = () => import('@modelcontextprotocol/client')

/** What a transport over HTTP is made with. */
interface HttpOptions {
  readonly fetch: ReturnType<typeof createBoundedFetch>
  readonly requestInit: RequestInit
  readonly authProvider?: AuthProvider
}

/** A transport that ends with a stream in which a message was too long. */
function overHttp(
  { headers = {} }: McpByUrl,
  { login, slowed }: ConnectionOptions,
  make: (http: HttpOptions) => Transport,
): EndingTransport {
  let why: string | undefined
  const fetch = createBoundedFetch(({ message }) => {
    why ??= message
    void transport.close().catch(() => undefined)
  }, slowed)
  const transport = make({
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      login?.answered(response, new Headers(init?.headers).get('authorization'))
      return response
    },
    requestInit: { headers },
    ...(login ? { authProvider: login.auth } : {}),
  })
  return Object.assign(transport, { why: () => why })
}

const GONE = 'it does not answer any more'

const NOT_ASKED =
  'sshawl asks neither its people nor its models for a server: take all that you need as arguments of a tool'

async function open(
  transport: EndingTransport,
  config: McpServerConfig,
  options: ConnectionOptions,
): Promise<McpConnection> {
  const { Client, InsufficientScopeError, ProtocolError, ProtocolErrorCode } = await sdk()
  const { times, version, signal, login } = options
  const client = new Client({ name: 'sshawl', version }, { capabilities: {} })
  const over = createDeferred<string>()
  let whyClosed: string | undefined
  const whyEnded = (): string | undefined => {
    const why = transport.why()
    return why === undefined ? undefined : withoutSecrets(why, config.reach)
  }
  const closed = (): void => over.resolve(whyClosed ?? whyEnded() ?? 'the connection ended')
  // A property of the SDK, not an event.
  Object.assign(client, { onclose: closed })
  client.fallbackRequestHandler = async () => {
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, NOT_ASKED)
  }
  client.setNotificationHandler('notifications/tools/list_changed', () => options.listChanged())

  const close = async (why: string): Promise<void> => {
    whyClosed ??= why
    await client.close().catch(() => undefined)
    over.resolve(why)
  }
  const limited = { timeout: times.connectMs }
  const masked = (text: string): string => login?.masked(text) ?? text
  /** What went wrong, as the reason of the end where that is the cause. */
  async function explained<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (error instanceof InsufficientScopeError) login?.wants(error.requiredScope)
      throw new Error(masked(whyEnded() ?? (await whyOf(error, config, times))), { cause: error })
    }
  }

  try {
    await explained(client.connect(transport, { ...limited, signal }))
  } catch (error) {
    await close(errorMessage(error))
    throw error
  }
  return {
    over: over.promise,
    close,
    list: () => explained(listTools(client, limited)),
    ping: async () => {
      try {
        await client.ping({ timeout: times.pingMs })
      } catch (error) {
        // Whatever it answers, it answers.
        if (error instanceof ProtocolError) return
        const why = (await isTurnedAway(error)) ? await whyOf(error, config, times) : GONE
        throw new Error(masked(why), { cause: error })
      }
    },
    call: (name, args, { signal: stop, progress }) =>
      explained(
        client.request({ method: 'tools/call', params: { name, arguments: args } }, callResult, {
          signal: stop,
          timeout: NO_LIMIT_MS,
          ...(progress
            ? { onprogress: (told) => progress(toolProgress(told.progress, told.total, told.message)) }
            : {}),
        }),
      ),
  }
}
